package resync

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"overdue/internal/prewarm"
)

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
		"another one is being resynchronised by another address": {func(t *testing.T, b *bench) {
			unlock, err := store{b.store.dir, "http_a_80"}.lock("environment-10", holder{"mon2", 8, noon.Wall})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(unlock)
		}, 4, Refuse, "under another address, http://a:80, another run holds the lock"},
		"the resync of another one by another address was killed": {func(t *testing.T, b *bench) {
			if err := (store{b.store.dir, "http_a_80"}).write("environment-10", began(doResync, time.Minute, Begun)); err != nil {
				t.Fatal(err)
			}
		}, 4, Refuse, "environment 10: process 7 on mon2 began a resync at"},
		"a restart by another address begins at the second look": {func(t *testing.T, b *bench) {
			b.onPause = func() {
				if err := (store{b.store.dir, "http_a_80"}).write(restartKey, began(doRestart, 0, Begun)); err != nil {
					t.Fatal(err)
				}
			}
		}, 4, Refuse, "under another address, http://a:80, process 7 on mon2 began a restart at"},
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

// TestHandlerRestartFails holds that a command which failed is told as the thing to look at, and that what it broke is not certain.
func TestHandlerRestartFails(t *testing.T) {
	b := newBench(t)
	b.rules.MayRestart, b.command = true, []string{"restart-it"}
	b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
	b.onPause = func() {}
	b.onPut = func() error { return errors.New("sudo: a password is required") }
	r, err := b.run(context.Background())
	f := b.finding(r)
	if err != nil || r.Helped || f.Problem != "did not help: idle 0/4 → 0/4 after 20 s, up to 2 executions may be broken" || f.Cause != "sudo: a password is required" || !strings.Contains(f.Remedy, "--restart-command") {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestHandlerFutureOther holds that the record of another environment from the future forbids a restart for one cooldown, and not for ever.
func TestHandlerFutureOther(t *testing.T) {
	b := newBench(t)
	b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
	b.rules.MayRestart, b.command = true, []string{"restart-it"}
	r := ago(-24*time.Hour, Begun)
	r.Boot, r.Host = "another", "mon9"
	b.write(t, "environment-10", r)
	for _, step := range []struct {
		later time.Duration
		want  Action
	}{{0, Refuse}, {29 * time.Minute, Refuse}, {time.Minute, Restart}} {
		if r, err := b.again(step.later); err != nil || r.Action != step.want {
			t.Errorf("%s later: %+v, %v", step.later, r, err)
		}
	}
}

// TestHandlerUnusableLock holds that a lock which nobody holds, and nobody can take, is not waited for.
func TestHandlerUnusableLock(t *testing.T) {
	b := newBench(t)
	b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
	b.rules.MayRestart, b.command = true, []string{"restart-it"}
	if err := os.Mkdir(b.store.path("environment-10", "lock"), 0o755); err != nil {
		t.Fatal(err)
	}
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || r.Remedy != lookAtIt {
		t.Errorf("%+v, %v", r, err)
	}
}
