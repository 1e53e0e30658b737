//go:build integration

package faults

import (
	"crypto/tls"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// files holds what a plugin needs to reach a server.
type files struct{ token, ca string }

func newFiles(t *testing.T, server *httptest.Server) files {
	t.Helper()
	dir := t.TempDir()
	f := files{filepath.Join(dir, "token"), filepath.Join(dir, "ca.crt")}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, content := range map[string][]byte{f.token: []byte(secret + "\n"), f.ca: certificate} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// serve starts an HTTPS server on loopback.
func serve(t *testing.T, handler http.Handler) (*httptest.Server, files) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server, newFiles(t, server)
}

// serveWire starts a server that does what it likes with each connection once TLS stands.
func serveWire(t *testing.T, handle func(net.Conn)) (*httptest.Server, files) {
	t.Helper()
	reference := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate will do
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: reference.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	f := newFiles(t, reference)
	reference.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if conn.(*tls.Conn).Handshake() == nil {
					handle(conn)
				}
			}()
		}
	}()
	t.Cleanup(func() { listener.Close() })
	return &httptest.Server{URL: "https://" + listener.Addr().String()}, f
}
