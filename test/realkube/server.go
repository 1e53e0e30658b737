// Package realkube runs a real kube-apiserver with its etcd for tests, and fills it with the situations that the plugins
// judge. No controller runs there, so whatever a test puts in stays as it is.
package realkube

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The accounts that a server knows. Rights of the last three are those of icinga/rbac, nothing else.
const (
	Admin   = "admin"
	Full    = "icinga-full"    // everything that a check can make use of
	Minimal = "icinga-minimal" // what a check needs
	None    = "icinga-none"    // a login without any right
)

// BinariesVariable names the environment variable with the directory that test/servers/build printed.
const BinariesVariable = "OVERDUE_SERVERS"

const startDeadline = 60 * time.Second

// errNotBuilt says that the servers' binaries are not there.
var errNotBuilt = errors.New("etcd and kube-apiserver are not built")

// Server is a running API server. Its methods may be called from any goroutine, but Freeze, Thaw, Stop and Restart only
// by the one test that has the server for itself.
type Server struct {
	URL    string // https://127.0.0.1:port
	CAFile string // of the server's certificate

	dir       string
	store     string // URL of etcd
	binaries  string
	arguments []string // of kube-apiserver
	tokens    map[string]string
	client    *http.Client
	etcd, api *process

	mu        sync.Mutex
	resources map[string]resource // by apiVersion and kind
}

// Start runs a server until the test ends. Without OVERDUE_SERVERS in the environment the test is skipped; with it,
// missing binaries are a failure.
func Start(t testing.TB) *Server {
	t.Helper()
	if os.Getenv(BinariesVariable) == "" {
		t.Skipf("%v: run `make integration`, or set %s to what test/servers/build prints", errNotBuilt, BinariesVariable)
	}
	s, err := Launch()
	if err != nil {
		t.Fatalf("starting a Kubernetes API server: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

// Launch runs a server until Close is called or the process ends: for TestMain.
func Launch() (*Server, error) {
	binaries := os.Getenv(BinariesVariable)
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if _, err := os.Stat(filepath.Join(binaries, name)); err != nil || binaries == "" {
			return nil, fmt.Errorf("%w: no %s in %s=%q", errNotBuilt, name, BinariesVariable, binaries)
		}
	}
	// A port found free can be taken by somebody else before the server binds it.
	for attempt := 1; ; attempt++ {
		s, err := launch(binaries)
		if err == nil || attempt == 3 || !strings.Contains(err.Error(), "address already in use") {
			return s, err
		}
	}
}

func launch(binaries string) (_ *Server, err error) {
	dir, err := os.MkdirTemp("", "realkube-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, binaries: binaries, tokens: map[string]string{}, resources: map[string]resource{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	key, err := writeKey(filepath.Join(dir, "service-accounts.key"))
	if err != nil {
		return nil, err
	}
	tokens, err := s.writeTokens()
	if err != nil {
		return nil, err
	}
	etcd, peer := "http://"+ports[1], "http://"+ports[2]
	s.etcd, err = start(dir, filepath.Join(binaries, "etcd"),
		"--name=etcd", "--data-dir="+filepath.Join(dir, "etcd.data"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+etcd, "--advertise-client-urls="+etcd,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=etcd="+peer)
	if err != nil {
		return nil, err
	}
	s.store = etcd
	s.URL, s.CAFile = "https://"+ports[0], filepath.Join(dir, "certificates", "apiserver.crt")
	_, port, _ := net.SplitHostPort(ports[0])
	s.arguments = []string{
		"--etcd-servers=" + etcd, "--bind-address=127.0.0.1", "--secure-port=" + port, "--cert-dir=" + filepath.Dir(s.CAFile),
		"--endpoint-reconciler-type=none", "--advertise-address=127.0.0.1", "--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://realkube.invalid", "--service-account-signing-key-file=" + key, "--service-account-key-file=" + key,
		"--token-auth-file=" + tokens, "--authorization-mode=RBAC", "--anonymous-auth=false",
		// Without controllers nobody would give pods their tokens, or take the not-ready taint off new nodes.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,Priority",
	}
	if err := s.startAPI(); err != nil {
		return nil, err
	}
	if err := s.grant(); err != nil {
		return nil, err
	}
	return s, nil
}

// Close ends the servers and removes their data.
func (s *Server) Close() {
	s.api.kill()
	s.etcd.kill()
	_ = os.RemoveAll(s.dir)
}

// Stop ends the API server, so that connections are refused. Restart brings it back with its data.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.api.kill()
	s.client.CloseIdleConnections()
}

// Restart starts the API server again after Stop.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.startAPI(); err != nil {
		t.Fatal(err)
	}
	// It calls itself ready before it has read the objects of custom kinds.
	for _, item := range s.Get(t, crdPath)["items"].([]any) {
		spec := nested(item.(object), "spec")
		version := spec["versions"].([]any)[0].(object)["name"]
		s.await(t, fmt.Sprintf("/apis/%v/%v/%v", spec["group"], version, nested(spec, "names")["plural"]), http.StatusOK)
	}
}

// Freeze halts the API server: connections are accepted and never answered. The end of the test thaws it.
func (s *Server) Freeze(t testing.TB) {
	t.Helper()
	if err := s.api.freeze(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.api.thaw() })
}

// Thaw lets a frozen API server go on.
func (s *Server) Thaw(t testing.TB) {
	t.Helper()
	if err := s.api.thaw(); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) startAPI() (err error) {
	if s.api, err = start(s.dir, filepath.Join(s.binaries, "kube-apiserver"), s.arguments...); err != nil {
		return err
	}
	deadline := time.Now().Add(startDeadline)
	for last := errors.New("no answer yet"); ; time.Sleep(50 * time.Millisecond) {
		for _, p := range []*process{s.etcd, s.api} {
			if p.ended() {
				return fmt.Errorf("%s ended while starting; %s", p.name, p.tail())
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not ready after %v: %v; %s", startDeadline, last, s.api.tail())
		}
		if last = s.connect(); last != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		status, body, err := s.do(ctx, Admin, http.MethodGet, "/readyz", nil, nil)
		cancel()
		if err == nil && status == http.StatusOK {
			return nil
		}
		last = fmt.Errorf("/readyz: %d %v %s", status, err, body)
	}
}

// connect makes the client as soon as the API server has written its certificate.
func (s *Server) connect() error {
	if s.client != nil {
		return nil
	}
	certificate, err := os.ReadFile(s.CAFile)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(certificate) {
		return errors.New("the server's certificate is not complete")
	}
	s.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2: true, // a transport with its own TLS configuration speaks HTTP/1 otherwise
	}}
	return nil
}

func (s *Server) writeTokens() (string, error) {
	var file bytes.Buffer
	for _, account := range []string{Admin, Full, Minimal, None} {
		s.tokens[account] = rand.Text()
		fmt.Fprintf(&file, "%s,%s,%s", s.tokens[account], account, account)
		if account == Admin {
			file.WriteString(`,"system:masters"`)
		}
		file.WriteByte('\n')
	}
	path := filepath.Join(s.dir, "tokens.csv")
	return path, os.WriteFile(path, file.Bytes(), 0o600)
}

func writeKey(path string) (string, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	return path, os.WriteFile(path, text, 0o600)
}

func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close() // only when all are found, so that they differ
		ports = append(ports, listener.Addr().String())
	}
	return ports, nil
}
