package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"testing"
)

// closing tells when it is closed.
type closing struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (c *closing) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// A mail server greets first. Here its greeting is read before the request is sent, which is a matter of luck otherwise.
func TestAServerThatSpeaksFirst(t *testing.T) {
	ours, theirs := net.Pipe()
	conn := &closing{Conn: ours, closed: make(chan struct{})}
	go func() {
		_, _ = io.WriteString(theirs, "220 mail.example.com ESMTP\r\n")
		_, _ = io.Copy(io.Discard, theirs)
	}()
	defer theirs.Close()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil }}
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { <-conn.closed }})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://mail.example.com:25/", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := transport.RoundTrip(request)
	if err == nil {
		response.Body.Close()
		t.Fatal("a greeting was taken for an answer")
	}
	what, remedy := Peer{Name: "http://mail.example.com:25", Program: "Nomad"}.Silence(ctx, "", err)
	if want := "the answer of http://mail.example.com:25 is not HTTP: it speaks before it is asked"; what != want {
		t.Errorf("%q, want %q", what, want)
	}
	if want := "is that the address of Nomad itself, and http or https right?"; remedy != want {
		t.Errorf("%q, want %q", remedy, want)
	}
}
