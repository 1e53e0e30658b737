package kube

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overdue/internal/kube/kubetest"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestOptionsThatContradict(t *testing.T) {
	for _, test := range []struct {
		o          Options
		text, hint string
	}{
		{Options{Server: "a", Kubeconfig: "b", TokenFile: "c"}, "--server goes without --kubeconfig and --context", "give either --server with --token-file, or a kubeconfig"},
		{Options{Server: "a"}, "--server needs --token-file", "write a service account's token to a file and name it with --token-file"},
		{Options{TokenFile: "a"}, "--token-file goes only with --server", "add --server URL, or set tokenFile in the kubeconfig"},
		{Options{CAFile: "a"}, "--ca-file goes only with --server", "add --server URL, or set certificate-authority in the kubeconfig"},
		{Options{Server: "a", TokenFile: "b", CAFile: "c", InsecureSkipTLSVerify: true}, "--ca-file and --insecure-skip-tls-verify contradict each other", "leave out --insecure-skip-tls-verify"},
		{Options{}, "no cluster given: there is no --server, no --kubeconfig, no $KUBECONFIG, no ~/.kube/config (HOME is not set), and this is not a pod (no $KUBERNETES_SERVICE_HOST)",
			"give --kubeconfig FILE, or --server URL with --token-file FILE"},
	} {
		_, err := Connect(test.o, Surroundings{})
		wantError(t, nil, err, test.text, test.hint)
	}
}

func TestServerAddresses(t *testing.T) {
	token := writeFile(t, "token", "secret-token")
	for address, want := range map[string]string{
		"api.example:6443":                     "https://api.example:6443",
		"https://rancher.example/k8s/c-1/?x#y": "https://rancher.example/k8s/c-1",
		"http://127.0.0.1:8001":                "http://127.0.0.1:8001",
		"http://api.example":                   "credentials are not sent to api.example over plain http",
		"ftp://api.example":                    "the address of the API server is not a URL",
		"https://":                             "the address of the API server is not a URL",
		"https://a:secret@b":                   "the address of the API server holds a password",
	} {
		client, err := Connect(Options{Server: address, TokenFile: token}, Surroundings{})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = client.Server()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func TestTokenFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "the token file FILE is empty",
		" \n":                       "the token file FILE is empty",
		"two words":                 "the token file FILE holds more than one word",
		strings.Repeat("x", 70<<10): "the token file FILE is larger than 64 KiB",
	} {
		file := writeFile(t, "token", text)
		_, err := Connect(Options{Server: "https://a", TokenFile: file}, Surroundings{})
		if want := strings.Replace(want, "FILE", file, 1); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	_, err := Connect(Options{Server: "https://a", TokenFile: "/does/not/exist"}, Surroundings{})
	wantError(t, nil, err, "cannot read the token: open /does/not/exist: no such file or directory",
		"make /does/not/exist readable for the user that runs the check (often nagios or icinga)")
}

// TestWaysToConnect lists nodes in each way that there is to find a cluster.
func TestWaysToConnect(t *testing.T) {
	server := start(t, newNode("a"))
	dir := t.TempDir()
	config := server.Kubeconfig(dir)
	home := t.TempDir()
	os.Mkdir(filepath.Join(home, ".kube"), 0o700)
	os.Rename(server.Kubeconfig(home), filepath.Join(home, ".kube", "config"))
	server.TokenFile(dir)
	host, port, _ := net.SplitHostPort(strings.TrimPrefix(server.URL(), "https://"))
	for name, test := range map[string]struct {
		o   Options
		env func(string) string
	}{
		"server":        {Options{Server: server.URL(), TokenFile: server.TokenFile(dir), CAFile: server.CAFile(dir)}, nil},
		"kubeconfig":    {Options{Kubeconfig: config, Context: "kubetest"}, env("KUBECONFIG", "/does/not/exist")},
		"KUBECONFIG":    {Options{}, env("KUBECONFIG", "/does/not/exist:"+config, "HOME", "/does/not/exist")},
		"home":          {Options{}, env("HOME", home)},
		"pod":           {Options{}, env("HOME", "/does/not/exist", "KUBERNETES_SERVICE_HOST", host, "KUBERNETES_SERVICE_PORT", port)},
		"unverified":    {Options{Kubeconfig: config, InsecureSkipTLSVerify: true}, nil},
		"proxy ignored": {Options{Kubeconfig: config}, env("HTTPS_PROXY", "http://127.0.0.1:1")},
	} {
		t.Run(name, func(t *testing.T) {
			client, err := connect(test.o, Surroundings{Getenv: test.env, UserAgent: "overdue/1 check_test"}, dir)
			if err != nil {
				t.Fatal(err)
			}
			names, err := List(soon(t), client, nodes, Query{}, nodeName)
			if err != nil || !slices.Equal(names, []string{"a id-a"}) {
				t.Errorf("got %v, %v", names, err)
			}
		})
	}
}

func TestProxyFromEnvironment(t *testing.T) {
	token := writeFile(t, "token", "x")
	client, err := Connect(Options{Server: "https://192.0.2.1:6443", TokenFile: token}, Surroundings{Getenv: env("https_proxy", "http://127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = List(soon(t), client, nodes, Query{}, nodeName)
	wantError(t, nil, err, "cannot list nodes: the proxy does not answer: proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused",
		"check HTTPS_PROXY, or set NO_PROXY for 192.0.2.1")
}

// TestHookSeesNoCredentials: the recorder stands before the credentials are added.
func TestHookSeesNoCredentials(t *testing.T) {
	server := start(t, newNode("a"))
	var seen http.Header
	client, _ := connected(t, server, Surroundings{Transport: func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			seen = r.Header.Clone()
			return next.RoundTrip(r)
		})
	}})
	if _, err := List(soon(t), client, nodes, Query{}, nodeName); err != nil {
		t.Fatal(err)
	}
	for _, values := range seen {
		if strings.Contains(strings.Join(values, " "), kubetest.Token) {
			t.Errorf("the hook saw %v", seen)
		}
	}
}
