//go:build performance

package performance

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// starter is a command of which the start is measured, beside the first of its table.
type starter struct {
	name    string
	command []string
	want    string // in its output
}

// start measures what a run does until its first byte could leave, against a port where nobody listens, and what the version takes.
func start(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	closed := standIn(t, server)
	server.Close()
	plan := written(t, "plan", []byte("*/*\t/\n"))
	common := []string{"--ca-file", closed.authority, "--token-file", closed.token}
	kube := append([]string{"--server", closed.url}, common...)
	address := append([]string{"--address", closed.url}, common...)
	const refused = "refused"
	inTurn(t, "closed port", []starter{
		{"the floor: net/http, CA and token from files", []string{floorProgram, closed.url, closed.authority, closed.token, plan}, refused},
		{"check_mcp", append([]string{plugin("check_mcp")}, kube...), refused},
		{"check_mcp --kubeconfig", []string{plugin("check_mcp"), "--kubeconfig", closed.kubeconfig(t)}, refused},
		{"check_gpu_node", append([]string{plugin("check_gpu_node")}, kube...), refused},
		{"check_nomad_evals", append([]string{plugin("check_nomad_evals")}, address...), refused},
		{"check_prewarm_pool", append([]string{plugin("check_prewarm_pool")}, address...), refused},
		{"resync_prewarm_pool", append([]string{plugin("resync_prewarm_pool"), "--environment", "10", "--dry-run", "--without-nomad",
			"--state-dir", t.TempDir(), "--no-journal"}, address...), refused},
	})
	nothing := written(t, "main.go", []byte("package main\n\nimport _ \"net/http\"\n\nfunc main() {}\n"))
	versions := []starter{{"the floor: imports net/http, does nothing", []string{built(t, nothing)}, ""}}
	plugins, err := filepath.Glob("../../bin/*_*")
	if err != nil || len(plugins) == 0 {
		t.Fatalf("no plugin to measure: %v", err)
	}
	for _, file := range plugins {
		name := filepath.Base(file)
		versions = append(versions, starter{name + " -V", []string{plugin(name), "-V"}, name})
	}
	inTurn(t, "version", versions)
}

// inTurn starts all in turn.
func inTurn(t *testing.T, name string, all []starter) {
	t.Helper()
	costs := make([][]cost, len(all))
	for range *starts {
		for i, s := range all {
			got := measured(t, s.command...)
			if !strings.Contains(got.Output, s.want) {
				t.Fatalf("%q: no %q in %s", s.command, s.want, got.Output)
			}
			costs[i] = append(costs[i], got)
		}
	}
	report.addStart(name, all, costs)
}
