package gpu

import (
	"slices"
	"time"
)

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
	going      []string                    // nodes that are being removed
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

// pod is the DaemonSet's pod on the node. known is false where pods were not read.
func (j *judgement) pod(n *Node, d *DaemonSet) (pod *Pod, known bool) {
	return j.pods[place{n.Name, d.Namespace, d.Name}], j.snapshot.PodsRead[d.Namespace]
}

// young says whether the grace lasts that began then. A time in the future, of a clock that is wrong, must not silence for ever.
func (j *judgement) young(since time.Time) bool {
	age := j.now.Sub(since)
	return !since.IsZero() && age < j.limits.Grace && age > -j.limits.Grace
}

func (j *judgement) note(n *Node, text string) { j.notes = append(j.notes, n.Name+": "+text) }
