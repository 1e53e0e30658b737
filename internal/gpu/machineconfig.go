package gpu

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// updating says whether OpenShift's Machine Config Operator works on the node, or cannot get on with it.
func (n *Node) updating() bool {
	state := n.Annotations[mcoState]
	return n.Annotations[mcoCurrent] != n.Annotations[mcoDesired] || state != "" && state != "Done"
}

// updateFailed: the operator could not apply the update, or found a file changed. It tries again, but that is no progress.
func (n *Node) updateFailed() bool {
	return n.Annotations[mcoState] == "Degraded" || n.Annotations[mcoState] == "Unreconcilable"
}

// held words what a machine-config update means for whoever mends the node; this plugin knows of it from the node's annotations
// and the operator's own taint. The sentence would have prevented the incident for which the plugin exists: the node was ready,
// and what was changed on it was a taint.
func held(n *Node) string {
	waits := slices.ContainsFunc(n.Taints, func(t corev1.Taint) bool { return t.Key == mcoWaitingTaint })
	switch {
	case n.updateFailed():
		return fmt.Sprintf("a machine-config update has failed on this node (%s): once it goes on, the Machine Config Operator drains and reboots the node", plugin.Clean(n.Annotations[mcoState]))
	case n.updating() || waits:
		return "a machine-config update waits on this node: once it goes on, as a change here may let it, the Machine Config Operator drains and reboots the node"
	}
	return ""
}

// mindful adds to a finding that someone will act on what is held on the node, and puts check_mcp before the remedy.
func (f fact) mindful(n *Node) fact {
	held := held(n)
	if held == "" {
		return f
	}
	then, words := f.remedy, f.Remedy
	f.remedy = func(nodes []string) string {
		if then != nil {
			words = then(nodes)
		}
		return joined(", and only then: ", "first run check_mcp", words)
	}
	f.Consequence = joined("; ", held, f.Consequence)
	a := n.Annotations
	text := fmt.Sprintf("machine config: %s, wanted %s, state %s", a[mcoCurrent], a[mcoDesired], a[mcoState])
	if since := latest(n.Written[mcoDesired], n.Written[mcoState]); !since.IsZero() {
		text += ", so since " + plugin.Moment(since.Time) + " at the latest"
	}
	f.Details = append(slices.Clone(f.Details), text)
	return f
}
