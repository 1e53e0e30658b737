//go:build integration

package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"overdue/test/replayed"
)

// The clock of the monitoring host is a year off, either way, or further.
func TestClock(t *testing.T) {
	everyPlugin(t, func(t *testing.T, p plugin) {
		server, f := serve(t, replayed.Handler(p.answers(t), nil))
		for _, now := range []string{"2025-12-01 00:00", "2027-12-01 00:00", "1970-01-01 00:00", "9999-12-31 23:59", "0001-01-01 00:00"} {
			p.start(t, 10*time.Second, append(p.args(server.URL, f.token, f.ca), "-v", "--now", now)...)
		}
	})
}

// Nobody reads the output, or it cannot be written: the exit code must not say that all is well, nor be none of Icinga's.
func TestOutput(t *testing.T) {
	everyPlugin(t, func(t *testing.T, p plugin) {
		server, f := serve(t, replayed.Handler(p.answers(t), nil))
		for name, redirect := range map[string]string{"full disk": ">/dev/full", "closed": ">&-", "pipe without reader": "| exec true"} {
			script := fmt.Sprintf(`"$@" -t 5s %s; echo "${PIPESTATUS[0]}" >&2`, redirect)
			args := append([]string{"-c", script, "bash", filepath.Join(binaries, p.name)}, p.args(server.URL, f.token, f.ca)...)
			command := exec.CommandContext(t.Context(), "bash", args...)
			command.Env = []string{"PATH=/usr/bin:/bin"}
			out, err := command.CombinedOutput()
			cases.Add(1)
			if err != nil {
				t.Fatal(err)
			}
			verdict := fmt.Sprint(p.start(t, 5*time.Second, p.args(server.URL, f.token, f.ca)...).code)
			switch code := strings.TrimSpace(string(out)); {
			case name == "pipe without reader" && code == verdict: // the pipe took it before its reader went
			case name == "closed" && code == verdict: // Go opens /dev/null in its place
			case code != "3":
				t.Errorf("%s: exit %s", name, code)
			}
		}
	})
}

// A signal at any moment: before, within and after the questions.
func TestSignals(t *testing.T) {
	everyPlugin(t, func(t *testing.T, p plugin) {
		answers := replayed.Handler(p.answers(t), nil)
		var asked atomic.Bool
		server, f := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Store(true)
			time.Sleep(3 * time.Millisecond) // so that signals find it waiting
			answers(w, r)
		}))
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE} {
			for moment := range 12 {
				command := exec.CommandContext(t.Context(), filepath.Join(binaries, p.name), append(p.args(server.URL, f.token, f.ca), "-t", "5s")...)
				command.Env = []string{"PATH=/usr/bin:/bin"}
				stdout, err := command.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				asked.Store(false)
				began := time.Now()
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(moment) * 2 * time.Millisecond)
				_ = command.Process.Signal(signal) // it may have ended
				out, _ := io.ReadAll(stdout)
				_ = command.Wait()
				status := command.ProcessState.Sys().(syscall.WaitStatus)
				if status.Signaled() && len(out) == 0 && !asked.Load() {
					cases.Add(1) // it had nothing to wait for yet; Icinga calls that UNKNOWN
					continue
				}
				p.judge(t, result{string(out), command.ProcessState.ExitCode(), time.Since(began)}, 5*time.Second, "", command.ProcessState)
			}
		}
	})
}

// A server whose certificate is not to be trusted is not asked anything.
func TestCertificates(t *testing.T) {
	year := 365 * 24 * time.Hour
	for name, c := range map[string]struct {
		host  string
		from  time.Duration
		until time.Duration
		other bool // the certificate authority is another
		says  string
	}{
		"expired":       {"127.0.0.1", -2 * year, -year, false, "expired"},
		"not yet valid": {"127.0.0.1", year, 2 * year, false, "valid only from"},
		"another host":  {"10.0.0.9", -year, year, false, "10.0.0.9"},
		"unknown":       {"127.0.0.1", -year, year, true, "authority"},
	} {
		t.Run(name, func(t *testing.T) {
			everyPlugin(t, func(t *testing.T, p plugin) {
				asked := false
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
				server.Config.ErrorLog = quiet
				server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate(t, c.host, time.Now().Add(c.from), time.Now().Add(c.until))}}
				server.StartTLS()
				defer server.Close()
				f := newFiles(t, server)
				if c.other {
					_, f = serve(t, http.NotFoundHandler())
				}
				r := p.start(t, 5*time.Second, p.args(server.URL, f.token, f.ca)...)
				if r.code == 0 || asked || !strings.Contains(r.out, c.says) {
					t.Errorf("asked: %v, exit %d, not %q: %s", asked, r.code, c.says, r.out)
				}
			})
		})
	}
}

// certificate is self-signed, and an authority of its own.
func certificate(t *testing.T, host string, from, until time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, NotBefore: from, NotAfter: until,
		IPAddresses: []net.IP{net.ParseIP(host)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// Files that are not what they should be.
func TestFiles(t *testing.T) {
	everyPlugin(t, func(t *testing.T, p plugin) {
		server, f := serve(t, replayed.Handler(p.answers(t), nil))
		dir := t.TempDir()
		large := filepath.Join(dir, "large")
		if err := os.WriteFile(large, make([]byte, 32<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		empty := filepath.Join(dir, "empty")
		if err := os.WriteFile(empty, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		pipe := filepath.Join(dir, "pipe")
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{large, empty, pipe, dir, filepath.Join(dir, "absent"), "/dev/zero", "/dev/urandom", "/dev/stdin", "/proc/self/mem", "bad\x1b[31m|name"} {
			for _, args := range [][]string{p.args(server.URL, bad, f.ca), p.args(server.URL, f.token, bad)} {
				r := p.start(t, 2*time.Second, args...)
				if r.code != 3 {
					t.Errorf("%q: exit %d: %s", args, r.code, r.out)
				}
			}
		}
	})
}
