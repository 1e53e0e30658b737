package plugin

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	govcr "gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
)

// Whoever has a recording may use go-vcr's own tools on it, and we read what go-vcr wrote.
func TestFormatIsThatOfGoVCR(t *testing.T) {
	tape, transport := newRecorder(t, respond(strings.NewReader("ok: ü\n")))
	tape.name = filepath.Join(t.TempDir(), "case.yaml")
	if err := tape.open(); err != nil {
		t.Fatal(err)
	}
	if _, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "/x?limit=5", nil)); err != nil {
		t.Fatal(err)
	}
	if err := tape.save(); err != nil {
		t.Fatal(err)
	}
	theirs, err := govcr.Load(strings.TrimSuffix(tape.name, ".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	read := theirs.Interactions[0]
	if read.Response.Body != "ok: ü\n" || read.Response.Code != 200 || read.Request.Method != http.MethodGet || !strings.HasSuffix(read.Request.URL, "/x?limit=5") {
		t.Errorf("go-vcr reads %+v", read)
	}
	theirs.IsNew = true
	theirs.File = filepath.Join(t.TempDir(), "theirs.yaml")
	if err := theirs.Save(); err != nil {
		t.Fatal(err)
	}
	again := newTape(&Run{}, &options{replay: theirs.File})
	if err := again.open(); err != nil {
		t.Fatal(err)
	}
	if back := again.cassette.Interactions[0]; back.Response.Body != read.Response.Body || back.Request.URL != read.Request.URL {
		t.Errorf("of go-vcr's file we read %+v", back)
	}
}
