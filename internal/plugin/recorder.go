package plugin

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// recorder asks and keeps the answers.
type recorder struct {
	tape  *tape
	base  http.RoundTripper
	scrub func([]byte) []byte
}

// CloseIdleConnections lets http.Client reach the transport below.
func (c recorder) CloseIdleConnections() {
	if closer, ok := c.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

func (c recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	began := time.Now()
	response, err := c.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	left := c.tape.remaining()
	if left < 0 {
		return response, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, left+1))
	rest := io.MultiReader(bytes.NewReader(body), response.Body)
	if err != nil {
		rest = io.MultiReader(bytes.NewReader(body), failing{err})
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{rest, response.Body}
	c.tape.keep(request, response, body, c.scrub, time.Since(began))
	return response, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// remaining is what may still be sent and recorded; negative if nothing is recorded any more.
func (t *tape) remaining() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.full {
		return -1
	}
	return t.left
}

func (t *tape) keep(request *http.Request, response *http.Response, body []byte, scrub func([]byte) []byte, took time.Duration) {
	sent := int64(len(body))
	if scrub != nil {
		body = scrub(bytes.Clone(body))
	}
	header := redactResponseHeader(response.Header)
	header.Set(headerAt, t.run.Now().UTC().Format(time.RFC3339Nano))
	recorded := &interaction{
		Request: recordedRequest{
			Proto: request.Proto, ProtoMajor: request.ProtoMajor, ProtoMinor: request.ProtoMinor,
			Host:    request.URL.Host,
			Headers: redactRequestHeader(request.Header),
			URL:     redactURL(request.URL),
			Method:  method(request.Method),
		},
		Response: recordedResponse{
			Proto: response.Proto, ProtoMajor: response.ProtoMajor, ProtoMinor: response.ProtoMinor,
			ContentLength: int64(len(body)),
			Uncompressed:  response.Uncompressed,
			Body:          string(body),
			Headers:       header,
			Status:        printableASCII(response.Status),
			Code:          response.StatusCode,
			Duration:      took,
		},
	}
	if len(body) > maxPlain {
		pack(&recorded.Response, body)
	}
	if !t.add(recorded, sent) {
		t.run.Note("the recording is not complete: the answers are too large for it")
	}
}

// add records an answer. Once one does not fit, nothing more is recorded, so that no answer is missing between others.
func (t *tape) add(recorded *interaction, sent int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.full {
		return true
	}
	t.left -= sent
	t.room -= int64(len(recorded.Response.Body))
	if t.full = t.left < 0 || t.room < 0; t.full {
		return false
	}
	t.cassette.add(recorded)
	return true
}

func method(name string) string {
	if name == "" {
		return http.MethodGet
	}
	return name
}
