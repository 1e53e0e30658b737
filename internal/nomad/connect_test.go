package nomad_test

import (
	"context"
	"encoding/pem"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overdue/internal/nomad"
	"overdue/internal/nomad/nomadtest"
)

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// namespaces connects and asks the smallest question.
func namespaces(o nomad.Options, vars map[string]string) ([]string, error) {
	c, err := nomad.Connect(o, nomad.Surroundings{Getenv: environment(vars)})
	if err != nil {
		return nil, err
	}
	return c.Namespaces(context.Background())
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1:4646":             "is not a URL",
		"localhost:4646":             "is not one of Nomad's",
		"ftp://x":                    "is not one of Nomad's",
		"http://":                    "is not one of Nomad's",
		"unix://":                    "is not one of Nomad's",
		"http://u:hunter2@127.0.0.1": "a user's name or password",
		"http://127.0.0.1?token=x":   "has a query",
		"http://[":                   "is not a URL",
	} {
		_, err := nomad.Connect(nomad.Options{Addresses: []string{address}}, nomad.Surroundings{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
	c, err := nomad.Connect(nomad.Options{}, nomad.Surroundings{})
	if err != nil || c.Server() != "http://127.0.0.1:4646" {
		t.Errorf("by default: %v, %v", c, err)
	}
}

// Options come before the environment, and an empty variable is unset.
func TestEnvironment(t *testing.T) {
	s := nomadtest.New("team-a", "team-b")
	t.Cleanup(s.Close)
	s.ACLs()
	base := nomad.Options{Addresses: []string{s.URL()}}
	withFile := base
	withFile.TokenFile = write(t, "token", "  token-mgmt\n")
	for name, r := range map[string]struct {
		options nomad.Options
		vars    map[string]string
		want    int
	}{
		"NOMAD_ADDR":                    {nomad.Options{}, map[string]string{"NOMAD_ADDR": s.URL(), "NOMAD_TOKEN": "policy-read"}, 3},
		"--address before NOMAD_ADDR":   {base, map[string]string{"NOMAD_ADDR": "http://127.0.0.1:1", "NOMAD_TOKEN": "team-a-only"}, 1},
		"no token":                      {base, nil, 0},
		"--token-file before the token": {withFile, map[string]string{"NOMAD_TOKEN": "team-a-only"}, 3},
		"the region of the environment": {base, map[string]string{"NOMAD_REGION": "nope", "NOMAD_TOKEN": "token-mgmt"}, -1},
		"a region before it":            {nomad.Options{Addresses: []string{s.URL() + "/"}, Region: "global"}, map[string]string{"NOMAD_REGION": "nope", "NOMAD_TOKEN": "token-mgmt"}, 3},
	} {
		found, err := namespaces(r.options, r.vars)
		if err != nil && r.want != -1 || err == nil && len(found) != r.want {
			t.Errorf("%s: %q, %v", name, found, err)
		}
	}
}

func TestTokenFile(t *testing.T) {
	for text, want := range map[string]string{"": "is empty", "two words": "is not one word", "s3cr7": "is shorter than 6 characters", strings.Repeat("x", 5000): "is larger than 4 KiB", "hunter2\x01": "is not one word"} {
		_, err := nomad.Connect(nomad.Options{TokenFile: write(t, "token", text)}, nomad.Surroundings{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := nomad.Connect(nomad.Options{TokenFile: "/nonexistent/token"}, nomad.Surroundings{}); err == nil {
		t.Error("there is no such file")
	}
}

// The credentials of a proxy before Nomad.
func TestHTTPAuth(t *testing.T) {
	s := nomadtest.New()
	t.Cleanup(s.Close)
	var user, password string
	s.Handle("/v1/namespaces", func(w http.ResponseWriter, r *http.Request) {
		user, password, _ = r.BasicAuth()
		w.Header().Set("X-Nomad-Index", "1")
		_, _ = w.Write([]byte("[]"))
	})
	if _, err := namespaces(nomad.Options{Addresses: []string{s.URL()}}, map[string]string{"NOMAD_HTTP_AUTH": "icinga:a:password"}); err != nil || user != "icinga" || password != "a:password" {
		t.Errorf("%s, %s, %v", user, password, err)
	}
}

func TestTLS(t *testing.T) {
	s := nomadtest.NewTLS()
	t.Cleanup(s.Close)
	pemCA := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.HTTP().Certificate().Raw}))
	ca := write(t, "ca.pem", pemCA)
	at := []string{s.URL()}
	plain := []string{strings.Replace(s.URL(), "https", "http", 1)}
	toPlain := nomadtest.New()
	t.Cleanup(toPlain.Close)
	for name, r := range map[string]struct {
		options nomad.Options
		vars    map[string]string
		want    string // of the error; "" is none
	}{
		"--ca-file":                   {nomad.Options{Addresses: at, CAFile: ca}, nil, ""},
		"NOMAD_CACERT":                {nomad.Options{Addresses: at}, map[string]string{"NOMAD_CACERT": ca}, ""},
		"NOMAD_CAPATH":                {nomad.Options{Addresses: at}, map[string]string{"NOMAD_CAPATH": filepath.Dir(ca)}, ""},
		"an empty NOMAD_CAPATH":       {nomad.Options{Addresses: at}, map[string]string{"NOMAD_CAPATH": t.TempDir()}, "there are no *.pem files"},
		"NOMAD_SKIP_VERIFY":           {nomad.Options{Addresses: at}, map[string]string{"NOMAD_SKIP_VERIFY": "true"}, ""},
		"NOMAD_SKIP_VERIFY nonsense":  {nomad.Options{Addresses: at}, map[string]string{"NOMAD_SKIP_VERIFY": "maybe"}, "neither true nor false"},
		"an unknown authority":        {nomad.Options{Addresses: at}, nil, "is from an unknown authority"},
		"a name that it is not for":   {nomad.Options{Addresses: at, CAFile: ca, TLSServerName: "server.global.nomad"}, nil, "is not for that name"},
		"a name that it is for":       {nomad.Options{Addresses: at, CAFile: ca}, map[string]string{"NOMAD_TLS_SERVER_NAME": "example.com"}, ""},
		"http to a TLS port":          {nomad.Options{Addresses: plain}, nil, "speaks TLS"},
		"https to a plain port":       {nomad.Options{Addresses: []string{strings.Replace(toPlain.URL(), "http", "https", 1)}}, nil, "does not speak TLS"},
		"no certificate in --ca-file": {nomad.Options{Addresses: at, CAFile: write(t, "ca.pem", "x")}, nil, "there is no certificate in"},
		"a certificate without key":   {nomad.Options{Addresses: at, ClientCert: ca}, nil, "a client certificate needs its key"},
		"a key that is none":          {nomad.Options{Addresses: at, ClientCert: ca, ClientKey: ca}, nil, "are not a certificate and its key"},
	} {
		_, err := namespaces(r.options, r.vars)
		if (err == nil) != (r.want == "") || err != nil && !strings.Contains(err.Error(), r.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnixSocket(t *testing.T) {
	s := nomadtest.NewUnstarted()
	socket := filepath.Join(t.TempDir(), "api.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	s.HTTP().Listener.Close()
	s.HTTP().Listener = listener
	s.HTTP().Start()
	t.Cleanup(s.Close)
	if found, err := namespaces(nomad.Options{}, map[string]string{"NOMAD_ADDR": "unix://" + socket, "HTTP_PROXY": "http://127.0.0.1:1"}); err != nil || len(found) != 1 {
		t.Errorf("%q, %v", found, err)
	}
	if _, err := namespaces(nomad.Options{Addresses: []string{"unix://" + socket + ".not"}}, nil); err == nil || !strings.Contains(err.Error(), "connection refused by unix://") {
		t.Error(err)
	}
}
