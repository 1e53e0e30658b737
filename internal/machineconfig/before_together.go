package machineconfig

import (
	"slices"

	"overdue/internal/plugin"
)

// together tells what making all nodes ready sets off that are asked about: each of two cordons alone may hold what waits behind both.
func (f *foresight) together(targets []Target) {
	after := f.Snapshot
	var touched []string
	for _, n := range f.Nodes {
		if (!n.pickable() || n.failed()) && slices.Contains(targets, Target{targetNode, n.Name}) {
			after = after.withNode(n.Name, (*Node).uncordon, (*Node).wake, (*Node).repair)
			touched = append(touched, n.Name)
		}
	}
	if len(touched) < 2 {
		return
	}
	e := f.effectOf(after, "")
	if len(e.other) == 0 {
		return
	}
	f.add("nodes "+plugin.List(touched), plugin.Finding{State: e.state, Problem: "making all of them ready " + e.text,
		Remedy: "ask for the workloads: check_mcp --before-change " + e.other[0]})
}
