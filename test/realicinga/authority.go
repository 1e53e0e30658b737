//go:build linux

package realicinga

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// authority signs the certificates of a cluster's nodes, with Icinga's own commands.
type authority struct {
	program string
	data    string
}

// NewAuthority makes an authority of its own.
func NewAuthority(t testing.TB) *authority {
	t.Helper()
	ca := &authority{program: Find(t, "icinga2", "icinga2-bin"), data: t.TempDir()}
	ca.run(t, "pki", "new-ca")
	return ca
}

func (ca *authority) run(t testing.TB, args ...string) {
	t.Helper()
	n := &Node{dir: ca.data}
	output, err := exec.Command(ca.program, append(n.args(args...), "-DDataDir="+ca.data)...).CombinedOutput()
	if err != nil {
		t.Fatalf("icinga2 %q: %v\n%s", args, err, output)
	}
}

// Certificate is the file of the authority's certificate.
func (ca *authority) Certificate() string { return filepath.Join(ca.data, "ca", "ca.crt") }

func (ca *authority) issue(t testing.TB, n *Node) {
	t.Helper()
	at := func(extension string) string { return n.Path("data/certs", n.Name+extension) }
	ca.run(t, "pki", "new-cert", "--cn", n.Name, "--key", at(".key"), "--csr", at(".csr"))
	ca.run(t, "pki", "sign-csr", "--csr", at(".csr"), "--cert", at(".crt"))
	text, err := os.ReadFile(ca.Certificate())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(n.Path("data/certs/ca.crt"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(text)
	n.client = &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust, ServerName: n.Name, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true},
	}
}
