package web

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"sync/atomic"
)

// Phase is how far a request got: it tells a dead network from a server that does not answer.
type Phase struct{ text atomic.Value }

// String is what was going on last: "connecting", or "" before anything was.
func (p *Phase) String() string {
	s, _ := p.text.Load().(string)
	return s
}

// Trace makes the requests of a context tell how far they get.
func (p *Phase) Trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:          func(httptrace.DNSStartInfo) { p.text.Store("looking up its name") },
		ConnectStart:      func(string, string) { p.text.Store("connecting") },
		TLSHandshakeStart: func() { p.text.Store("in the TLS handshake") },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			if err == nil {
				p.text.Store("sending the request")
			}
		},
		WroteRequest: func(httptrace.WroteRequestInfo) { p.text.Store("waiting for the answer") },
	})
}
