//go:build integration

// Package faults runs every plugin, as a process, against servers that do everything wrong, and against surroundings that do.
// Whatever happens, the plugin ends in time with a code that Icinga knows, and its first line says what is the matter.
package faults

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"overdue/test/replayed"
)

// secret is the token of every plugin. It must appear nowhere.
const secret = "s3cr3t-t0ken-f7a1"

const maxMemory = 256 << 10 // KiB: an answer may have 64 MiB, and is decoded

// plugin is one binary, and how it is pointed at a server.
type plugin struct {
	name      string
	recording string // of what its server answers
	args      func(url, tokenFile, caFile string) []string
}

var plugins = []plugin{
	{"check_mcp", "mcp-blocked.yaml", kubernetes},
	{"check_gpu_node", "gpu-incident.yaml", kubernetes},
	{"check_nomad_evals", "nomad-kinds.yaml", nomad},
	{"check_prewarm_pool", "prewarm-missing.yaml", nomad},
	{"resync_prewarm_pool", "prewarm-missing.yaml", handler},
}

func kubernetes(url, tokenFile, caFile string) []string {
	return []string{"--server", url, "--token-file", tokenFile, "--ca-file", caFile}
}

func nomad(url, tokenFile, caFile string) []string {
	return []string{"--address", url, "--token-file", tokenFile, "--ca-file", caFile}
}

func handler(url, tokenFile, caFile string) []string {
	return append(nomad(url, tokenFile, caFile), "--environment", "29", "--without-nomad", "--dry-run", "--recheck", "0", "--state-dir", os.TempDir())
}

func (p plugin) answers(t *testing.T) []*replayed.Answer {
	return replayed.Answers(t, filepath.Join("../../demo/recordings", p.recording))
}

var (
	binaries string
	cases    atomic.Int64
	peak     atomic.Int64 // KiB
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if binaries, err = os.MkdirTemp("", "overdue-faults-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(binaries)
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binaries, "overdue/cmd/...").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	code := m.Run()
	fmt.Printf("%d cases ran, the largest process had %d MiB\n", cases.Load(), peak.Load()>>10)
	return code
}

// everyPlugin runs a test for each plugin.
func everyPlugin(t *testing.T, test func(*testing.T, plugin)) {
	for _, p := range plugins {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// result is how a run ended.
type result struct {
	out  string
	code int
	took time.Duration
}

// start runs a plugin with a deadline, and holds it to what is promised whatever the server does.
func (p plugin) start(t *testing.T, deadline time.Duration, args ...string) result {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(binaries, p.name), append(args, "-t", deadline.String())...)
	command.Env = []string{"PATH=/usr/bin:/bin"}
	command.Dir = t.TempDir()
	var out, errOut bytes.Buffer
	command.Stdout, command.Stderr = &out, &errOut
	began := time.Now()
	_ = command.Run() // how it ended is judged below
	r := result{out.String(), command.ProcessState.ExitCode(), time.Since(began)}
	p.judge(t, r, deadline, errOut.String(), command.ProcessState)
	return r
}

var firstLine = regexp.MustCompile(`^\[(OK|WARNING|CRITICAL|UNKNOWN|DONE|REFUSED|DID NOT HELP|NO ANSWER)\] - .{10}`)

func (p plugin) judge(t *testing.T, r result, deadline time.Duration, errOut string, state *os.ProcessState) {
	t.Helper()
	cases.Add(1)
	memory := state.SysUsage().(*syscall.Rusage).Maxrss
	for old := peak.Load(); memory > old && !peak.CompareAndSwap(old, memory); old = peak.Load() {
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s\nexit %d after %v: %.2000q", fmt.Sprintf(format, args...), r.code, r.took, r.out)
	}
	if r.code < 0 || r.code > 3 {
		fail("the exit code is none of Icinga's: %v", state)
	}
	if r.took > deadline+time.Second {
		fail("it ran longer than its deadline of %v", deadline)
	}
	if errOut != "" {
		fail("stderr: %.500q", errOut)
	}
	if memory > maxMemory {
		fail("it took %d MiB", memory>>10)
	}
	if !firstLine.MatchString(r.out) {
		fail("the first line is no verdict")
	}
	for _, bad := range []string{secret, "goroutine ", p.name + " crashed", "panic", "0x", "%!"} {
		if strings.Contains(r.out, bad) {
			fail("the output holds %q", bad)
		}
	}
	if !utf8.ValidString(r.out) || strings.ContainsFunc(r.out, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }) {
		fail("the output holds characters that are not printable")
	}
	text, _, _ := strings.Cut(r.out, "\n|")
	if strings.ContainsAny(text, "|<>") {
		fail("the text holds | < or >")
	}
}
