package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"
)

// TestMain lets the test binary be the plugin check_test, where a real process is needed.
func TestMain(m *testing.M) {
	warm := make(chan os.Signal, 1)
	signal.Notify(warm, syscall.SIGHUP) // starts the signal package's own goroutine outside of any synctest bubble
	signal.Stop(warm)
	testscript.Main(m, map[string]func(){
		"check_test": func() { os.Exit(Main(context.Background(), process(), os.Args[1:], os.Environ(), os.Stdout)) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true})
}

var errFlag = errors.New("not today")

// moody is a flag value that panics on demand.
type moody struct{}

func (moody) String() string { return "" }
func (moody) Type() string   { return "MOOD" }
func (moody) Set(s string) error {
	if s == "bad" {
		panic("in a mood")
	}
	return errFlag
}

// process is the program of the test binary.
func process() Program {
	return Program{
		Name:        "check_test",
		Summary:     "Watches nothing, for the tests of the frame",
		Description: "It does what its flags say, so that every ending of a run can be seen from outside.\n\nA second paragraph of the description, which is long enough that it has to be wrapped somewhere before the end.",
		Examples: []Example{
			{About: "End well", Command: "check_test --summary 'all is well'"},
			{About: "Ask a server", Command: "check_test --get http://127.0.0.1/jobs \\\n  --record case.yaml"},
		},
		Define: func(f *Flags) Check {
			endings := f.Group("Endings")
			summary := endings.String("summary", "", "end well with this `TEXT`")
			crash := endings.Bool("crash", false, "panic")
			leave := endings.Bool("goexit", false, "end the goroutine")
			kill := endings.Int("kill", 0, "send signal `NUMBER` to this process and wait for the end")
			hang := endings.Bool("hang", false, "wait for the end, deaf")
			fail := endings.String("fail", "", "fail with this `TEXT`")
			log_ := endings.Bool("log", false, "write to Go's standard log")
			asking := f.Group("Asking")
			get := asking.StringSlice("get", nil, "ask these `URLS`, one after the other")
			warn := NewTimeRange("30m")
			asking.VarP(&warn, "warning", "w", "alarm when something is older")
			crit := NewRange("off")
			asking.VarP(&crit, "critical", "c", "alarm when there are more")
			asking.Var(moody{}, "mood", "a value that cannot be set")
			return func(ctx context.Context, r *Run) error {
				if *log_ {
					log.Print("noise")
				}
				switch {
				case *crash:
					panic("a nil map\nand a second line")
				case *leave:
					runtime.Goexit()
				case *kill != 0:
					r.Waiting("the signal %d", *kill)
					r.Add(Finding{State: Warning, Subject: "signal", Problem: "not yet here"})
					if err := syscall.Kill(os.Getpid(), syscall.Signal(*kill)); err != nil {
						return err
					}
					<-ctx.Done()
					return ctx.Err()
				case *hang:
					r.Waiting("nothing at all")
					select {}
				case *fail != "":
					return errors.New(*fail)
				}
				client := &http.Client{Transport: r.Transport(nil, nil)}
				for _, address := range *get {
					request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
					if err != nil {
						return err
					}
					response, err := client.Do(request)
					if err != nil {
						return err
					}
					var body bytes.Buffer
					_, err = body.ReadFrom(response.Body)
					response.Body.Close()
					if err != nil {
						return err
					}
					r.Add(Finding{State: OK, Subject: address, Problem: body.String()})
				}
				if *summary != "" {
					r.Summarize("%s", *summary)
				}
				return nil
			}
		},
	}
}

// try runs a check in this process.
func try(t *testing.T, check Check, args ...string) (code int, output string) {
	t.Helper()
	return tryWith(t, Program{}, check, args...)
}

func tryWith(t *testing.T, p Program, check Check, args ...string) (code int, output string) {
	t.Helper()
	p.Name = "check_it"
	p.Define = func(*Flags) Check { return check }
	var out bytes.Buffer
	code = Main(t.Context(), p, args, []string{"LAST=1", "EMPTY=", "LAST=2", "GONE=1", "GONE="}, &out)
	return code, out.String()
}

func expect(t *testing.T, code int, output string, wantCode int, want string) {
	t.Helper()
	if code != wantCode || output != want {
		t.Errorf("exit %d:\n%s\nwant %d:\n%s", code, output, wantCode, want)
	}
}

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

const atNoon = "--now=2026-12-01T12:00:00Z"

type hinted struct{ usage bool }

func (hinted) Error() string { return "forbidden:\n<nil> | x" }
func (hinted) Hint() string  { return "oc adm policy add-cluster-role-to-user overdue" }
func (h hinted) Usage() bool { return h.usage }

func TestErrors(t *testing.T) {
	known := Finding{State: Critical, Subject: "node a", Problem: "lost", Details: []string{"more"}}
	for _, test := range []struct {
		name  string
		p     Program
		err   error
		known bool
		args  []string
		code  int
		want  string
	}{
		{"plain", Program{}, errors.New("refused"), false, nil, 3, "[UNKNOWN] - refused\n"},
		{"no text", Program{}, errors.New(""), false, nil, 3, "[UNKNOWN] - failed without saying why\n"},
		{"program's state", Program{Unreachable: Critical}, errors.New("refused"), false, nil, 2, "[CRITICAL] - refused\n"},
		{"state given", Program{Unreachable: Critical}, errors.New("refused"), false, []string{"--unreachable", "WARNING"}, 1, "[WARNING] - refused\n"},
		{"hint", Program{}, fmt.Errorf("list: %w", hinted{}), false, nil, 3, "[UNKNOWN] - list: forbidden: ‹nil› ¦ x; do: oc adm policy add-cluster-role-to-user overdue\n"},
		{"usage", Program{Unreachable: Critical}, fmt.Errorf("x: %w", hinted{usage: true}), false, nil, 3,
			"[UNKNOWN] - check_it: x: forbidden: ‹nil› ¦ x; do: oc adm policy add-cluster-role-to-user overdue; see check_it --help\n"},
		{"known before", Program{Unreachable: Warning}, errors.New("refused"), true, nil, 1, "[WARNING] - refused\nknown until then:\n\\_ [CRITICAL] node a: lost\n    more\n|a=1;;;0\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, output := tryWith(t, test.p, func(_ context.Context, r *Run) error {
				if test.known {
					r.Add(known)
					r.Measure(Metric{Label: "a", Value: 1})
				}
				return test.err
			}, test.args...)
			expect(t, code, output, test.code, test.want)
		})
	}
}

