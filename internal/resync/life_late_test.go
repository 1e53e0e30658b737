package resync

import (
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// deafening is a listener whose connections, once it is deaf, never hear what is sent.
type deafening struct {
	net.Listener
	deaf atomic.Bool
}

func (d *deafening) Accept() (net.Conn, error) {
	c, err := d.Listener.Accept()
	if err == nil && d.deaf.Load() {
		gone := make(chan struct{})
		return deaf{c, gone, sync.OnceFunc(func() { close(gone) })}, nil
	}
	return c, err
}

type deaf struct {
	net.Conn
	gone  chan struct{}
	leave func()
}

func (d deaf) Read([]byte) (int, error) { <-d.gone; return 0, net.ErrClosed }
func (d deaf) Close() error             { d.leave(); return d.Conn.Close() }

// TestLifeLateHandshake holds that no resync leaves on statistics that grew old while a connection for it came about, and that nothing
// is remembered then.
func TestLifeLateHandshake(t *testing.T) {
	s := newSite(t, 0)
	s.by.moment = clockOf(s)
	looks, puts := 0, 0
	var listener *deafening
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		switch {
		case r.Method == http.MethodPut:
			puts++
			w.WriteHeader(http.StatusNoContent)
		case strings.HasSuffix(r.URL.Path, statistics):
			if looks++; looks == 2 {
				listener.deaf.Store(true)
				_ = s.Pause(t.Context(), freshness-100*time.Millisecond)
			}
			_, _ = io.WriteString(w, `{"29":{"id":29,"prewarmingPoolSize":4,"idleRunners":0,"usedRunners":3},"10":{"id":10,"prewarmingPoolSize":4,"idleRunners":4,"usedRunners":0}}`)
		default:
			_, _ = io.WriteString(w, `{"id":29,"image":"x","prewarmingPoolSize":4}`)
		}
	}))
	listener = &deafening{Listener: server.Listener}
	server.Listener = listener
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	code, text := s.call(t, "--address", server.URL, "--ca-file", ca)
	first, _, _ := strings.Cut(text, "\n")
	if code != 1 || puts != 0 || looks != 2 || !strings.Contains(first, "the statistics are 5 s old by now") || !strings.Contains(first, "still in the TLS handshake") {
		t.Errorf("exit code %d, %d looks, %d PUTs: %s", code, looks, puts, text)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, "*.json")); err != nil || len(left) > 0 {
		t.Errorf("remembers %s, %v", left, err)
	}
}
