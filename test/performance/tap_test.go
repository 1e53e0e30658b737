//go:build performance

package performance

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// endpoint is a server as a command is told of it.
type endpoint struct {
	url, authority, token string // token: its file
}

// kubeconfig writes one for the endpoint.
func (e endpoint) kubeconfig(t *testing.T) string {
	t.Helper()
	type m = map[string]any
	text, err := json.Marshal(m{ // JSON is YAML too
		"apiVersion": "v1", "kind": "Config", "current-context": "bench",
		"clusters": []m{{"name": "bench", "cluster": m{"server": e.url, "certificate-authority": e.authority}}},
		"users":    []m{{"name": "bench", "user": m{"tokenFile": e.token}}},
		"contexts": []m{{"name": "bench", "context": m{"cluster": "bench", "user": "bench"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return written(t, "kubeconfig", text)
}

func written(t *testing.T, name string, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// tap is a proxy before a server that writes down what is asked, and counts the bytes of the bodies as they are sent.
type tap struct {
	endpoint
	bytes atomic.Int64

	mu   sync.Mutex
	plan strings.Builder // as floor reads it
}

// newTap is asked over TLS, as the server behind it.
func newTap(t *testing.T, behind endpoint) *tap {
	t.Helper()
	base, err := url.Parse(behind.url)
	if err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(behind.authority)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	p := &tap{}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(base) },
		Transport:      &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableCompression: true},
		ModifyResponse: func(r *http.Response) error { r.Body = counted{r.Body, &p.bytes}; return nil },
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.plan.WriteString(r.Header.Get("Accept") + "\t" + r.URL.RequestURI() + "\n")
		p.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	p.endpoint = endpoint{server.URL, authorityOf(t, server), behind.token}
	return p
}

// take returns what was asked and read since the last call.
func (p *tap) take() (plan string, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	plan = p.plan.String()
	p.plan.Reset()
	return plan, p.bytes.Swap(0)
}

type counted struct {
	io.ReadCloser
	to *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.to.Add(int64(n))
	return n, err
}

// authorityOf writes the certificate of a server that httptest started.
func authorityOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	return written(t, "ca.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

// standIn is the endpoint of a stand-in, which wants no token.
func standIn(t *testing.T, server *httptest.Server) endpoint {
	t.Helper()
	return endpoint{server.URL, authorityOf(t, server), written(t, "token", []byte("bench-token\n"))}
}
