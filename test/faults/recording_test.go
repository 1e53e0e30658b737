//go:build integration

package faults

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"
)

// answer is what a real server once said.
type answer struct {
	Request  struct{ URL string }
	Response struct {
		Code    int
		Body    string
		Headers http.Header
	}
}

func (a *answer) path() string {
	u, err := url.Parse(a.Request.URL)
	if err != nil {
		return a.Request.URL
	}
	return u.Path
}

// answers reads the recording of a plugin's healthy questions.
func (p plugin) answers(t *testing.T) []*answer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../demo/recordings", p.recording))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Interactions []*answer }
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Interactions) == 0 {
		t.Fatalf("%s holds no answer", p.recording)
	}
	return file.Interactions
}

// replay answers as the recording says. mend, if not nil, may change an answer's body.
func replay(answers []*answer, mend func(*answer) string) http.HandlerFunc {
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
