package nomad_test

import (
	"net/http"
	"strings"
	"testing"

	"overdue/internal/nomad"
	"overdue/internal/nomad/nomadtest"
)

// A redirect is not followed: the token would go to another host.
func TestRedirectKeepsToken(t *testing.T) {
	elsewhere, s := nomadtest.New(), nomadtest.New()
	t.Cleanup(elsewhere.Close)
	t.Cleanup(s.Close)
	for _, code := range []int{301, 302, 303, 307, 308} {
		s.Handle("", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", elsewhere.URL()+r.URL.Path)
			w.WriteHeader(code)
		})
		_, err := namespaces(nomad.Options{Addresses: []string{s.URL()}}, map[string]string{"NOMAD_TOKEN": "c0ffee00-1111-2222-3333-444455556666"})
		if err == nil || !strings.Contains(err.Error(), "redirected to 127.0.0.1:") || len(elsewhere.Requests()) > 0 {
			t.Errorf("%d: %v, and the other host was asked %q", code, err, elsewhere.Requests())
		}
	}
}
