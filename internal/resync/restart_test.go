package resync

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunCommand(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	out := filepath.Join(dir, "out")
	if err := runCommand(t.Context(), []string{script("good", `printf '%s\n' "$@" >`+out), "restart", "$HOME;*"}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); err != nil || string(got) != "restart\n$HOME;*\n" {
		t.Errorf("a shell had its way with the words: %q, %v", got, err)
	}
	long := script("bad", "i=0; while [ $i -lt 1000 ]; do echo 'line | '$i; i=$((i+1)); done; echo 'sudo: a password is required' >&2; exit 1")
	err := runCommand(t.Context(), []string{long})
	if err == nil || !strings.Contains(err.Error(), "exit status 1: ") || !strings.HasSuffix(err.Error(), "sudo: a password is required") || len(err.Error()) > 500 || strings.Contains(err.Error(), "|") {
		t.Errorf("%v", err)
	}
	if err := runCommand(t.Context(), []string{filepath.Join(dir, "none")}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
}

// TestRunCommandEnvironment holds that a command gets none of the tokens.
func TestRunCommandEnvironment(t *testing.T) {
	for _, name := range []string{"POSEIDON_TOKEN", "NOMAD_TOKEN", "ICINGA_AUTH", "ANYTHING"} {
		t.Setenv(name, "s3cret")
	}
	t.Setenv("PATH", "/usr/bin:/bin")
	t.Setenv("HOME", "/nonexistent")
	t.Setenv("LANG", "C")
	err := runCommand(t.Context(), []string{"/bin/sh", "-c", "/usr/bin/env | sort; exit 1"})
	if err == nil || !strings.Contains(err.Error(), "HOME=/nonexistent LANG=C") || !strings.Contains(err.Error(), "PATH=/usr/bin:/bin") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
}

// TestRunCommandLeavesADaemon holds that a script may leave its daemon in the background: that is no failure, nobody waits for
// it, and its output does not kill it.
func TestRunCommandLeavesADaemon(t *testing.T) {
	dir := t.TempDir()
	began := time.Now()
	err := runCommand(t.Context(), []string{"/bin/sh", "-c", "(echo begins; until test -e " + dir + "/go; do sleep 0.01; done; echo goes on && : >" + dir + "/alive; exec sleep 60) & echo $!; echo $! >" + dir + "/pid"})
	if err != nil || time.Since(began) > 30*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
	data, err := os.ReadFile(dir + "/pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(dir + "/alive"); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the daemon died")
		}
	}
}

// TestRunCommandInTime holds that a command that hangs is ended with its children, which hold its output open.
func TestRunCommandInTime(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- runCommand(ctx, []string{"/bin/sh", "-c", "sleep 600 & echo $! >" + pid + ".new; mv " + pid + ".new " + pid + "; wait"})
	}()
	var child string
	for deadline := time.Now().Add(20 * time.Second); child == ""; time.Sleep(time.Millisecond) {
		data, _ := os.ReadFile(pid)
		if child = strings.TrimSpace(string(data)); time.Now().After(deadline) {
			t.Fatal("it did not start")
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		state, err := os.ReadFile("/proc/" + child + "/stat")
		if err != nil || strings.Contains(string(state), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the child %s lives on", child)
		}
	}
}
