package kube

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tlsServer runs a server with a certificate of its own and returns its address and the file of the authority.
func tlsServer(t *testing.T, change func(*x509.Certificate)) (url, caFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubetest"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	change(template)
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, writeFile(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

func writeFile(t testing.TB, name, text string) string {
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// ask connects and lists nodes, with a token.
func ask(t *testing.T, o Options) error {
	t.Helper()
	o.TokenFile = writeFile(t, "token", "secret-token\n")
	client, err := Connect(o, Surroundings{})
	if err == nil {
		_, err = List(soon(t), client, nodes, Query{}, nodeName)
	}
	if err != nil && strings.Contains(err.Error(), "secret-token") {
		t.Errorf("the token is in %q", err)
	}
	return err
}

// wantAsked is wantError for the address URL and the file CA.
func wantAsked(t *testing.T, err error, url, ca, text, hint string) {
	t.Helper()
	r := strings.NewReplacer("URL", url, "CA", ca)
	wantError(t, nil, err, "cannot list nodes: "+r.Replace(text), r.Replace(hint))
}

func TestCertificates(t *testing.T) {
	good := func(*x509.Certificate) {}
	url, ca := tlsServer(t, good)
	_, otherCA := tlsServer(t, good)

	err := ask(t, Options{Server: url, CAFile: ca})
	if !IsNoSuchGroup(err) {
		t.Errorf("right authority: got %v, want a 404", err)
	}
	if err = ask(t, Options{Server: url, InsecureSkipTLSVerify: true}); !IsNoSuchGroup(err) {
		t.Errorf("unverified: got %v, want a 404", err)
	}
	err = ask(t, Options{Server: url, CAFile: otherCA})
	wantAsked(t, err, url, otherCA, "the certificate of URL is from an unknown authority (checked against CA)", "name the right one with --ca-file")
	err = ask(t, Options{Server: url})
	wantAsked(t, err, url, "", "the certificate of URL is from an unknown authority (checked against the authorities of this system)",
		"name the right one with --ca-file")

	url, ca = tlsServer(t, func(c *x509.Certificate) { c.NotAfter = time.Date(2021, 2, 3, 4, 5, 6, 0, time.UTC) })
	wantAsked(t, ask(t, Options{Server: url, CAFile: ca}), url, ca, "the certificate of URL expired on 2021-02-03 04:05:06 UTC", "renew it")

	url, ca = tlsServer(t, func(c *x509.Certificate) { c.NotBefore = time.Date(2199, 2, 3, 4, 5, 6, 0, time.UTC) })
	wantAsked(t, ask(t, Options{Server: url, CAFile: ca}), url, ca, "the certificate of URL is valid only from 2199-02-03 04:05:06 UTC", "check the clock of this machine")

	url, ca = tlsServer(t, func(c *x509.Certificate) {
		c.DNSNames, c.IPAddresses = []string{"api.example", "*.apps.example"}, []net.IP{net.IPv4(127, 0, 0, 9)}
	})
	wantAsked(t, ask(t, Options{Server: url, CAFile: ca}), url, ca,
		"the certificate of URL is valid for api.example, *.apps.example, 127.0.0.9, not 127.0.0.1", "use a name it is valid for")

	for _, text := range []string{"", "no certificate"} {
		file := writeFile(t, "ca", text)
		wantError(t, nil, ask(t, Options{Server: url, CAFile: file}), "the file "+file+" holds no certificate authority (PEM)", "write the API server's CA certificate to it")
	}
}

func TestNoTLS(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	url := strings.Replace(server.URL, "http:", "https:", 1)
	wantAsked(t, ask(t, Options{Server: url}), url, "", "URL: server gave HTTP response to HTTPS client", "wrong port? the API server speaks TLS, usually on 6443")

	other := listen(t, func(conn net.Conn) { io.WriteString(conn, "SSH-2.0-OpenSSH_9.2\r\n") })
	wantAsked(t, ask(t, Options{Server: other}), other, "", "URL does not speak TLS: tls: first record does not look like a TLS handshake",
		"wrong port? the API server speaks TLS, usually on 6443")

	closing := listen(t, func(net.Conn) {})
	wantAsked(t, ask(t, Options{Server: closing}), closing, "", "URL broke the connection while in the TLS handshake",
		"look at the API server and the load balancer before it")
}

func TestDeafServer(t *testing.T) {
	deaf := listen(t, func(conn net.Conn) { io.Copy(io.Discard, conn) })
	client, err := Connect(Options{Server: deaf, TokenFile: writeFile(t, "token", "x")}, Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err = List(ctx, client, nodes, Query{}, nodeName)
	wantAsked(t, err, deaf, "", "no answer from URL in time: still in the TLS handshake", "check the network, a firewall or the load of the API server")

	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	_, err = List(ctx, client, nodes, Query{}, nodeName)
	wantAsked(t, err, deaf, "", "interrupted while waiting for URL", "")
}

func TestRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	wantAsked(t, ask(t, Options{Server: address}), address, "", "connection refused by URL", "is the API server running, and is the address right?")
}

// listen runs a server of raw TCP, serves each connection once and closes it, and returns its address as https.
func listen(t *testing.T, serve func(net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				conn.Read(make([]byte, 1<<10)) // the client's hello, so that closing sends no reset
				serve(conn)
				conn.Close()
			}()
		}
	}()
	return "https://" + l.Addr().String()
}
