package gpu

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// Limits say from when on a node's state is an alarm.
type Limits struct {
	Warning, Critical plugin.Range  // GPUs missing on one node; a node that offers none is critical in any case
	Grace             time.Duration // time for what passes by itself: an upgrade, a MIG change, a new node
	MaxCordon         plugin.Range  // age of a cordon or of a maintenance
	Expect            int64         // GPUs of each node, at least; 0: as the labels say
	IgnoreTaints      []TaintPattern
	AllowEmpty        bool
}

// Verdict is the outcome for all nodes.
type Verdict struct {
	Findings []plugin.Finding
	Metrics  []plugin.Metric
	Summary  string   // for when all is well
	Notes    []string // a line for each node
}

// Judge tells which nodes do not offer their GPUs, and why.
func Judge(s Snapshot, p Params, l Limits, now time.Time) Verdict {
	j := newJudgement(s, p, l, now)
	for i := range s.Nodes {
		j.node(&s.Nodes[i])
	}
	v := Verdict{Findings: fold(j.facts, now), Notes: j.notes, Metrics: j.totals.metrics(l), Summary: j.totals.summary()}
	if j.totals.nodes > 0 { // of no node there are no taints to judge
		v.Summary = joined("; ", v.Summary, j.unjudged())
	}
	if len(s.Empty) > 0 {
		v.Summary += "; no GPU DaemonSet in " + plugin.List(s.Empty) + ", is --namespace right?"
	}
	j.passedOver(&v, j.left, plugin.Verb(len(j.left), "has", "have")+" only a label left", "only a label is left, so it is not judged")
	j.passedOver(&v, j.going, plugin.Verb(len(j.going), "is", "are")+" being removed", "is being removed, so it is not judged")
	if len(s.Unmatched) > 0 {
		v.Summary += "; no node matches --expect-selector " + plugin.List(s.Unmatched)
	}
	if j.totals.nodes == 0 {
		v.Findings = []plugin.Finding{j.empty()}
	}
	return v
}

// passedOver names nodes that are not judged, in the summary, and beside a fault, where that is not told, in a line of its own.
func (j *judgement) passedOver(v *Verdict, nodes []string, why, problem string) {
	if len(nodes) == 0 {
		return
	}
	v.Summary += fmt.Sprintf("; %s %s: %s", plugin.Count(len(nodes), "node"), why, plugin.List(nodes))
	if len(j.totals.bad) > 0 {
		v.Findings = append(v.Findings, plugin.Finding{State: plugin.OK, Subject: subject(nodes), Problem: problem})
	}
}

// empty: no node was judged, as none matches or none of those that match has GPUs. That is as bad as no answer, unless the user
// says that it is right.
func (j *judgement) empty() plugin.Finding {
	f := plugin.Finding{State: plugin.Unknown, Subject: "cluster", Problem: "has no GPU node",
		Cause: "no node matches any selector that means so", Remedy: "give --selector or --expect-selector, or --allow-empty if that is right"}
	if n := len(j.snapshot.Nodes); n > 0 {
		f.Cause = fmt.Sprintf("%s %s a selector, but none has GPUs to judge", plugin.Count(n, "node"), plugin.Verb(n, "matches", "match"))
		f.Remedy = "see why (below); give --allow-empty if that is right"
		f.Details = slices.Clone(j.notes)
	}
	if j.limits.AllowEmpty {
		f.State, f.Remedy = plugin.OK, ""
	}
	return f
}

// unjudged says that the taints were not judged, or not against all DaemonSets: that all is well would be too much to say.
func (j *judgement) unjudged() string {
	switch {
	case len(j.daemonSets) == 0 && !j.snapshot.DaemonSetsRead:
		return "taints not judged, as the GPU DaemonSets could not be read"
	case !j.snapshot.DaemonSetsRead && slices.ContainsFunc(j.snapshot.Policies, func(p Policy) bool { return p.UsesDrivers }) &&
		!slices.ContainsFunc(j.snapshot.Policies, func(p Policy) bool { return p.Kind == "NVIDIADriver" }):
		return "taints not judged for the driver, as no NVIDIADriver could be read"
	case j.snapshot.DaemonSetsRead && len(j.snapshot.Unread) > 0:
		return "taints not judged for the DaemonSets of " + plugin.List(j.snapshot.Unread) + ", which could not be read"
	case !slices.ContainsFunc(j.daemonSets, func(d DaemonSet) bool { return d.Role == rolePlugin }):
		return "taints not judged: no device plugin DaemonSet was found"
	}
	return ""
}

// node goes from what makes the numbers meaningless, over missing GPUs, to what will or may go wrong.
func (j *judgement) node(n *Node) {
	if why := leaving(n); why != "" {
		j.removal(n, why)
		return
	}
	if !n.Recognised && !n.Expected && !j.spokenFor(n) {
		j.note(n, "has no GPU any more, only a label is left")
		j.left = append(j.left, n.Name)
		return
	}
	v, told := j.look(n), len(j.facts)
	switch {
	case !n.Ready:
		j.notReady(v)
	case j.maintained(v):
	case v.offer.allocatable == 0 && j.switchedOff(v):
		j.add(v, fact{Finding: plugin.Finding{State: plugin.OK, Problem: "without GPU operands on purpose", Cause: deployOperands + "=false"}})
		v.offer.missing = 0
	case (!n.Recognised || v.offer.missing > 0) && j.onPurpose(v):
	case !n.Recognised:
		j.unrecognised(v)
	case usesDRA(n, j.daemonSets):
		j.devices(v)
	case j.grade(v.offer) != plugin.OK:
		j.short(v)
	default:
		j.sound(v)
	}
	j.cordoned(v, len(j.facts) == told)
	j.totals.count(v)
	j.note(n, v.offer.String())
}

// spokenFor says whether anything but a label that is left says that the node has GPUs. A kubelet knows no key where no plugin has ever
// registered, as with DRA: there a node without an instance type is not told from those that have GPUs and none either. The operator takes
// its deploy labels off a node without GPUs, and feature discovery its count.
func (j *judgement) spokenFor(n *Node) bool {
	for key, value := range n.Labels {
		if strings.HasPrefix(key, deployPrefix) && value == "true" || key == j.params.CountLabel && number(value) > 0 {
			return true
		}
	}
	return len(n.Resources) > 0 || oddPCI(n) != "" || len(j.slices[n.Name]) > 0 || j.kinds[class(n)]
}

// switchedOff: the operator's operands are, by a label, and nobody else's plugin is for the node. Where DaemonSets were not read one that
// does has left a number with the kubelet.
func (j *judgement) switchedOff(v *view) bool {
	if v.Labels[deployOperands] != "false" || usesDRA(v.Node, j.daemonSets) {
		return false
	}
	if !j.snapshot.DaemonSetsRead || len(j.snapshot.Unread) > 0 {
		return v.offer.capacity == 0
	}
	return !slices.ContainsFunc(v.selected, func(d *DaemonSet) bool { return d.Role == rolePlugin && !hasDeployLabel(d) })
}

// grade compares what is missing with the limits.
func (j *judgement) grade(o offer) plugin.State {
	switch missing := float64(o.missing); {
	case o.allocatable == 0, j.limits.Critical.Violates(missing):
		return plugin.Critical
	case j.limits.Warning.Violates(missing):
		return plugin.Warning
	}
	return plugin.OK
}

func daemonSetNames(all []*DaemonSet) []string {
	var out []string
	for _, d := range all {
		out = append(out, d.Name)
	}
	return out
}

func joined(separator string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, separator)
}
