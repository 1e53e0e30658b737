package resync

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
	"overdue/internal/prewarm"
)

// TestHandlerInterrupted holds that a run that is ended before it saw what came of it is a failure with the marker, and that
// people are told by Icinga although its time is over.
func TestHandlerInterrupted(t *testing.T) {
	server := newIcinga(t)
	report, err := server.options(t).connect(login, "")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	ctx, interrupt := context.WithCancel(context.Background())
	b.onPut = func() error { interrupt(); return ctx.Err() }
	r, err := b.run(ctx)
	if !errors.As(err, new(errInterrupted)) || b.record(t).Outcome != DidNotHelp {
		t.Errorf("%+v, %v, remembers %+v", r, err, b.record(t))
	}
	f := teller{icinga: report}.tell(ctx, b.handler, r, err)
	if f.State != plugin.Critical || !strings.HasPrefix(f.Problem, "interrupted after the resync began") || !strings.Contains(f.Remedy, "restart Poseidon") || !strings.Contains(f.Details[len(f.Details)-1], "decision=interrupted") {
		t.Errorf("%+v", f)
	}
	if comment, _ := server.sent["comment"].(string); !strings.Contains(comment, "interrupted after the resync began") {
		t.Errorf("commented %q", comment)
	}
}

// TestHandlerSettles holds that --settle bounds a Poseidon that hangs after the PUT, and that one look that hangs is not the last.
func TestHandlerSettles(t *testing.T) {
	for name, row := range map[string]struct {
		hangs  time.Duration
		helped bool
		most   time.Duration
	}{
		"for ever":     {time.Hour, false, 20 * time.Second},
		"for a moment": {9 * time.Second, true, 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.moment = func() Moment { return Moment{Wall: time.Now()} }
				b.pause = func(ctx context.Context, d time.Duration) error {
					select {
					case <-time.After(d):
					case <-ctx.Done():
					}
					return ctx.Err()
				}
				var put time.Time
				b.onPut = func() error { put, b.pools[29] = time.Now(), Pool{Idle: 4, Size: 4}; return nil }
				b.handler.poseidon = slow{b, func() time.Duration {
					if put.IsZero() {
						return 0
					}
					return max(0, row.hangs-time.Since(put))
				}}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				r, err := b.run(ctx)
				if took := time.Since(put); err != nil || !r.Acted || r.Helped != row.helped || took > row.most {
					t.Errorf("after %s: %+v, %v", took, r, err)
				}
			})
		})
	}
}

// slow answers when some time is over.
type slow struct {
	*bench
	hangs func() time.Duration
}

func (s slow) Pools(ctx context.Context) ([]poseidon.Pool, error) {
	select {
	case <-time.After(s.hangs()):
		return s.bench.Pools(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestHandlerIsPatientForSoLong holds that a server which hangs does not keep the lock for all of --timeout.
func TestHandlerIsPatientForSoLong(t *testing.T) {
	for name, row := range map[string]struct {
		hang func(*bench)
		says string
	}{
		"the statistics": {func(b *bench) { b.handler.poseidon = slow{b, func() time.Duration { return time.Hour }} }, ""},
		"Nomad": {func(b *bench) {
			b.nomad = func(ctx context.Context) *prewarm.Nomad { <-ctx.Done(); return troubled("no answer") }
		}, "no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				row.hang(b)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				began := time.Now()
				r, err := b.run(ctx)
				if took := time.Since(began); took > 30*time.Second || row.says == "" && err == nil || !strings.Contains(r.Reason, row.says) || b.record(t).exists() {
					t.Errorf("after %s: %+v, %v", took, r, err)
				}
			})
		})
	}
}

func TestHandlerLeavesTimeToSee(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second) // 60 s for the PUT, 20 s to settle, 15 s to report
	defer cancel()
	if r, err := b.run(ctx); err != nil || r.Action != Refuse || !strings.Contains(r.Remedy, "--timeout 3m") || b.puts() != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	b = newBench(t)
	b.recheck = 2 * time.Minute // which must be left besides
	if r, err := b.run(ctx); err != nil || r.Action != Refuse || !strings.Contains(r.Remedy, "--timeout 5m") || b.puts() != 0 {
		t.Errorf("with a long --recheck: %+v, %v", r, err)
	}
}
