package nomadtest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
)

// Memory is a transport to stand-ins, by host, without a network: so the time of testing/synctest can run for them. Nobody
// listens at other hosts.
type Memory map[string]*Server

// RoundTrip has the host's stand-in answer.
func (m Memory) RoundTrip(r *http.Request) (*http.Response, error) {
	s := m[r.URL.Host]
	if s == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	answer := httptest.NewRecorder()
	s.serve(answer, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return answer.Result(), nil
}
