package plugin

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// replayer answers from the recording alone.
type replayer struct{ tape *tape }

func (p replayer) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		defer request.Body.Close()
	}
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	p.tape.mu.Lock()
	found := p.tape.cassette.next(request)
	p.tape.mu.Unlock()
	if found == nil {
		question := url.URL{Path: request.URL.Path, RawPath: request.URL.RawPath, RawQuery: request.URL.RawQuery}
		return nil, &tapeError{fmt.Sprintf("the recording has no answer for %s %s; was it made with other options?", method(request.Method), redactURL(&question))}
	}
	answer := &found.Response
	return &http.Response{
		Status: answer.Status, StatusCode: answer.Code,
		Proto: answer.Proto, ProtoMajor: answer.ProtoMajor, ProtoMinor: answer.ProtoMinor,
		Header:        answer.Headers.Clone(),
		Body:          io.NopCloser(strings.NewReader(answer.Body)),
		ContentLength: int64(len(answer.Body)),
		Uncompressed:  answer.Uncompressed,
		Request:       request,
	}, nil
}

// sameQuestion matches a request by method, path and query: the host of a recording is that of another site, and so is the
// path before the API's own, behind which a gateway may have served it.
func sameQuestion(request *http.Request, recorded recordedRequest) bool {
	if method(request.Method) != method(recorded.Method) {
		return false
	}
	then, err := url.Parse(recorded.URL)
	if err != nil {
		return false
	}
	return strings.HasSuffix(question(then), question(request.URL))
}

func question(u *url.URL) string {
	return redactURL(&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery})
}
