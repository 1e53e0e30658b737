package resync

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
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
	directory   func() time.Time // what its clock shows
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

func (b *bench) Replace(_ context.Context, e poseidon.Environment, _ time.Duration) error {
	b.asks = append(b.asks, fmt.Sprintf("put %d %s", e.ID, e.Body))
	return b.onPut()
}

// newBench stands where the handler acts, and the pool is full when 4 s have passed.
func newBench(t *testing.T) *bench {
	b := &bench{now: noon, pools: depleted().Pools, environment: poseidon.Environment{ID: 29, Size: 4, Body: []byte("as it came")}}
	b.pools[29] = Pool{Idle: 0, Used: 2, Size: 4}
	waited := -1
	b.directory = func() time.Time { return b.now.Wall }
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
		store:    store{dir: t.TempDir()},
		poseidon: b,
		nomad: func(context.Context) *prewarm.Nomad {
			b.asks = append(b.asks, "nomad")
			return nomadRuns(b.pools[29].Idle, 0)
		},
		waiting:   func(string, ...any) {},
		otherwise: func(plugin.Finding) {},
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
			written: func(string) time.Time { return b.directory() },
			host:    "mon1", pid: 7,
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
