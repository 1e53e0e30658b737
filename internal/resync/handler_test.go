package resync

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
	"overdue/internal/prewarm"
)

// bench is a handler on a stand-in for Poseidon and Nomad, with a clock that only waiting moves.
type bench struct {
	*handler
	now         Moment
	pools       map[int]Pool
	environment poseidon.Environment
	asks        []string
	onPut       func() error
	onPause     func()
	statsErr    error
	getErr      error
}

func (b *bench) Pools(context.Context) (pools []poseidon.Pool, err error) {
	b.asks = append(b.asks, "statistics")
	for id, p := range b.pools {
		pools = append(pools, poseidon.Pool{ID: id, Size: p.Size, Idle: p.Idle, Used: p.Used})
	}
	return pools, b.statsErr
}

func (b *bench) Environment(context.Context, int) (poseidon.Environment, error) {
	b.asks = append(b.asks, "get")
	return b.environment, b.getErr
}

func (b *bench) Replace(_ context.Context, e poseidon.Environment) error {
	b.asks = append(b.asks, fmt.Sprintf("put %d %s", e.ID, e.Body))
	return b.onPut()
}

// newBench stands where the handler acts, and the pool is full when 4 s have passed.
func newBench(t *testing.T) *bench {
	b := &bench{now: noon, pools: depleted().Pools, environment: poseidon.Environment{ID: 29, Size: 4, Body: []byte("as it came")}}
	b.pools[29] = Pool{Idle: 0, Used: 2, Size: 4}
	waited := -1
	b.onPut = func() error { b.pools[29], waited = Pool{Size: 4}, 0; return nil }
	b.onPause = func() {
		if waited >= 0 {
			waited++
		}
		if waited == 2 {
			b.pools[29] = Pool{Idle: 4, Size: 4}
		}
	}
	b.handler = &handler{
		facts:    Facts{Environment: 29, Call: depleted().Call},
		rules:    usual(),
		recheck:  12 * time.Second,
		settle:   20 * time.Second,
		store:    store{t.TempDir()},
		poseidon: b,
		nomad: func(context.Context) *prewarm.Nomad {
			b.asks = append(b.asks, "nomad")
			return nomadRuns(b.pools[29].Idle, 0)
		},
		waiting: func(string, ...any) {},
		surroundings: surroundings{
			moment: func() Moment { return b.now },
			pause: func(ctx context.Context, d time.Duration) error {
				b.now.Wall, b.now.Uptime = b.now.Wall.Add(d), b.now.Uptime+d
				b.onPause()
				return ctx.Err()
			},
			restart: func(_ context.Context, words []string) error {
				b.asks = append(b.asks, strings.Join(words, " "))
				return b.onPut()
			},
			host: "mon1", pid: 7,
		},
	}
	return b
}

// again is the next call of the handler, later.
func (b *bench) again(later time.Duration) (result, error) {
	b.now.Wall, b.now.Uptime = b.now.Wall.Add(later), b.now.Uptime+later
	b.facts = Facts{Environment: 29, Call: b.facts.Call}
	b.asks = nil
	return b.run(context.Background())
}

func (b *bench) record(t *testing.T) Record {
	t.Helper()
	r, err := b.store.read("environment-29")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) write(t *testing.T, key string, r Record) {
	t.Helper()
	if err := b.store.write(key, r); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) puts() int {
	return len(slices.DeleteFunc(slices.Clone(b.asks), func(s string) bool { return !strings.HasPrefix(s, "put") }))
}