func TestDeadline(t *testing.T) {
	for _, test := range []struct {
		name  string
		check Check
		args  []string
		code  int
		want  string
		took  time.Duration
	}{
		{"obedient", func(ctx context.Context, r *Run) error {
			r.Waiting("nodes from https://api:6443/?a|b")
			r.Add(Finding{State: Critical, Subject: "node a", Problem: "lost"})
			<-ctx.Done()
			return errors.New("less telling than the deadline")
		}, nil, 3, "[UNKNOWN] - no result after 30s: still waiting for nodes from https://api:6443/?a¦b\nknown until then:\n\\_ [CRITICAL] node a: lost\n", 30 * time.Second},
		{"state and time given", func(ctx context.Context, _ *Run) error { <-ctx.Done(); return nil },
			[]string{"-t", "1m30s", "--unreachable=critical"}, 2, "[CRITICAL] - no result after 1m30s\n", 90 * time.Second},
		{"crashes late", func(ctx context.Context, _ *Run) error { <-ctx.Done(); panic("late") },
			[]string{"-t", "0.5"}, 3, "[UNKNOWN] - no result after 0.5s\n", 500 * time.Millisecond},
		{"deaf", func(_ context.Context, r *Run) error {
			r.Waiting("x")
			time.Sleep(time.Hour)
			r.Add(Finding{State: Critical, Problem: "unheard"})
			return nil
		}, []string{"-t", "10"}, 3, "[UNKNOWN] - no result after 10s: still waiting for x\n", 10*time.Second + grace},
		{"in time", func(_ context.Context, r *Run) error { time.Sleep(29 * time.Second); r.Summarize("well"); return nil }, nil, 0, "[OK] - well\n", 29 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			// The bubble's clock makes this exact, and ends the test if a goroutine is left behind.
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				code, output := try(t, test.check, test.args...)
				expect(t, code, output, test.code, test.want)
				if took := time.Since(began); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				time.Sleep(2 * time.Hour) // by the bubble's clock: until the deaf one has ended too
			})
		})
	}
}

func TestCallerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var out bytes.Buffer
		code := Main(ctx, Program{Name: "check_it", Define: func(*Flags) Check {
			return func(ctx context.Context, r *Run) error { r.Waiting("x"); <-ctx.Done(); return nil }
		}}, nil, nil, &out)
		expect(t, code, out.String(), 3, "[UNKNOWN] - stopped by its caller after 5s while waiting for x\n")
	})
}

