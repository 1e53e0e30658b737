package plugin

import (
	"net/http"
	"time"
)

// cassetteVersion is that of the file format of go-vcr v4, see tape.
const cassetteVersion = 2

// cassette is the file of a recording.
type cassette struct {
	Version      int            `yaml:"version"`
	Interactions []*interaction `yaml:"interactions"`
}

// interaction is a request and its answer.
type interaction struct {
	ID       int              `yaml:"id"`
	Request  recordedRequest  `yaml:"request"`
	Response recordedResponse `yaml:"response"`

	replayed bool
}

type recordedRequest struct {
	Proto      string      `yaml:"proto"`
	ProtoMajor int         `yaml:"proto_major"`
	ProtoMinor int         `yaml:"proto_minor"`
	Host       string      `yaml:"host"`
	Headers    http.Header `yaml:"headers,omitempty"`
	URL        string      `yaml:"url"`
	Method     string      `yaml:"method"`
}

type recordedResponse struct {
	Proto         string        `yaml:"proto"`
	ProtoMajor    int           `yaml:"proto_major"`
	ProtoMinor    int           `yaml:"proto_minor"`
	ContentLength int64         `yaml:"content_length"`
	Uncompressed  bool          `yaml:"uncompressed,omitempty"`
	Body          string        `yaml:"body"`
	Headers       http.Header   `yaml:"headers"`
	Status        string        `yaml:"status"`
	Code          int           `yaml:"code"`
	Duration      time.Duration `yaml:"duration"`
}

// add appends an answer.
func (c *cassette) add(i *interaction) {
	i.ID = len(c.Interactions)
	c.Interactions = append(c.Interactions, i)
}

// next returns the first answer to the request that was not given yet, or nil.
func (c *cassette) next(request *http.Request) *interaction {
	for _, i := range c.Interactions {
		if !i.replayed && sameQuestion(request, i.Request) {
			i.replayed = true
			return i
		}
	}
	return nil
}