func TestHandlerRefills(t *testing.T) {
	b := newBench(t)
	r, err := b.run(context.Background())
	if err != nil || !r.Acted || !r.Helped {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, want := b.finding(r).Subject+": "+r.change(), "resync 29 at 12:00 UTC: idle 0/4 → 4/4 in 4 s, 2 used runners ended"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	want := []string{"statistics", "nomad", "get", "statistics", "nomad", "get", "put 29 as it came", "statistics", "statistics", "statistics"}
	if !slices.Equal(b.asks, want) {
		t.Errorf("asks %q, want %q", b.asks, want)
	}
	if r := b.record(t); r.Outcome != Helped || r.Before.Used != 2 || r.After.Idle != 4 || r.PID != 7 {
		t.Errorf("remembers %+v", r)
	}
	if r, err := b.again(10 * time.Minute); err != nil || r.Action != Refuse || len(b.asks) != 0 {
		t.Errorf("10 minutes later: %+v, %v, asked %q", r, err, b.asks)
	}
}

// TestHandlerDidNotHelp holds that what did not help is not repeated until the service recovers.
func TestHandlerDidNotHelp(t *testing.T) {
	b := newBench(t)
	b.onPause = func() {}
	r, err := b.run(context.Background())
	if err != nil || !r.Acted || r.Helped || r.state() != plugin.Critical || r.Took != b.settle {
		t.Fatalf("%+v, %v", r, err)
	}
	if f := b.finding(r); !strings.Contains(f.Problem, "did not help: idle 0/4 → 0/4 after 20 s") || !strings.Contains(f.Remedy, "restart Poseidon") {
		t.Errorf("says %+v", f)
	}
	if r, _ := b.again(24 * time.Hour); r.Action != Refuse || !strings.Contains(r.Reason, "did not help") || b.puts() != 0 {
		t.Errorf("a day later: %+v", r)
	}
	b.facts.Call.State = plugin.OK
	if r, _ := b.again(0); r.Action != Nothing || !strings.Contains(r.Note, "marker of 2026-12-03 12:00 UTC is cleared") {
		t.Errorf("recovery: %+v", r)
	}
	b.facts.Call.State = plugin.Critical
	if r, _ := b.again(0); r.Action != Resync || b.puts() != 1 {
		t.Errorf("the next incident: %+v", r)
	}
}

// TestHandlerMarkerOfAnEarlierIncident holds that a SOFT state before --on tells of a recovery whose call was missed: another node
// of the zone had it, or Icinga was down. A resync by hand within the same incident is younger than --cooldown.
func TestHandlerMarkerOfAnEarlierIncident(t *testing.T) {
	call := func(attempt int) Call { return Call{State: plugin.Critical, Attempt: attempt} }
	for name, row := range map[string]struct {
		call    Call
		age     time.Duration
		dry     bool
		cleared bool
	}{
		"the next incident":           {call(1), 24 * time.Hour, false, true},
		"just before it acts":         {call(5), 24 * time.Hour, false, true},
		"when it acts":                {call(6), 24 * time.Hour, false, false},
		"HARD":                        {Call{State: plugin.Critical, Hard: true, Attempt: 1}, 24 * time.Hour, false, false},
		"by hand in this incident":    {call(3), 29 * time.Minute, false, false},
		"the node that is not to act": {Call{State: plugin.Critical, Attempt: 1, Skip: true}, 24 * time.Hour, false, false},
		"a person":                    {Call{ByHand: true}, 24 * time.Hour, false, false},
		"a dry run":                   {call(1), 24 * time.Hour, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.write(t, "environment-29", ago(row.age, DidNotHelp))
			b.facts.Call, b.dry = row.call, row.dry
			r, err := b.run(context.Background())
			if err != nil || b.puts() != 0 {
				t.Fatalf("%+v, %v, asked %q", r, err, b.asks)
			}
			if cleared := b.record(t).Outcome == Cleared; cleared != row.cleared || cleared != strings.Contains(r.Note, "is cleared") {
				t.Errorf("cleared: %t, note %q", cleared, r.Note)
			}
		})
	}
}

func TestHandlerForce(t *testing.T) {
	b := newBench(t)
	if err := b.store.write("environment-29", ago(time.Hour, DidNotHelp)); err != nil {
		t.Fatal(err)
	}
	b.rules.Force = true
	if r, err := b.run(context.Background()); err != nil || !r.Helped {
		t.Fatalf("%+v, %v", r, err)
	}
	b.rules.Force = false
	if r := b.record(t); r.Outcome != Helped {
		t.Errorf("the marker is still there: %+v", r)
	}
}

