package plugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

func handler(check Check) Program {
	return Program{
		Name:     "repair",
		Define:   func(*Flags) Check { return check },
		Outcomes: &Outcomes{{"DONE", "done"}, {"REFUSED", "refused"}, {"NO HELP", "acted in vain"}, {"NO ANSWER", "could not ask"}},
	}
}

func TestOutcomes(t *testing.T) {
	run := func(check Check, args ...string) (int, string) {
		var out strings.Builder
		code := Main(context.Background(), handler(check), args, nil, &out)
		return code, out.String()
	}
	refuses := func(_ context.Context, r *Run) error {
		r.Add(Finding{State: Warning, Subject: "pool", Problem: "no"})
		return nil
	}
	cannot := func(context.Context, *Run) error { return errors.New("nobody there") }

	if code, text := run(refuses); code != 1 || text != "[REFUSED] - pool: no\n" {
		t.Errorf("exit code %d: %q", code, text)
	}
	if code, text := run(cannot); code != 3 || text != "[NO ANSWER] - nobody there\n" {
		t.Errorf("exit code %d: %q", code, text)
	}
	if code, text := run(cannot, "--unreachable", "critical"); code != 3 || !strings.HasPrefix(text, "[NO ANSWER] - repair: unknown flag --unreachable") {
		t.Errorf("exit code %d: %q", code, text)
	}
	if code, text := run(cannot, "--help"); code != 3 || !strings.HasSuffix(text, "Exit codes:\n  0  done\n  1  refused\n  2  acted in vain\n  3  could not ask\n") {
		t.Errorf("exit code %d: %q", code, text)
	}
}

// TestOtherwise holds that a run which has changed something says so, with the exit code for that, whatever ends it.
func TestOtherwise(t *testing.T) {
	acted := Finding{State: Critical, Subject: "pool", Problem: "acted"}
	ends := map[string]struct {
		end  func(ctx context.Context, caller func(), r *Run) error
		args []string
		says string
	}{
		"signal": {func(ctx context.Context, _ func(), _ *Run) error {
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
			<-ctx.Done()
			return ctx.Err()
		}, nil, "stopped by SIGTERM"},
		"caller":   {func(ctx context.Context, caller func(), _ *Run) error { caller(); <-ctx.Done(); return ctx.Err() }, nil, "stopped by its caller"},
		"deadline": {func(ctx context.Context, _ func(), _ *Run) error { <-ctx.Done(); return ctx.Err() }, []string{"--timeout", "20s"}, "no result after 20s"},
		"crash":    {func(context.Context, func(), *Run) error { panic("nil map") }, nil, "crashed: nil map"},
		"error":    {func(context.Context, func(), *Run) error { return errors.New("nobody there") }, nil, "nobody there"},
		"late": {func(ctx context.Context, caller func(), r *Run) error {
			caller()
			<-ctx.Done()
			r.Add(Finding{State: Critical, Subject: "pool", Problem: "acted", Cause: "in vain"})
			return nil
		}, nil, "in vain\n    stopped by its caller"},
	}
	for name, row := range ends {
		for _, changes := range []bool{true, false} {
			hold := func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var out strings.Builder
				code := Main(ctx, handler(func(ctx context.Context, r *Run) error {
					if changes {
						r.Otherwise(acted)
					}
					return row.end(ctx, cancel, r)
				}), row.args, nil, &out)
				text := out.String()
				switch {
				case changes && (code != 2 || !strings.HasPrefix(text, "[NO HELP] - pool: acted") || !strings.Contains(text, row.says)):
					t.Errorf("%s: exit code %d: %s", name, code, text)
				case !changes && (code != 3 || !strings.HasPrefix(text, "[NO ANSWER] - ")):
					t.Errorf("%s, having changed nothing: exit code %d: %s", name, code, text)
				}
			}
			if row.args != nil {
				synctest.Test(t, hold) // its clock is ahead in no time
			} else {
				hold(t)
			}
		}
	}
}

func TestLive(t *testing.T) {
	for args, want := range map[string]bool{"": true, "--now=2026-11-30T23:58:00Z": false} {
		live := !want
		check := func(_ context.Context, r *Run) error {
			live = r.Live()
			return nil
		}
		Main(context.Background(), handler(check), strings.Fields(args), nil, new(strings.Builder))
		if live != want {
			t.Errorf("%q: live is %t", args, live)
		}
	}
}

// TestUnrecorded holds that a recording which cannot be written does not hide what was done.
func TestUnrecorded(t *testing.T) {
	const says = "case: the recording could not be written: file already closed\n"
	for _, adds := range []bool{true, false} {
		var out strings.Builder
		code := Main(t.Context(), handler(func(_ context.Context, r *Run) error {
			if adds {
				r.Add(Finding{State: OK, Subject: "pool", Problem: "filled"})
			}
			return r.tape.file.Close()
		}), []string{"--record", filepath.Join(t.TempDir(), "case")}, nil, &out)
		text := out.String()
		if adds && (code != 0 || !strings.HasPrefix(text, "[DONE] - pool: filled\n    --record ") || !strings.HasSuffix(text, says)) {
			t.Errorf("exit code %d: %s", code, text)
		}
		if !adds && (code != 3 || !strings.HasPrefix(text, "[NO ANSWER] - --record ") || !strings.HasSuffix(text, says)) {
			t.Errorf("nothing was done: exit code %d: %s", code, text)
		}
	}
}
