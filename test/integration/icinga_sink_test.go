//go:build integration && linux

package integration

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"overdue/test/realicinga"
)

// lines are what Icinga's InfluxDB writer sent.
type lines struct {
	mu  sync.Mutex
	all []string
}

// influx lets the node write to a sink as the shipped example has it, but more often.
func influx(t *testing.T, n *realicinga.Node) *lines {
	t.Helper()
	var l lines
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = append(l.all, strings.Split(string(body), "\n")...)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(sink.Close)
	port := sink.URL[strings.LastIndex(sink.URL, ":")+1:]
	n.Write(t, "features/influxdb.conf", strings.NewReplacer("8086", port, "flush_interval = 10s", "flush_interval = 1s").Replace(shippedText(t, "examples/influxdb.conf")))
	return &l
}

// await waits for a line with this beginning that has all the rest.
func (l *lines) await(t *testing.T, prefix string, rest ...string) {
	t.Helper()
	realicinga.Await(t, "a line of "+prefix, func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
	lines:
		for _, line := range l.all {
			for _, part := range rest {
				if !strings.Contains(line, part) {
					continue lines
				}
			}
			if strings.HasPrefix(line, prefix) {
				return nil
			}
		}
		return realicinga.Not("with %q in %d lines, the last of them %q", rest, len(l.all), l.all[max(0, len(l.all)-10):])
	})
}