// TestHandlerRecordsFirst holds that whoever is killed at any point leaves a record that counts, and that there is no PUT
// without one.
func TestHandlerRecordsFirst(t *testing.T) {
	b := newBench(t)
	b.onPut = func() error {
		if r := b.record(t); r.Outcome != Begun || r.Host != "mon1" {
			t.Errorf("at the PUT the record is %+v", r)
		}
		panic("killed")
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = b.run(context.Background())
	}()
	if r, _ := b.again(time.Minute); r.Action != Refuse || !strings.Contains(r.Reason, "began a resync") {
		t.Errorf("a minute later: %+v", r)
	}
	b.onPut = func() error { b.pools[29] = Pool{Idle: 4, Size: 4}; return nil }
	if r, err := b.again(30 * time.Minute); err != nil || !r.Helped {
		t.Errorf("half an hour later: %+v, %v", r, err)
	}
}

func TestHandlerNoRecordNoPut(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root may write everywhere: the directory is taken away instead")
	}
	b := newBench(t)
	b.nomad = func(context.Context) *prewarm.Nomad {
		if err := os.RemoveAll(b.store.dir); err != nil {
			t.Fatal(err)
		}
		return nomadRuns(0, 0)
	}
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || b.puts() != 0 {
		t.Errorf("%+v, %v, asked %q", r, err, b.asks)
	}
}

// TestHandlerLooksAgain holds that what changes between the first look and the PUT is heeded.
func TestHandlerLooksAgain(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*bench)
		want   Action
		says   string
	}{
		"recovered":                    {func(b *bench) { b.pools[29] = Pool{Idle: 4, Size: 4} }, Nothing, "recovered"},
		"another is low":               {func(b *bench) { b.pools[10] = Pool{Size: 4} }, Refuse, "2 of 2"},
		"a runner came":                {func(b *bench) { b.pools[29] = Pool{Idle: 1, Used: 2, Size: 4} }, Refuse, "used runners"},
		"it is gone":                   {func(b *bench) { delete(b.pools, 29) }, Refuse, "does not know"},
		"size changed (poseidon#716)":  {func(b *bench) { b.pools[29] = Pool{Size: 6} }, Refuse, "moves: idle 0/4 → 0/6"},
		"another image (poseidon#716)": {func(b *bench) { b.environment.Body = []byte("as CodeOcean saved it") }, Refuse, "somebody changes the environment"},
		"unknown to the other route":   {func(b *bench) { b.getErr = &poseidon.Error{Status: 404} }, Refuse, "does not know"},
		"Nomad runs one": {func(b *bench) {
			b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(1, 0) }
		}, Refuse, "lost in Poseidon's memory"},
		"Nomad starts one": {func(b *bench) {
			b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(0, 1) }
		}, Refuse, "Nomad is starting 1"},
		"Nomad's leader is gone": {func(b *bench) {
			b.nomad = func(context.Context) *prewarm.Nomad { return troubled("no leader") }
		}, Refuse, "no leader"},
		"all as before": {func(*bench) {}, Resync, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.onPause = func() { row.change(b) }
			r, err := b.run(context.Background())
			if err != nil || r.Action != row.want || !strings.Contains(r.Reason, row.says) {
				t.Errorf("%+v, %v; want %d because %q", r, err, row.want, row.says)
			}
			if acted := row.want == Resync; acted != (b.puts() > 0) || acted != b.record(t).exists() {
				t.Errorf("acted: asked %q", b.asks)
			}
		})
	}
}

// TestHandlerFailedPut holds that a PUT that failed counts, as it may have ended runners, and that the pool decides whether
// it helped.
func TestHandlerFailedPut(t *testing.T) {
	b := newBench(t)
	b.onPut = func() error { return errors.New("500 job not found") }
	b.onPause = func() {}
	r, err := b.run(context.Background())
	if err != nil || r.Helped || b.record(t).Outcome != DidNotHelp || !strings.Contains(b.finding(r).Cause, "job not found") {
		t.Errorf("%+v, %v", r, err)
	}
	b = newBench(t)
	b.onPut = func() error {
		b.pools[29] = Pool{Idle: 2, Size: 4}
		return context.DeadlineExceeded
	}
	if r, err := b.run(context.Background()); err != nil || !r.Helped {
		t.Errorf("Poseidon went on by itself: %+v, %v", r, err)
	}
}

