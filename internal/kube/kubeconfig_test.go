package kube

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// kubeconfig writes a kubeconfig with the given user; SERVER is none that answers.
func kubeconfig(t *testing.T, user string) string {
	return writeFile(t, "config", `
apiVersion: v1
kind: Config
current-context: prod
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: `+user+`}]
contexts:
- {name: prod, context: {cluster: c, user: u}}
- {name: lost, context: {cluster: gone, user: u}}
`)
}

func TestKubeconfigFaults(t *testing.T) {
	good := kubeconfig(t, "{token: secret-token}")
	provider := kubeconfig(t, "{auth-provider: {name: gcp}}")
	broken := writeFile(t, "broken", "a: [secret-token")
	empty := writeFile(t, "empty", "")
	typed := writeFile(t, "typed", "apiVersion: v1\nkind: Config\nclusters: secret-token\n")
	current := writeFile(t, "current", strings.Replace(mustRead(t, good), "current-context: prod", "", 1))
	emptyToken := writeFile(t, "token", "")
	tokenFile := kubeconfig(t, fmt.Sprintf("{tokenFile: %q}", emptyToken))
	noCert := kubeconfig(t, "{client-certificate: /does/not/exist, client-key: /does/not/exist}")
	dir := t.TempDir()
	for _, test := range []struct {
		o          Options
		list       string
		text, hint string
	}{
		{Options{Kubeconfig: "/does/not/exist"}, "", "cannot read the kubeconfig: open /does/not/exist: no such file or directory", "correct the path, or copy the kubeconfig there"},
		{Options{Kubeconfig: dir}, "", "the kubeconfig " + dir + " is a directory", "name the file"},
		{Options{}, "/does/not/exist:/nor/this", "$KUBECONFIG names no file that exists: /does/not/exist:/nor/this", "correct it, or give --kubeconfig FILE"},
		{Options{Kubeconfig: empty}, "", "kubeconfig " + empty + " has no current context", "it holds no context at all: is it the right file?"},
		{Options{Kubeconfig: current}, "", "kubeconfig " + current + " has no current context", "give --context with one of: lost, prod"},
		{Options{Kubeconfig: good, Context: "test"}, "", "kubeconfig " + good + " has no context test", "give --context with one of: lost, prod"},
		{Options{Kubeconfig: good, Context: "lost"}, "", "kubeconfig " + good + ", context lost: it names the cluster gone, which is not there", "correct it; kubectl config view shows it"},
		{Options{Kubeconfig: provider}, "", "kubeconfig " + provider + ", context prod: the auth-provider gcp is no longer supported by Kubernetes", "use a service account's token (tokenFile) or an exec plugin"},
		{Options{Kubeconfig: tokenFile}, "", "the token file " + emptyToken + " is empty", "write the token to it (oc create token, kubectl create token)"},
		{Options{Kubeconfig: broken}, "", "the kubeconfig " + broken + ` is broken: error loading config file "` + broken + `": yaml: line 1: did not find expected ',' or ']'`, "correct it; kubectl config view shows it"},
		{Options{Kubeconfig: typed}, "", "the kubeconfig " + typed + ` is broken: error loading config file "` + typed + `": json: cannot unmarshal string into Go struct field Config.clusters of type []v1.NamedCluster`, "correct it; kubectl config view shows it"},
		{Options{Kubeconfig: noCert}, "", "kubeconfig " + noCert + ", context prod: invalid configuration: [unable to read client-cert /does/not/exist for u due to open /does/not/exist: no such file or directory, unable to read client-key /does/not/exist for u due to open /does/not/exist: no such file or directory]", "correct it; kubectl config view shows it"},
	} {
		_, err := Connect(test.o, Surroundings{Getenv: env("KUBECONFIG", test.list)})
		wantError(t, nil, err, test.text, test.hint)
	}
}

func mustRead(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// plugin is a kubeconfig user whose credentials come from a shell script.
func plugin(script, mode string) string {
	return fmt.Sprintf(`{exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/sh, args: [-c, %q], interactiveMode: %s}}`, script, mode)
}

func TestCredentialPlugins(t *testing.T) {
	const hint = "run it by hand as the user of the check; one that asks questions cannot work here: use a service account with --server and --token-file"
	stderr := captureStderr(t)
	for _, test := range []struct{ script, mode, text string }{
		{"echo secret-token >&2; exit 3", "Never", "exec: executable /bin/sh failed with exit code 3"},
		{"read x; echo never >&2", "IfAvailable", "exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned version "},
		{"true", "Always", "exec plugin cannot support interactive mode: standard input is "},
	} {
		client, err := Connect(Options{Kubeconfig: kubeconfig(t, plugin(test.script, test.mode))}, Surroundings{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = List(soon(t), client, nodes, Query{}, nodeName)
		const start = "cannot list nodes: the credential plugin /bin/sh gave no credentials: "
		if err == nil || !strings.HasPrefix(err.Error(), start+test.text) || asError(err).Hint() != hint {
			t.Errorf("got %v (%s)", err, asError(err).Hint())
		}
	}
	if got := stderr(); got != "" {
		t.Errorf("written to stderr: %q", got)
	}
}

func TestPluginThatHangs(t *testing.T) {
	client, err := Connect(Options{Kubeconfig: kubeconfig(t, plugin("exec sleep 5", "Never"))}, Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err = List(ctx, client, nodes, Query{}, nodeName)
	wantError(t, nil, err, "cannot list nodes: no answer from https://127.0.0.1:1 in time: still waiting for the credential plugin /bin/sh",
		"check the network, a firewall or the load of the API server")
}

// captureStderr returns what was written to stderr since.
func captureStderr(t *testing.T) func() string {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stderr
	os.Stderr = w
	t.Cleanup(func() { os.Stderr = old })
	return func() string {
		w.Close()
		text, _ := io.ReadAll(r)
		return string(text)
	}
}
