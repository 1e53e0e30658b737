//go:build integration

package integration

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// ask sends one request on a new connection, as a plugin does.
func ask(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // whether it answers is all that is asked
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err == nil {
		response.Body.Close()
	}
	return err
}

// A frozen server takes connections and never answers; a stopped one refuses them; either can come back.
func TestOutages(t *testing.T) {
	s := kubernetes(t, "incident")
	limited := func(limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return ask(ctx, s.URL)
	}
	s.Freeze(t)
	if err := limited(300 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("frozen: %v", err)
	}
	s.Thaw(t)
	if err := limited(10 * time.Second); err != nil {
		t.Errorf("thawed: %v", err)
	}
	s.Stop(t)
	if err := limited(10 * time.Second); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("stopped: %v", err)
	}
	s.Restart(t)
	if got := table(t, s); len(got) != 2 {
		t.Errorf("restarted: %q", got)
	}
}