func TestHandlerRestarts(t *testing.T) {
	b := newBench(t)
	b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Remedy, "systemctl restart poseidon") {
		t.Errorf("without a command: %+v, %v", r, err)
	}
	b.rules.MayRestart, b.command = true, []string{"restart-it", "now"}
	r, err := b.again(0)
	if err != nil || !r.Helped || !slices.Contains(b.asks, "restart-it now") || b.puts() != 0 {
		t.Fatalf("%+v, %v, asked %q", r, err, b.asks)
	}
	if got := b.finding(r); got.Subject+": "+got.Problem != "restart for 29 at 12:00 UTC: idle 0/4 → 4/4 in 4 s, up to 2 executions broken" {
		t.Errorf("says %+v", got)
	}
	unlock, err := b.store.lock(restartKey, holder{"mon2", 8, noon.Wall})
	if err != nil {
		t.Fatal(err)
	}
	b.pools[29] = Pool{Size: 4}
	if r, err := b.again(time.Hour); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "restart.lock: process 8 on mon2") || !strings.Contains(r.Remedy, "wait until that run has ended") || slices.Contains(b.asks, "restart-it now") {
		t.Errorf("another run restarts it: %+v, %v, asked %q", r, err, b.asks)
	}
	unlock()
	b.now.Wall, b.now.Uptime = b.now.Wall.Add(-time.Hour), b.now.Uptime-time.Hour
	// A restart is of all environments: another one of them must not bring the next.
	b.pools = map[int]Pool{10: {Size: 4}, 29: {Idle: 4, Size: 4}}
	b.facts.Environment = 10
	b.asks = nil
	b.facts = Facts{Environment: 10, Call: b.facts.Call}
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "last restart") || slices.Contains(b.asks, "restart-it now") {
		t.Errorf("another environment: %+v, %v, asked %q", r, err, b.asks)
	}
}

