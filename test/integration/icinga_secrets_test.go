//go:build integration && linux

package integration

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io/fs"
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

	"overdue/test/realicinga"
	"overdue/test/realkube"
)

// watch is what stands before all APIs. It looks at the machine's processes at every request, when the program that asks surely runs.
type watch struct {
	secrets map[string]string // by name
	hostile atomic.Bool       // requests are refused with their own headers as the reason

	mu      sync.Mutex
	used    map[string]bool   // secrets that came with a request
	seen    map[string]string // command lines of our programs
	visible []string          // command lines with a secret
}

// before starts a server that hands requests on to an API, and returns its address.
func (w *watch) before(t *testing.T, address string, trusted *x509.CertPool, serverName string, change func(*http.Request)) *httptest.Server {
	t.Helper()
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target); change(r.Out) },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: serverName, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true},
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		w.look(r)
		if w.hostile.Load() {
			_, password, _ := r.BasicAuth()
			answer.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprintf(answer, "refused: %s %s %v", r.URL, password, r.Header)
			return
		}
		proxy.ServeHTTP(answer, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func (w *watch) look(r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, password, _ := r.BasicAuth()
	said := fmt.Sprint(password, " ", r.Header)
	for name, secret := range w.secrets {
		w.used[name] = w.used[name] || strings.Contains(said, secret)
	}
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		text, _ := os.ReadFile(file) // "" of one that has ended
		line := strings.ReplaceAll(string(text), "\x00", " ")
		if program, ours := strings.CutPrefix(line, binaryDir+"/"); ours {
			program, _, _ = strings.Cut(program, " ")
			w.seen[program] = line
		}
		if name := w.in(line); name != "" {
			w.visible = append(w.visible, name+": "+line)
		}
	}
}

// in names a secret that the text holds.
func (w *watch) in(text string) string {
	for name, secret := range w.secrets {
		if strings.Contains(text, secret) {
			return name
		}
	}
	return ""
}

// No secret is in ps while the programs run, nor in anything that Icinga tells or keeps: not when all is well, and not when an API
// answers with what it was sent.
func TestIcingaShowsNoSecret(t *testing.T) {
	s := kubernetes(t, "healthy")
	l := startLearning(t)
	n := icinga(t)
	w := &watch{used: map[string]bool{}, seen: map[string]string{}, secrets: map[string]string{
		"Kubernetes' token": s.Token(t, realkube.Full), "Nomad's token": "nomad-token-that-nobody-may-see",
		"Poseidon's token": poseidonToken, "the password for Icinga": "password-that-nobody-may-see",
	}}
	as := func(*http.Request) {}
	cluster := w.before(t, s.URL, authorities(t, s.CAFile), "", as)
	nomad, poseidon := w.before(t, l.nomad.URL(), nil, "", as), w.before(t, l.poseidon.URL(), nil, "", as)
	comments := w.before(t, fmt.Sprintf("https://127.0.0.1:%d", n.Port), authorities(t, n.Path("data/certs/ca.crt")), n.Name, func(r *http.Request) {
		r.SetBasicAuth(realicinga.User, realicinga.Password) // whose password is in the configuration
	})
	dir := t.TempDir()
	for file, text := range map[string]string{
		"kubernetes": w.secrets["Kubernetes' token"], "nomad": w.secrets["Nomad's token"], "poseidon": poseidonToken, "auth": "resync:" + w.secrets["the password for Icinga"],
		"ca": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: nomad.Certificate().Raw})), "state/": "",
	} {
		if name, isDir := strings.CutSuffix(file, "/"); isDir {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	n.Write(t, "zones.d/localhost/hosts.conf", strings.NewReplacer("DIR", dir, "CLUSTER", cluster.URL, "NOMAD", nomad.URL, "POSEIDON", poseidon.URL, "ICINGA", comments.URL).Replace(`
object Host "site" {
  check_command = "dummy"
  enable_active_checks = false
  vars.openshift = { server = "CLUSTER", token_file = "DIR/kubernetes", ca_file = "DIR/ca" }
  vars.nomad = { address = [ "NOMAD" ], token_file = "DIR/nomad", ca_file = "DIR/ca" }
  vars.poseidon = {
    address = "POSEIDON"
    token_file = "DIR/poseidon"
    ca_file = "DIR/ca"
    nomad_address = [ "NOMAD" ]
    nomad_token_file = "DIR/nomad"
    nomad_ca_file = "DIR/ca"
    environments = { "29" = { } }
  }
  vars.resync = {
    on = "soft:1,hard"
    recheck = 0
    cooldown = "0"
    no_journal = true
    state_dir = "DIR/state"
    icinga_url = "ICINGA"
    icinga_auth_file = "DIR/auth"
    icinga_ca_file = "DIR/ca"
  }
}
`))
	n.Start(t)

	checks := []string{"site!kubernetes", "site!machine-config-pools", "site!gpu-nodes", "site!evaluations", "site!poseidon", "site!pool 29"}
	for _, service := range checks {
		n.Check(t, service)
	}
	l.drain()
	follow(t, n, "site!pool 29", step{"CRITICAL SOFT 1", missing})
	comment(t, n, "site!pool 29", "idle 0/4 → 4/4")
	follow(t, n, "site!pool 29", step{"OK HARD", idle4})
	handled(t, n, "site!pool 29", 3)
	w.hostile.Store(true)
	for _, service := range checks {
		if got := n.Check(t, service); got.Result.Exit == 0 || !strings.Contains(got.Result.Output, "403") {
			t.Errorf("%s is %s, refused by its API: %q", service, got, got.Result.Output)
		}
	}
	handled(t, n, "site!pool 29", 4)

	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.secrets {
		if !w.used[name] {
			t.Errorf("%s was not used", name)
		}
	}
	for _, program := range []string{"check_mcp", "check_gpu_node", "check_nomad_evals", "check_prewarm_pool", "resync_prewarm_pool"} {
		if !strings.Contains(w.seen[program], "--token-file "+dir) {
			t.Errorf("%s was not seen with its token's file: %q", program, w.seen[program])
		}
	}
	for _, line := range w.visible {
		t.Errorf("ps showed %s", line)
	}
	for _, kind := range []string{"services", "hosts", "comments", "checkcommands", "eventcommands", "dependencies", "apiusers", "fileloggers", "apilisteners"} {
		text, err := n.Objects(kind)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
		} else if name := w.in(text); name != "" {
			t.Errorf("%s is in Icinga's %s", name, kind)
		}
	}
	read := map[string]bool{}
	err := filepath.WalkDir(n.Path(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if name := w.in(string(text)); name != "" {
			t.Errorf("%s is in %s", name, path)
		}
		read[filepath.Base(path)] = len(text) > 0
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, name := range []string{"debug.log", "console.log", "icinga2.debug", "icinga2.vars"} {
		if !read[name] {
			t.Errorf("there is no %s: %v", name, read)
		}
	}
}

func authorities(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("%s holds no certificate", file)
	}
	return pool
}
