package resync

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"overdue/internal/poseidon"
	"overdue/internal/prewarm"
)

// lately is a Poseidon at whose second statistics something happens, just before the handler would act.
type lately struct {
	*bench
	happens func()
	looks   *int
}

func (l lately) Pools(ctx context.Context) ([]poseidon.Pool, error) {
	pools, err := l.bench.Pools(ctx)
	if *l.looks++; *l.looks == 2 {
		l.happens()
	}
	return pools, err
}

func (b *bench) lately(happens func()) { b.handler.poseidon = lately{b, happens, new(int)} }

// TestHandlerLooksLast holds that the statistics decide which were asked for last: they tell what acting would end.
func TestHandlerLooksLast(t *testing.T) {
	for name, row := range map[string]struct {
		now  Pool
		want Action
		says string
	}{
		"recovered":       {Pool{Idle: 4, Size: 4}, Nothing, "recovered"},
		"half, and used":  {Pool{Idle: 2, Used: 5, Size: 4}, Nothing, "at least half full"},
		"used ones ended": {Pool{Used: 1, Size: 4}, Resync, "it ends 1 used runner"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			looks := 0
			b.nomad = func(context.Context) *prewarm.Nomad {
				if looks++; looks == 2 { // it took its time
					b.pools[29] = row.now
				}
				return nomadRuns(b.pools[29].Idle, 0)
			}
			r, err := b.run(context.Background())
			if err != nil || r.Action != row.want || !strings.Contains(r.Reason, row.says) || (b.puts() > 0) != (row.want == Resync) {
				t.Errorf("%+v, %v, asked %q", r, err, b.asks)
			}
		})
	}
}

// TestHandlerTooLate holds that nothing is begun on statistics that have grown old, nor when the run is over, and nothing remembered.
func TestHandlerTooLate(t *testing.T) {
	for name, restarts := range map[string]bool{"resync": false, "restart": true} {
		for reason, age := range map[string]time.Duration{"the statistics are 6 s old": 6 * time.Second, "interrupted before it began": 0} {
			t.Run(name+", "+reason, func(t *testing.T) {
				b := newBench(t)
				if restarts {
					b.rules.MayRestart, b.command = true, []string{"restart-it"}
					b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
				}
				before := ago(time.Hour, Helped)
				b.write(t, "environment-29", before)
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				b.lately(func() {
					b.now.Wall, b.now.Uptime = b.now.Wall.Add(age), b.now.Uptime+age
					if age == 0 {
						interrupt()
					}
				})
				r, err := b.run(ctx)
				if err != nil || r.Action != Refuse || !strings.Contains(r.Reason, reason) {
					t.Errorf("%+v, %v", r, err)
				}
				if b.puts() > 0 || slices.Contains(b.asks, "restart-it") || !reflect.DeepEqual(b.record(t), before) {
					t.Errorf("asked %q, remembers %+v", b.asks, b.record(t))
				}
			})
		}
	}
}

// TestHandlerOtherLock holds that where a lock keeps nobody out, as on a file system whose locks do not span hosts, the record of
// the run that was faster does.
func TestHandlerOtherLock(t *testing.T) {
	b := newBench(t)
	var faster Record
	b.lately(func() {
		other := newBench(t)
		other.store, other.host, other.now.Host, other.now.Boot = b.store, "mon2", "mon2", "other"
		if err := os.Remove(b.store.path("environment-29", "lock")); err != nil {
			t.Fatal(err)
		}
		if r, err := other.run(t.Context()); err != nil || !r.Acted {
			t.Fatalf("the other: %+v, %v", r, err)
		}
		faster = b.record(t)
	})
	r, err := b.run(t.Context())
	if err != nil || r.Action != Refuse || b.puts() != 0 || !strings.Contains(r.Reason, "another run has written "+b.store.path("environment-29", "json")) {
		t.Errorf("%+v, %v, asked %q", r, err, b.asks)
	}
	if !reflect.DeepEqual(b.record(t), faster) {
		t.Errorf("remembers %+v, want what the other one wrote", b.record(t))
	}
}

// TestHandlerHalfRemembered holds that a restart whose second record cannot be written is not begun by the first one either.
func TestHandlerHalfRemembered(t *testing.T) {
	for name, before := range map[string]Record{"nothing before": {}, "a marker before": ago(time.Hour, DidNotHelp)} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.rules.MayRestart, b.rules.Force, b.command = true, true, []string{"restart-it"}
			b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
			if before.exists() {
				b.write(t, "environment-29", before)
			}
			moment := b.moment
			b.handler.moment = func() Moment {
				if _, err := os.Stat(b.store.path("environment-10", "lock")); err == nil { // all locks are taken, the restart's record is read
					if err := os.MkdirAll(filepath.Join(b.store.path(restartKey, "json"), "x"), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				return moment()
			}
			r, err := b.run(t.Context())
			if err != nil || r.Action != Refuse || slices.Contains(b.asks, "restart-it") || !reflect.DeepEqual(b.record(t), before) {
				t.Errorf("%+v, %v, remembers %+v", r, err, b.record(t))
			}
		})
	}
}

// TestHandlerCannotRemember holds that what will be repeated is not told as what will not.
func TestHandlerCannotRemember(t *testing.T) {
	b := newBench(t)
	b.onPause = func() {}
	b.onPut = func() error { return os.RemoveAll(b.store.dir) }
	r, err := b.run(t.Context())
	f := b.judged(r, err)
	if err != nil || r.Helped || !strings.HasPrefix(f.Consequence, "it is repeated when --cooldown is over") || !strings.HasPrefix(f.Remedy, "make room") {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestHandlerCannotTakeBack holds that a record which stays although nothing was begun is told.
func TestHandlerCannotTakeBack(t *testing.T) {
	b := newBench(t)
	b.write(t, "environment-29", ago(time.Hour, Helped))
	b.onPut = func() error {
		if err := os.RemoveAll(b.store.dir); err != nil {
			t.Error(err)
		}
		return errUnstarted{errors.New("no such program")}
	}
	r, err := b.run(t.Context())
	if f := b.judged(r, err); !strings.Contains(f.Problem, "the resync was not begun: no such program; and it counts for --cooldown") {
		t.Errorf("%+v, %v", f, err)
	}
}