// TestHandlerRestartAndResync holds that a restart, which is of all environments, and a resync of any do not meet.
func TestHandlerRestartAndResync(t *testing.T) {
	began := func(action string, d time.Duration, outcome string) Record {
		r := ago(d, outcome)
		r.Action, r.Host = action, "mon2"
		return r
	}
	for name, row := range map[string]struct {
		change func(*testing.T, *bench)
		idle   int // of 29 in Nomad: 4 are lost, 0 are missing
		want   Action
		says   string
	}{
		"another one is being resynchronised": {func(t *testing.T, b *bench) {
			unlock, err := b.store.lock("environment-10", holder{"mon2", 8, noon.Wall})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(unlock)
		}, 4, Refuse, "environment-10.lock: process 8 on mon2"},
		"the resync of another one was killed": {func(t *testing.T, b *bench) {
			b.write(t, "environment-10", began(doResync, time.Minute, Begun))
		}, 4, Refuse, "environment 10: process 7 on mon2 began a resync at"},
		"the resync of another one was killed long ago": {func(t *testing.T, b *bench) {
			b.write(t, "environment-10", began(doResync, time.Hour, Begun))
		}, 4, Restart, ""},
		"another one was resynchronised": {func(t *testing.T, b *bench) {
			b.write(t, "environment-10", began(doResync, time.Minute, Helped))
		}, 4, Restart, ""},
		"what was done to another one is unknown": {func(t *testing.T, b *bench) {
			if err := os.WriteFile(b.store.path("environment-10", "json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, 4, Refuse, "environment-10.json is not a record"},
		"the resync of another one begins at the second look": {func(t *testing.T, b *bench) {
			b.onPause = func() { b.write(t, "environment-10", began(doResync, 0, Begun)) }
		}, 4, Refuse, "environment 10: process 7 on mon2 began a resync at"},
		"a restart has begun": {func(t *testing.T, b *bench) {
			b.write(t, restartKey, began(doRestart, time.Minute, Begun))
		}, 0, Refuse, "process 7 on mon2 began a restart"},
		"a restart is over": {func(t *testing.T, b *bench) {
			b.write(t, restartKey, began(doRestart, 29*time.Minute, Helped))
		}, 0, Refuse, "the last restart was at"},
		"a restart is long over": {func(t *testing.T, b *bench) {
			b.write(t, restartKey, began(doRestart, 30*time.Minute, Helped))
		}, 0, Resync, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.rules.MayRestart, b.command = true, []string{"restart-it"}
			b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(row.idle, 0) }
			row.change(t, b)
			r, err := b.run(context.Background())
			if err != nil || r.Action != row.want || !strings.Contains(r.Reason, row.says) {
				t.Errorf("%+v, %v; want %d because %q", r, err, row.want, row.says)
			}
			if restarts := slices.Contains(b.asks, "restart-it"); restarts != (row.want == Restart) || (b.puts() > 0) != (row.want == Resync) {
				t.Errorf("asked %q", b.asks)
			}
		})
	}
}

// TestHandlerRestartKeepsResyncsAway holds that no resync of another environment begins while Poseidon is restarted.
func TestHandlerRestartKeepsResyncsAway(t *testing.T) {
	b := newBench(t)
	b.rules.MayRestart, b.command = true, []string{"restart-it"}
	b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
	put := b.onPut
	b.onPut = func() error {
		if _, err := b.store.lock("environment-10", holder{"mon2", 8, noon.Wall}); !errors.As(err, new(errLocked)) {
			t.Errorf("the lock of 10 while Poseidon is restarted: %v", err)
		}
		return put()
	}
	if r, err := b.run(context.Background()); err != nil || !r.Helped || r.Action != Restart {
		t.Fatalf("%+v, %v", r, err)
	}
	unlock, err := b.store.lock("environment-10", holder{"mon2", 8, noon.Wall})
	if err != nil {
		t.Fatalf("after it: %v", err)
	}
	unlock()
}

// TestHandlerRestartNeedsTwoLooks holds that what is only late is not lost: Nomad's events reach Poseidon a moment later.
func TestHandlerRestartNeedsTwoLooks(t *testing.T) {
	b := newBench(t)
	b.rules.MayRestart, b.command = true, []string{"restart-it"}
	b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
	b.onPause = func() { b.pools[29] = Pool{Idle: 4, Size: 4} }
	if r, err := b.run(context.Background()); err != nil || r.Action != Nothing || slices.Contains(b.asks, "restart-it") {
		t.Errorf("%+v, %v", r, err)
	}
	b = newBench(t)
	b.rules.MayRestart, b.command = true, []string{"restart-it"}
	b.onPause = func() { b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) } }
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "moves: before, 0/4") || slices.Contains(b.asks, "restart-it") {
		t.Errorf("missing, then lost: %+v, %v", r, err)
	}
}

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

func TestHandlerDryRun(t *testing.T) {
	b := newBench(t)
	b.dry = true
	r, err := b.run(context.Background())
	if err != nil || r.Action != Resync || r.Acted || !strings.Contains(b.finding(r).Problem, "would resync: 0/4 runners are idle, and it ends 2 used runners") {
		t.Errorf("%+v, %v", r, err)
	}
	if entries, _ := os.ReadDir(b.store.dir); len(entries) != 0 || b.puts() != 0 {
		t.Errorf("left %v, asked %q", entries, b.asks)
	}
	unlock, err := b.store.lock("environment-29", holder{"mon2", 8, noon.Wall})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if r, _ := b.again(0); r.Action != Refuse || !strings.Contains(r.Reason, "mon2") {
		t.Errorf("beside a real run: %+v", r)
	}
}

