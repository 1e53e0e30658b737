package prewarm

import (
	"slices"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// Limits are the thresholds.
type Limits struct {
	Warning  plugin.Range // of idle runners in percent of the pool's size
	Critical plugin.Range
	MinIdle  int // critical below so many idle runners, in pools that are as large; 0: no such limit
}

// DefaultLimits alarm below half, as incident 2 asked for, and call it an emergency below a quarter.
func DefaultLimits() Limits {
	return Limits{Warning: plugin.NewRange("50:"), Critical: plugin.NewRange("25:")}
}

// upsideDown names a threshold that alarms for full pools and not for empty ones, as one does whose colon was forgotten.
func (l Limits) upsideDown() string {
	for name, r := range map[string]plugin.Range{"--warning ": l.Warning, "--critical ": l.Critical} {
		if r.Violates(100) && !r.Violates(0) {
			return name + r.String()
		}
	}
	return ""
}

// state judges a number of idle runners against a pool's size. An empty pool of no size is as it should be.
func (l Limits) state(idle, size int) plugin.State {
	if size == 0 {
		return plugin.OK
	}
	percent := float64(idle) * 100 / float64(size)
	switch {
	case l.Critical.Violates(percent), idle < min(l.MinIdle, size):
		return plugin.Critical
	case l.Warning.Violates(percent):
		return plugin.Warning
	}
	return plugin.OK
}

// Low says that a pool holds too few idle runners, as Poseidon counts them.
func (l Limits) Low(p poseidon.Pool) bool { return l.state(p.Idle, p.Size) != plugin.OK }

// Outage says that so many pools are low at once that the pools cannot be the cause: at least two, and at least half of all.
func (l Limits) Outage(pools []poseidon.Pool) (low, of int, outage bool) {
	for _, p := range pools {
		if p.Size == 0 {
			continue
		}
		of++
		if l.Low(p) {
			low++
		}
	}
	return low, of, low >= 2 && 2*low >= of
}

// contradict says that Poseidon and Nomad tell different things of a pool. The two are not read at one moment.
func (l Limits) contradict(s Snapshot) bool {
	return slices.ContainsFunc(s.Pools, func(p poseidon.Pool) bool {
		standing := l.Stand(p, s.Nomad)
		return standing == Stale || standing == Lost
	})
}

// Standing is how a pool stands by Poseidon's count and by Nomad's (facts of both in one place: poseidon#358, #470, #598).
type Standing int

// How a pool can stand.
const (
	Fine      Standing = iota
	Unchecked          // low, and Nomad was not asked or could not be
	Lost               // low in Poseidon's memory, while Nomad runs more
	Filling            // low, and runners are starting or wait for room
	Missing            // low by both counts, and nothing is starting
	Stale              // Poseidon counts runners that Nomad does not run
)

// Stand compares a pool with what Nomad runs of it. Nomad is ahead of Poseidon by what has just started, and learns of a claim, for
// which a runner starts, up to half a second later: so only what it runs beyond that is lost (poseidon#399, docs/nomad_usage.md). Where
// Poseidon counts what Nomad does not run, events did not reach it, and a resync would go wrong (poseidon#470), however low the pool is.
func (l Limits) Stand(p poseidon.Pool, n *Nomad) Standing {
	r, known := n.of(p.ID)
	low := l.Low(p)
	switch ghosts := p.Idle - r.Running - r.Fresh; {
	case p.Size == 0, n.IsAWS(p):
		return Fine
	case !known && low:
		return Unchecked
	case !known:
		return Fine
	case low && r.Running-p.Idle > r.Starting:
		return Lost
	case low && r.Starting > 0:
		return Filling
	case low && ghosts > 0:
		return Stale
	case low:
		return Missing
	case ghosts > 0 && (l.state(r.Running+r.Fresh, p.Size) != plugin.OK || ghosts >= max(2, p.Size/4)):
		return Stale
	}
	return Fine
}
