package machineconfig

import (
	"slices"

	"overdue/internal/plugin"
)

// together tells what making all nodes ready sets off that are asked about, by their names or their pools': each of two cordons alone may
// hold what waits behind both.
func (f *foresight) together(targets []Target) {
	after, touched := f.mended(func(n Node) bool {
		pool, _, in := f.poolOf(n.Name)
		return slices.Contains(targets, Target{targetNode, n.Name}) || in && slices.Contains(targets, Target{targetPool, pool.Name})
	})
	if len(targets) < 2 || len(touched) < 2 {
		return
	}
	e := f.effectOf(after, "")
	if len(e.other) == 0 {
		return
	}
	f.add("nodes "+plugin.List(touched), plugin.Finding{State: e.state, Problem: "making all of them ready " + e.text,
		Remedy: "ask for the workloads: check_mcp --before-change " + e.other[0]})
}

// mended is the snapshot as it would be with those of the chosen nodes made ready that are not, which are named.
func (f *foresight) mended(chosen func(Node) bool) (after Snapshot, touched []string) {
	after = f.Snapshot
	after.Nodes = slices.Clone(after.Nodes)
	for i := range after.Nodes {
		if n := &after.Nodes[i]; n.mendable() && chosen(*n) {
			n.uncordon()
			n.wake()
			n.repair()
			touched = append(touched, n.Name)
		}
	}
	return after, touched
}

// readying is what making all nodes of a pool ready sets off in other pools, whose nodes wait behind them or find no other room. In
// the pool itself it drains nothing.
func (f *foresight) readying(r rollout) effect {
	after, touched := f.mended(func(n Node) bool { return hasNode(r.nodes, n.Name) })
	e := effect{text: "drains nothing"}
	switch {
	case len(touched) == 0:
		return e
	case len(f.heldBack(r)) > 1:
		e = f.effectOf(after, "")
	}
	return f.frees(e, touched...)
}

// heldBack are the pools in which a node of one can hold an update: its own, and masters and arbiters, which wait for each other.
func (f *foresight) heldBack(r rollout) []rollout {
	if control := []string{"master", "arbiter"}; slices.Contains(control, r.pool.Name) {
		return []rollout{f.rollout(control[0]), f.rollout(control[1])}
	}
	return []rollout{r}
}
