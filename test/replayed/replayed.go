// Package replayed is a server that answers as a recording of a real one says.
package replayed

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"
)

// Answer is what a real server once said.
type Answer struct {
	Request  struct{ URL string }
	Response struct {
		Code    int
		Body    string
		Headers http.Header
	}
}

// Path is that of the request, without its query.
func (a *Answer) Path() string {
	u, err := url.Parse(a.Request.URL)
	if err != nil {
		return a.Request.URL
	}
	return u.Path
}

// Answers reads a recording.
func Answers(t testing.TB, name string) []*Answer {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Interactions []*Answer }
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Interactions) == 0 {
		t.Fatalf("%s holds no answer", name)
	}
	return file.Interactions
}

// Handler answers each request as often as it comes. mend, if not nil, may change an answer's body.
func Handler(answers []*Answer, mend func(*Answer) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, a := range answers {
			u, err := url.Parse(a.Request.URL)
			if err != nil || u.Path != r.URL.Path || u.Query().Encode() != r.URL.Query().Encode() {
				continue
			}
			for name, values := range a.Response.Headers {
				if name != "Date" && name != "Content-Length" && !strings.HasPrefix(name, "Overdue-") {
					w.Header()[name] = values
				}
			}
			w.WriteHeader(a.Response.Code)
			body := a.Response.Body
			if mend != nil {
				body = mend(a)
			}
			_, _ = w.Write([]byte(body))
			return
		}
		http.NotFound(w, r)
	}
}