// TestHandlerDryRunRemembers holds that a dry run changes no record: it neither clears the marker nor notes a future one, and is not
// logged as a run that acted.
func TestHandlerDryRunRemembers(t *testing.T) {
	marker, future := ago(time.Hour, DidNotHelp), ago(-24*time.Hour, Helped)
	future.Boot = "another"
	for name, row := range map[string]struct {
		record Record
		state  plugin.State
	}{"marker at recovery": {marker, plugin.OK}, "future": {future, plugin.Critical}, "acts": {Record{}, plugin.Critical}} {
		b := newBench(t)
		b.dry, b.facts.Call.State = true, row.state
		if row.record.exists() {
			if err := b.store.write("environment-29", row.record); err != nil {
				t.Fatal(err)
			}
		}
		logged := 0
		r, err := b.run(context.Background())
		f := teller{log: func(context.Context, slog.Record) error { logged++; return nil }}.tell(context.Background(), b.handler, r, err)
		if line := strings.Join(f.Details, " "); err != nil || r.Acted || logged != 0 || strings.Contains(line, "decision=helped") || strings.Contains(line, "cleared") {
			t.Errorf("%s: %+v, %v, %d lines logged: %s", name, r, err, logged, line)
		}
		if got := b.record(t); !reflect.DeepEqual(got, row.record) {
			t.Errorf("%s: remembers %+v, want %+v", name, got, row.record)
		}
	}
}

// TestHandlerFuture holds that a record from the future forbids for one cooldown from when it is seen.
func TestHandlerFuture(t *testing.T) {
	b := newBench(t)
	r := ago(-24*time.Hour, Helped)
	r.Boot = "another"
	if err := b.store.write("environment-29", r); err != nil {
		t.Fatal(err)
	}
	if r, _ := b.again(0); r.Action != Refuse || !strings.Contains(r.Reason, "in the future") {
		t.Fatalf("seen first: %+v", r)
	}
	if r, _ := b.again(29 * time.Minute); r.Action != Refuse {
		t.Errorf("29 minutes later: %+v", r)
	}
	if r, _ := b.again(time.Minute); !r.Helped {
		t.Errorf("30 minutes later: %+v", r)
	}
}

// TestHandlerClocks holds that of hosts that share the directory, and whose clocks differ, none doubles a resync because another
// one looked.
func TestHandlerClocks(t *testing.T) {
	ahead := newBench(t)
	ahead.now.Wall = noon.Wall.Add(time.Hour)
	if r, err := ahead.run(context.Background()); err != nil || !r.Acted {
		t.Fatalf("%+v, %v", r, err)
	}
	written := ahead.record(t).Stamp
	var others []*bench
	for i, clock := range []time.Duration{0, -time.Hour} { // each earlier than the one before
		b := newBench(t)
		b.store, b.host = ahead.store, fmt.Sprint("other", i)
		b.now = Moment{Wall: noon.Wall.Add(clock), Host: b.host, Boot: b.host, Uptime: time.Hour}
		others = append(others, b)
	}
	for minute := 1; minute < 30; minute++ {
		for _, b := range append(others, ahead) {
			b.pools[29] = Pool{Size: 4}
			if r, err := b.again(time.Minute); err != nil || r.Acted || b.puts() != 0 {
				t.Fatalf("%s after %d minutes: %+v, %v", b.host, minute, r, err)
			}
		}
	}
	if r := ahead.record(t); r.Stamp != written || r.Host != "mon1" {
		t.Errorf("the writer's stamp is replaced: %+v", r)
	}
	last := others[1]
	if r, err := last.again(2 * time.Minute); err != nil || !r.Acted {
		t.Errorf("half an hour after it was first seen: %+v, %v", r, err)
	}
}

