package main

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overdue/internal/poseidon/poseidontest"
)

// call starts a real process of the handler, on a state directory.
func call(t *testing.T, server *poseidontest.Server, dir string, args ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	args = append([]string{"--environment", "29", "--without-nomad", "--no-journal", "--recheck", "0", "--state-dir", dir}, args...)
	command := exec.Command("resync_prewarm_pool", args...)
	command.Env = append(os.Environ(), "POSEIDON_ADDR="+server.URL())
	out := new(strings.Builder)
	command.Stdout, command.Stderr = out, out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, out
}

func wait(t *testing.T, command *exec.Cmd) int {
	t.Helper()
	err := command.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return command.ProcessState.ExitCode()
}

// helped: it is done once the pool is half full, at the next look that may be.
var helped = regexp.MustCompile(`^\[DONE\] - resync 29 at .*: idle 0/4 → [2-4]/4 in `)

// TestTwentyProcesses holds that of 20 handlers at once on one environment one sends a PUT, and the others refuse.
func TestTwentyProcesses(t *testing.T) {
	server := poseidontest.New()
	defer server.Close()
	server.Set(29, 4, 0, 2)
	go hurry(t.Context(), server)
	dir := t.TempDir()
	codes := make([]int, 20)
	outs := make([]*strings.Builder, 20)
	var all sync.WaitGroup
	for i := range codes {
		command, out := call(t, server, dir)
		outs[i] = out
		all.Go(func() { codes[i] = wait(t, command) })
	}
	all.Wait()
	done := 0
	for i, code := range codes {
		switch text := outs[i].String(); {
		case code == 0 && helped.MatchString(text):
			done++
		case code == 1 && strings.Contains(text, "another run holds the lock"), code == 1 && strings.Contains(text, "--cooldown is 30m"):
		default:
			t.Errorf("exit code %d: %s", code, text)
		}
	}
	if done != 1 || server.Puts(29) != 1 || server.Killed(29) != 2 {
		t.Errorf("%d say they acted, Poseidon saw %d PUTs and ended %d runners; want 1, 1, 2", done, server.Puts(29), server.Killed(29))
	}
}

// TestKilled holds that a handler that is killed with SIGKILL at any point after it began leaves neither a lock nor a second
// resync, and that the next one may act when the cooldown is over.
func TestKilled(t *testing.T) {
	for name, hangPut := range map[string]bool{"between PUT and the end of polling": false, "before the PUT is answered": true} {
		t.Run(name, func(t *testing.T) {
			server := poseidontest.New()
			defer server.Close()
			server.Set(29, 4, 0, 0)
			reached := make(chan struct{}, 100)
			if hangPut {
				hang(server, reached)
			}
			dir := t.TempDir()
			command, out := call(t, server, dir)
			if hangPut {
				<-reached
			} else {
				untilPolling(t, server, out)
			}
			if err := command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if code := wait(t, command); code != -1 {
				t.Fatalf("it had ended by itself with %d: %s", code, out)
			}
			server.Handle("/api/v1/execution-environments/29", nil)

			puts := server.Puts(29)
			command, out = call(t, server, dir)
			if code := wait(t, command); code != 1 || !strings.Contains(out.String(), "began a resync at") || server.Puts(29) != puts {
				t.Errorf("soon after: exit code %d, %d PUTs: %s", code, server.Puts(29)-puts, out)
			}
			server.Set(29, 4, 0, 0) // empty again: the first resync, which went on without the handler, must not fill it meanwhile
			go hurry(t.Context(), server)
			command, out = call(t, server, dir, "--cooldown", "0")
			if code := wait(t, command); code != 0 || server.Puts(29) != 1 {
				t.Errorf("after the cooldown: exit code %d, %d PUTs: %s", code, server.Puts(29), out)
			}
			left, err := filepath.Glob(filepath.Join(dir, ".*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestTerminated holds that a handler which is ended after it began, as Icinga ends one at the command's timeout, says so first, by its
// exit code too.
func TestTerminated(t *testing.T) {
	for name, hangPut := range map[string]bool{"while it looks at the pool": false, "before the PUT is answered": true} {
		t.Run(name, func(t *testing.T) {
			server := poseidontest.New()
			defer server.Close()
			server.Set(29, 4, 0, 3)
			reached := make(chan struct{}, 100)
			if hangPut {
				hang(server, reached)
			}
			command, out := call(t, server, t.TempDir())
			if hangPut {
				<-reached
			} else {
				untilPolling(t, server, out)
			}
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			code := wait(t, command)
			first, rest, _ := strings.Cut(out.String(), "\n")
			if code != 2 || !strings.HasPrefix(first, "[DID NOT HELP] - resync 29 at ") || !strings.Contains(first, "interrupted after the resync began") ||
				!strings.Contains(first, "3 used runners ended") || !strings.Contains(rest, "stopped by SIGTERM") {
				t.Errorf("exit code %d: %s", code, out)
			}
		})
	}
}

// hang has the PUT of environment 29 wait until its caller is gone.
func hang(server *poseidontest.Server, reached chan<- struct{}) {
	server.Handle("/api/v1/execution-environments/29", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			_, _ = io.Copy(io.Discard, r.Body) // only then does the server see that the caller is gone
			reached <- struct{}{}
			<-r.Context().Done()
			return
		}
		body := strings.Replace(poseidontest.Body("execution-environments-id-200.json"), `"id": 10`, `"id": 29`, 1)
		_, _ = io.WriteString(w, body)
	})
}

// untilPolling waits until the handler looks at what came of the PUT. The pool stays empty, as the stand-in's clock stands.
func untilPolling(t *testing.T, server *poseidontest.Server, out *strings.Builder) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); requestsAfterPut(server) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no PUT: %s", out)
		}
	}
}

func requestsAfterPut(server *poseidontest.Server) int {
	requests := server.Requests()
	for i, r := range requests {
		if strings.HasPrefix(r, "PUT ") {
			return len(requests) - i - 1
		}
	}
	return 0
}
