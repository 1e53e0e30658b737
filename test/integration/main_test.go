//go:build integration

// Package integration runs the finished plugins against a real Kubernetes API server.
package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"overdue/test/realkube"
)

// One server serves all tests, which load the scenario they need; so none of them is parallel to another.
var (
	server    *realkube.Server
	noServer  error
	binaryDir string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if binaryDir, err = os.MkdirTemp("", "overdue-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(binaryDir)
	began := time.Now()
	if server, noServer = realkube.Launch(); noServer != nil && os.Getenv(realkube.BinariesVariable) != "" {
		fmt.Fprintln(os.Stderr, noServer)
		return 1
	} else if noServer == nil {
		fmt.Printf("a Kubernetes API server was ready after %v\n", time.Since(began).Round(time.Millisecond))
		defer server.Close()
	}
	return m.Run()
}

// kubernetes is the shared server with the scenario loaded.
func kubernetes(t *testing.T, scenario string) *realkube.Server {
	t.Helper()
	if noServer != nil {
		t.Skipf("%v: run `make integration`", noServer)
	}
	server.LoadScenario(t, scenario)
	return server
}

var builds sync.Map // name of a plugin → func() (path, error) that builds it once

// built is a plugin's binary.
func built(t *testing.T, name string) string {
	t.Helper()
	once, _ := builds.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		path := filepath.Join(binaryDir, name)
		output, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, "overdue/cmd/"+name).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("building %s: %w\n%s", name, err, output)
		}
		return path, err
	}))
	path, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runPlugin runs a plugin as the monitoring would: the real binary, without the environment of whoever runs the tests.
// Whatever it writes to stderr fails the test, as Icinga would show that first.
func runPlugin(t *testing.T, name string, args ...string) (stdout string, code int, elapsed time.Duration) {
	t.Helper()
	path := built(t, name)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, path, args...)
	command.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	command.Dir = t.TempDir()
	var out, errOut bytes.Buffer
	command.Stdout, command.Stderr = &out, &errOut
	began := time.Now()
	err := command.Run()
	elapsed = time.Since(began)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("%s %q: %v after %v, stdout %q, stderr %q", name, args, err, elapsed, &out, &errOut)
	}
	if errOut.Len() > 0 {
		t.Errorf("%s %q wrote to stderr: %s", name, args, &errOut)
	}
	return out.String(), command.ProcessState.ExitCode(), elapsed
}