// TestHandlerUptimeOfAnother holds that containers, which share the boot's name and have uptimes of their own, compare the wall clock.
func TestHandlerUptimeOfAnother(t *testing.T) {
	b := newBench(t)
	r := Record{Action: doResync, Outcome: Helped, Host: "ct2", PID: 7}
	r.stamp(Moment{Wall: noon.Wall.Add(-time.Minute), Boot: noon.Boot, Uptime: time.Hour})
	if err := b.store.write("environment-29", r); err != nil {
		t.Fatal(err)
	}
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "1m ago") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHandlerFutureRestart holds that a restart that another run is just writing down is not overwritten by an older one.
func TestHandlerFutureRestart(t *testing.T) {
	b := newBench(t)
	old := ago(-24*time.Hour, Helped)
	old.Action, old.Boot = doRestart, "another"
	if err := b.store.write(restartKey, old); err != nil {
		t.Fatal(err)
	}
	unlock, err := b.store.lock(restartKey, holder{"mon2", 8, noon.Wall})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = b.run(context.Background())
	if r, err := b.store.read(restartKey); err != nil || len(r.Seen) != 0 {
		t.Errorf("written beside its lock: %+v, %v", r, err)
	}
	unlock()
	_, _ = b.again(time.Hour)
	if r, err := b.store.read(restartKey); err != nil || len(r.Seen) != 1 || !reflect.DeepEqual(r.Stamp, old.Stamp) {
		t.Errorf("not seen: %+v, %v", r, err)
	}
}

func TestHandlerLeavesTimeToSee(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second) // 60 s for the PUT, 20 s to settle, 15 s to report
	defer cancel()
	if r, err := b.run(ctx); err != nil || r.Action != Refuse || !strings.Contains(r.Remedy, "--timeout 3m") || b.puts() != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHandlerTogether holds that of 20 handlers at once one acts. Files are real, and so is the order of things.
func TestHandlerTogether(t *testing.T) {
	first := newBench(t)
	var acted, refused sync.Map
	var all sync.WaitGroup
	for i := range 20 {
		b := newBench(t)
		b.store, b.pid = first.store, 100+i
		all.Go(func() {
			r, err := b.run(context.Background())
			if err != nil {
				t.Errorf("%d: %v", i, err)
			}
			if b.puts() > 0 {
				acted.Store(i, true)
			} else if r.Action == Refuse {
				refused.Store(i, true)
			}
		})
	}
	all.Wait()
	count := func(m *sync.Map) (n int) { m.Range(func(any, any) bool { n++; return true }); return n }
	if count(&acted) != 1 || count(&refused) != 19 {
		t.Errorf("%d acted and %d refused", count(&acted), count(&refused))
	}
}

// TestHandlerTwoRoutes holds that both routes of Poseidon's must tell the same.
func TestHandlerTwoRoutes(t *testing.T) {
	b := newBench(t)
	b.getErr = &poseidon.Error{Status: 404}
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "does not know") || b.puts() != 0 {
		t.Errorf("unknown to one: %+v, %v", r, err)
	}
	b = newBench(t)
	b.environment.Size = 6
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "size 4 in the statistics, 6") || b.puts() != 0 {
		t.Errorf("of another size: %+v, %v", r, err)
	}
	b = newBench(t)
	b.getErr = errGone
	if _, err := b.run(context.Background()); !errors.Is(err, errGone) || b.puts() != 0 {
		t.Errorf("no answer: %v", err)
	}
}

// TestHandlerUnsent holds that a PUT that found no server is no resync: the next call may act.
func TestHandlerUnsent(t *testing.T) {
	b := newBench(t)
	before := ago(time.Hour, Helped)
	if err := b.store.write("environment-29", before); err != nil {
		t.Fatal(err)
	}
	b.onPut = func() error { return &poseidon.Error{Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}} }
	if _, err := b.run(context.Background()); err == nil || !reflect.DeepEqual(b.record(t), before) {
		t.Errorf("%v, remembers %+v", err, b.record(t))
	}
	b.onPut = func() error { return &poseidon.Error{Err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}} }
	if r, err := b.again(0); err != nil || !r.Acted {
		t.Errorf("a connection that broke later: %+v, %v", r, err)
	}
}

func TestHandlerCannotAsk(t *testing.T) {
	b := newBench(t)
	b.statsErr = errGone
	if _, err := b.run(context.Background()); !errors.Is(err, errGone) || b.record(t).exists() {
		t.Errorf("%v", err)
	}
}
