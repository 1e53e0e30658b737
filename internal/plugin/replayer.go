package plugin

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
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
	asked := &http.Request{Method: method(request.Method), URL: request.URL}
	interaction, err := p.tape.cassette.GetInteraction(asked)
	if err != nil {
		question := url.URL{Path: request.URL.Path, RawPath: request.URL.RawPath, RawQuery: request.URL.RawQuery}
		return nil, &tapeError{fmt.Sprintf("the recording has no answer for %s %s; was it made with other options?", asked.Method, redactURL(&question))}
	}
	response, err := interaction.GetHTTPResponse()
	if err != nil {
		return nil, &tapeError{fmt.Sprintf("the recording's answer for %s %s cannot be read: %s", asked.Method, request.URL.Path, err)}
	}
	response.Header = response.Header.Clone()
	response.ContentLength = int64(len(interaction.Response.Body))
	response.TransferEncoding, response.Trailer, response.Close = nil, nil, false
	response.Request = request
	return response, nil
}

// sameQuestion matches a request by method, path and query: the host of a recording is that of another site, and so is the
// path before the API's own, behind which a gateway may have served it.
func sameQuestion(request *http.Request, recorded cassette.Request) bool {
	if request.Method != method(recorded.Method) {
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