// A check that comes back after it was told to stop may have judged half of what it should have: its word does not count.
func TestLateResultIsNoResult(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 { // the runtime chooses at random which of two events it sees first
		var out bytes.Buffer
		code := Main(stopped, Program{Name: "check_it", Define: func(*Flags) Check {
			return func(_ context.Context, r *Run) error { r.Summarize("well"); return nil }
		}}, nil, nil, &out)
		expect(t, code, out.String(), 3, "[UNKNOWN] - stopped by its caller after 0s\n")
	}
}

func TestCrashes(t *testing.T) {
	code, output := try(t, func(_ context.Context, r *Run) error {
		r.Add(Finding{State: Critical, Problem: "x"})
		panic(fmt.Errorf("a|b\nc"))
	})
	expect(t, code, output, 3, "[UNKNOWN] - check_it crashed: a¦b c; please report it with -vv\n")
	none := func() map[string]int { return nil }
	code, output = try(t, func(context.Context, *Run) error { none()["a"] = 1; return nil }, "-vv")
	if first, trace, _ := strings.Cut(output, "\n"); code != 3 || !strings.HasPrefix(first, "[UNKNOWN] - check_it crashed: assignment to entry in nil map") || !strings.Contains(trace, "TestCrashes") {
		t.Errorf("exit %d, no trace in:\n%s", code, output)
	}
	code, output = try(t, func(context.Context, *Run) error { runtime.Goexit(); return nil })
	expect(t, code, output, 3, "[UNKNOWN] - the check ended without a result\n")
	code, output = try(t, nil)
	if code != 3 || !strings.HasPrefix(output, "[UNKNOWN] - check_it crashed: runtime error: invalid memory address") {
		t.Errorf("no check: exit %d, %s", code, output)
	}
	var out bytes.Buffer
	code = Main(t.Context(), Program{Name: "check_it", Define: func(f *Flags) Check { f.Group("x").Bool("timeout", false, ""); return nil }}, nil, nil, &out)
	expect(t, code, out.String(), 3, "[UNKNOWN] - check_it crashed: flag --timeout is declared twice; please report it with -vv\n")
}

func TestSurroundings(t *testing.T) {
	code, output := try(t, func(_ context.Context, r *Run) error {
		recording, replaying := r.Recorded()
		r.Summarize("%q %q %q %q %v %v %s", r.Getenv("LAST"), r.Getenv("EMPTY"), r.Getenv("GONE"), r.Getenv("AST"), recording, replaying, Moment(r.Now()))
		return nil
	}, atNoon)
	expect(t, code, output, 0, "[OK] - \"2\" \"\" \"\" \"\" false false 2026-12-01 12:00 UTC\n")
	_, output = try(t, func(_ context.Context, r *Run) error {
		if base := http.DefaultTransport; r.Transport(base, nil) != base {
			t.Error("an unrecorded run needs no transport of the frame")
		}
		if d := time.Since(r.Now()); d < 0 || d > time.Minute {
			t.Errorf("the clock is %v away", d)
		}
		r.Summarize("%s", r.UserAgent())
		return nil
	})
	if !strings.HasPrefix(output, "[OK] - overdue/") || !strings.HasSuffix(output, " check_it\n") {
		t.Errorf("user agent: %s", output)
	}
}

func TestLogIsSilent(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	try(t, func(_ context.Context, r *Run) error {
		log.Print("noise")
		r.Summarize("x")
		return nil
	})
	if logged.Len() > 0 {
		t.Errorf("logged %s", logged.String())
	}
	log.Print("after")
	if !strings.Contains(logged.String(), "after") {
		t.Error("the log stays silent after the run")
	}
}

func TestConcurrentRuns(t *testing.T) {
	done := make(chan string)
	const runs = 20
	for i := range runs {
		go func() {
			_, output := try(t, func(_ context.Context, r *Run) error {
				for j := range 10 {
					go r.Measure(Metric{Label: fmt.Sprint(j)})
				}
				r.Summarize("%d", i)
				return nil
			})
			done <- output
		}()
	}
	for range runs {
		if output := <-done; !strings.HasPrefix(output, "[OK] - ") {
			t.Error(output)
		}
	}
}

var _ pflag.Value = (*Range)(nil)
