package gpu

import (
	"strings"

	"overdue/internal/plugin"
)

// change is a division of GPUs that a manager of NVIDIA's makes on request: it pauses operands meanwhile, and tells in a label how far it
// is (NVIDIA/mig-parted and vgpu-device-manager).
type change struct {
	what, state, config string // words, and the labels
	manager, say        string // its DaemonSet, and what to see to
}

var changes = []change{
	{"MIG change", labelMIGState, labelMIGConfig, "mig-manager", "see the log of the MIG manager, then restart its pod"},
	{"vGPU change", labelVGPUState, labelVGPUTypes, "vgpu-device-manager", "see the log of the vGPU device manager, then restart its pod"},
}

// inState is the change whose label says one of the states: pending, rebooting, success, failed.
func inState(n *Node, states ...string) (change, bool) {
	for _, c := range changes {
		for _, state := range states {
			if n.Labels[c.state] == state {
				return c, true
			}
		}
	}
	return change{}, false
}

// of words the change with what it is to: "MIG change to all-1g.5gb".
func (c change) of(n *Node) string {
	return strings.TrimSuffix(c.what+" to "+n.Labels[c.config], " to ")
}

// settling: the manager sets back the deploy labels and says success at once, before any plugin runs again. That is no excuse for a
// plugin that is known to be older than the grace, nor for a pod that crashes.
func (j *judgement) settling(v *view) (underway, bool) {
	c, done := inState(v.Node, "success")
	if !done || !j.young(v.Written[c.state]) {
		return underway{}, false
	}
	restarted := len(j.daemonSets) == 0 && !j.snapshot.DaemonSetsRead
	for _, d := range v.selected {
		pod, known := j.pod(v.Node, d)
		switch {
		case d.essential() && pod != nil && pod.Crashing:
			return underway{}, false
		case d.Role == rolePlugin:
			restarted = restarted || !known || pod == nil || j.young(pod.Created)
		}
	}
	if !restarted {
		return underway{}, false
	}
	return underway{what: c.of(v.Node) + " done, pods start again", since: moment{Time: v.Written[c.state]}}, true
}

// unpaused is what a deploy label said before a manager paused it; ok is false for what is no label's value.
func unpaused(value string) (before string, ok bool) {
	before, _, _ = strings.Cut(value, pausedMark)
	if before = strings.TrimSuffix(before, "_"); before == "" {
		before = "true"
	}
	return before, validValue(before)
}

// setBack is the remedy for deploy labels that stay paused.
func setBack(n *Node, paused []string) func(nodes []string) string {
	var sets, odd []string
	for _, key := range paused {
		if before, ok := unpaused(n.Labels[key]); ok && validKey(key) {
			sets = append(sets, key+"="+before)
		} else {
			odd = append(odd, key)
		}
	}
	return func(nodes []string) string {
		var parts []string
		if len(sets) > 0 {
			parts = append(parts, "kubectl label nodes "+some(nodes)+" --overwrite "+strings.Join(sets, " "))
		}
		if len(odd) > 0 {
			parts = append(parts, "set back by hand "+plugin.List(odd))
		}
		return strings.Join(parts, ", ")
	}
}
