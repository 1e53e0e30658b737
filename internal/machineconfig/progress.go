package machineconfig

import (
	"slices"
	"time"
)

// rollout is how far a pool has come with its target, told from its nodes.
type rollout struct {
	pool   Pool
	nodes  []Node
	images poolImages

	updated []Node // run the target
	working []Node // were told to run something they do not run yet, and have not failed
	failed  []Node // Degraded or Unreconcilable
	waiting []Node // are to run the target and have not been told so
	unready []Node // cordoned or not Ready, in work or not
}

func newRollout(p Pool, nodes []Node, images poolImages) rollout {
	r := rollout{pool: p, nodes: nodes, images: images, updated: make([]Node, 0, len(nodes))} // most are
	for _, n := range nodes {
		switch {
		case n.failed():
			r.failed = append(r.failed, n)
		case n.done() && r.atTarget(n):
			r.updated = append(r.updated, n)
		case n.done() || !n.managed():
			r.waiting = append(r.waiting, n)
		default:
			r.working = append(r.working, n)
		}
		if !n.ready() {
			r.unready = append(r.unready, n)
		}
	}
	return r
}

// atTarget says whether the node was told to run the pool's target: its configuration, and in image mode its image. Without a rendered
// configuration there is nothing that it should run.
func (r rollout) atTarget(n Node) bool {
	image, known := r.images.target(r.pool.Name)
	return r.pool.Target == "" || n.Desired == r.pool.Target && (!known || n.DesiredImage == image)
}

// pending are the nodes that do not run the target yet. A node that drifted from the target runs it, but for the drift.
func (r rollout) pending() []Node {
	out := slices.Concat(r.working, r.waiting)
	for _, n := range r.failed {
		if !r.onlyDrifted(n) {
			out = append(out, n)
		}
	}
	return out
}

// onlyDrifted: the node runs the target, but for the drift. With an image that it does not run, an update failed.
func (r rollout) onlyDrifted(n Node) bool {
	return n.drifted() && r.atTarget(n) && n.CurrentImage == n.DesiredImage
}

// outdated counts them.
func (r rollout) outdated() int { return len(r.pending()) }

// oldestOutdated is when the first of the nodes that do not run the target was created.
func (r rollout) oldestOutdated() time.Time {
	var t time.Time
	for _, nodes := range [][]Node{r.working, r.waiting, r.failed} {
		for _, n := range nodes {
			t = earlier(t, n.Created)
		}
	}
	return t
}

// unavailable counts the nodes that use up maxUnavailable.
func (r rollout) unavailable() int {
	n := 0
	for _, node := range r.nodes {
		if node.unavailable() {
			n++
		}
	}
	return n
}

// counts as the MCO writes them into the pool's status.
func (r rollout) counts() (ready, degraded int) {
	for _, n := range r.updated {
		if n.ready() {
			ready++
		}
	}
	return ready, len(r.failed)
}

// moment is a time together with how sure it is: at least says that it is the latest moment the matter can have begun.
type moment struct {
	time.Time
	atLeast bool
}

// pendingSince is when the target began to be outstanding. The condition Updating does not tell: unpausing resets it, and it
// is True without anything pending. Updated turned False when the pool last stopped to be whole, so the target is outstanding
// since then or since it exists, whichever is later. Without the right to read MachineConfigs the last write of
// spec.configuration stands in; a change of its source list alone moves that, hence "at least".
func pendingSince(p Pool, targetCreated map[string]time.Time) moment {
	unwhole := p.Conditions[condUpdated]
	var since time.Time
	if !unwhole.True {
		since = unwhole.Since
	}
	if created, ok := targetCreated[p.Target]; ok {
		return moment{Time: later(since, created)}
	}
	if p.TargetWritten.After(since) {
		return moment{Time: p.TargetWritten, atLeast: true}
	}
	return moment{Time: since}
}

// lastProgress is the last time at which the MCO is known to have moved a node towards the target: only its controller
// writes desiredConfig and lastAppliedDrain. Unpausing counts: before it nothing could move. It does not count where the same
// writer owns the target, whose every change would look like it.
func (r rollout) lastProgress() time.Time {
	var t time.Time
	if !r.pool.Paused && !r.pool.PausedWritten.Equal(r.pool.TargetWritten) {
		t = r.pool.PausedWritten
	}
	for _, n := range r.nodes {
		switch {
		case !n.managed():
			t = later(t, n.Created) // it has just joined
		case n.Desired == r.pool.Target && n.Current == r.pool.Target:
			t = later(t, later(n.Picked, n.DrainApplied))
		}
	}
	return t
}

// inWorkSince is when the MCO told the node to change, or the first sign of it: each write that belongs to the work is younger.
// What is older than the target does not belong to it, nor does anything that the daemon wrote before it began. If nothing is
// recorded the node is taken to be in work since the target is outstanding: a node that is stuck must not pass for one that
// has just begun.
func inWorkSince(n Node, target, cordonedByMCO time.Time) moment {
	signs := []time.Time{n.Picked}
	if n.State != stateDone {
		signs = append(signs, n.DrainAsked, n.StateWritten, n.CordonedSince, n.NotReadySince, cordonedByMCO)
	}
	var since time.Time
	for i, t := range signs {
		if i == 0 || !t.Before(target) {
			since = earlier(since, t)
		}
	}
	if since.IsZero() {
		return moment{Time: target}
	}
	return moment{Time: since, atLeast: true}
}

// phase of a node in work, in the order in which the MCO walks through them.
func phase(n Node) string {
	switch {
	case n.draining():
		return "draining"
	case n.uncordoning():
		return "waiting for the controller to uncordon it"
	case n.State == stateRebooting:
		return "rebooting"
	case n.State == stateDone:
		return "told to update, its machine-config-daemon has not begun"
	case !n.KubeletReady:
		return "not Ready, rebooting or lost"
	}
	return "applying files and OS"
}

// earlier of two times, of which either may be unknown.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
