package gpu

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

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
	if len(j.left) > 0 {
		v.Summary += fmt.Sprintf("; %s %s only a label left: %s", plugin.Count(len(j.left), "node"), plugin.Verb(len(j.left), "has", "have"), plugin.List(j.left))
		if len(j.totals.bad) > 0 { // then the summary is not told
			v.Findings = append(v.Findings, plugin.Finding{State: plugin.OK, Subject: subject(j.left), Problem: "only a label is left, so it is not judged"})
		}
	}
	if len(s.Unmatched) > 0 {
		v.Summary += "; no node matches --expect-selector " + plugin.List(s.Unmatched)
	}
	if j.totals.nodes == 0 {
		v.Findings = []plugin.Finding{j.empty()}
	}
	return v
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

// judgement is the work on all nodes.
type judgement struct {
	snapshot   Snapshot
	params     Params
	limits     Limits
	now        time.Time
	daemonSets []DaemonSet // read or inferred
	pods       map[place]*Pod
	rollouts   map[[2]string]*rollout // by namespace and name of the DaemonSet
	facts      []fact
	notes      []string
	totals     totals
	discovery  bool                        // a feature discovery labels nodes
	peers      map[string]map[string]int64 // the most GPUs that a node offers, by what is meant and what is found
	usual      map[string]int64            // by model: how many GPUs most nodes of it offer
	kinds      map[string]bool             // instance types of nodes that are recognised as having GPUs; "" of nodes with DRA only
	slices     map[string][]Slice          // by node
	left       []string                    // nodes that are no longer recognised and of which nothing else says that they have GPUs
	tainted    map[string]int              // nodes by taint, as key:effect
	examples   map[*DaemonSet]string       // a node that it selects, or ""; found when first asked for
}

// place is where a pod of a DaemonSet is.
type place struct{ node, namespace, daemonSet string }

func newJudgement(s Snapshot, p Params, l Limits, now time.Time) *judgement {
	j := &judgement{snapshot: s, params: p, limits: l, now: now, daemonSets: s.DaemonSets, pods: map[place]*Pod{}, rollouts: rollouts(s.Pods), peers: map[string]map[string]int64{}, usual: map[string]int64{}, kinds: map[string]bool{}, slices: map[string][]Slice{}, tainted: map[string]int{}, examples: map[*DaemonSet]string{},
		totals: totals{bad: map[string]bool{}, parts: map[string]part{}}}
	if !s.DaemonSetsRead {
		j.daemonSets = infer(s.Policies, s.Nodes)
	}
	for i := range s.Pods {
		pod := &s.Pods[i]
		at := place{pod.Node, pod.Namespace, pod.DaemonSet}
		if before := j.pods[at]; before == nil || before.Deleting || !pod.Deleting && pod.Created.After(before.Created) {
			j.pods[at] = pod // of several, as in a rollout, the newest that is to stay
		}
	}
	for _, slice := range s.Slices {
		j.slices[slice.Node] = append(j.slices[slice.Node], slice)
	}
	offers := map[string]map[int64]int{} // nodes by model and capacity
	for i := range s.Nodes {
		n := &s.Nodes[i]
		capacity := offered(n, p, 0).capacity
		j.learn(n, capacity)
		kind, dra := class(n), usesDRA(n, j.daemonSets)
		j.kinds[kind] = j.kinds[kind] || n.Recognised && (kind != "" || dra)
		if dra {
			capacity = int64(len(j.published(n.Name).devices))
		}
		if kind := j.likeness(n).model; kind != "" && capacity > 0 {
			if offers[kind] == nil {
				offers[kind] = map[int64]int{}
			}
			offers[kind][capacity]++
		}
		for _, t := range n.Taints {
			j.tainted[keyEffect(t)]++
		}
	}
	for kind, counts := range offers {
		j.usual[kind] = usual(counts)
	}
	j.discovery = j.discovers()
	return j
}

// example is a node that the DaemonSet selects, or "".
func (j *judgement) example(d *DaemonSet) string {
	name, known := j.examples[d]
	if !known {
		if i := slices.IndexFunc(j.snapshot.Nodes, func(n Node) bool { return d.selects(&n) }); i >= 0 {
			name = j.snapshot.Nodes[i].Name
		}
		j.examples[d] = name
	}
	return name
}

// class is the instance type by which nodes can be compared; empty: none. k3s and RKE2 give one to all their nodes, vSphere one that
// tells of processors and memory only.
func class(n *Node) string {
	kind := n.Labels[labelInstance]
	if kind == "k3s" || kind == "rke2" || strings.HasPrefix(kind, "vsphere-vm.") {
		return ""
	}
	return kind
}

// view is one node with what was found out about it.
type view struct {
	*Node
	offer    offer
	selected []*DaemonSet // those that want a pod here, taints aside
	blocked  []*DaemonSet // of these, those that a taint keeps away
	taints   []corev1.Taint
}

func (j *judgement) look(n *Node) *view {
	want, _ := j.expects(n)
	v := &view{Node: n, offer: offered(n, j.params, want)}
	if v.offer.want == 0 && v.offer.allocatable == 0 {
		v.offer.want = j.alike(n)
		v.offer.missing = max(v.offer.missing, v.offer.want, 1) // at least one, or it would be no GPU node
	}
	taints := j.relevant(n)
	blocking := map[string]bool{}
	for i := range j.daemonSets {
		if d := &j.daemonSets[i]; d.selects(n) {
			v.selected = append(v.selected, d)
		}
	}
	if v.labelled() && !byNFD(n) {
		v.selected = slices.DeleteFunc(v.selected, func(d *DaemonSet) bool { return d.Role == roleNFD })
	}
	for _, d := range v.selected {
		if kept := d.untolerated(taints); len(kept) > 0 {
			v.blocked = append(v.blocked, d)
			for _, t := range kept {
				blocking[t.ToString()] = true
			}
		}
	}
	for _, t := range taints {
		if blocking[t.ToString()] {
			v.taints = append(v.taints, t)
		}
	}
	return v
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
// registered, as with DRA: there a node without an instance type is not told from those that have GPUs and none either.
func (j *judgement) spokenFor(n *Node) bool {
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

func (j *judgement) note(n *Node, text string) { j.notes = append(j.notes, n.Name+": "+text) }

// pod is the DaemonSet's pod on the node. known is false where pods were not read.
func (j *judgement) pod(n *Node, d *DaemonSet) (pod *Pod, known bool) {
	return j.pods[place{n.Name, d.Namespace, d.Name}], j.snapshot.PodsRead[d.Namespace]
}

// young says whether the grace lasts that began then. A time in the future, of a clock that is wrong, must not silence for ever.
func (j *judgement) young(since time.Time) bool {
	age := j.now.Sub(since)
	return !since.IsZero() && age < j.limits.Grace && age > -j.limits.Grace
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

// age words a time of which it is known only that it is the latest possible: "for at least 3d 2h (since …)".
func (j *judgement) age(m moment) string {
	if m.IsZero() {
		return ""
	}
	least := "at least "
	if m.exact {
		least = ""
	}
	return fmt.Sprintf("for %s%s (since %s)", least, plugin.Age(j.now.Sub(m.Time)), plugin.Moment(m.Time))
}

// moment is a time at which something began, or by which it had begun.
type moment struct {
	time.Time
	exact bool
}
