package plugin

import (
	"context"
	"errors"
	"strings"
	"testing"
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
