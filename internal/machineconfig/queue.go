package machineconfig

import (
	"cmp"
	"fmt"
	"slices"
)

// room is how many more nodes the MCO may begin with: maxUnavailable less the unavailable ones and those that failed at this
// very target. Negative: so many have to become available before one is picked.
func (r rollout) room() int {
	return r.pool.maxUnavailable(len(r.nodes)) - r.unavailable() - r.failing()
}

// failing counts the nodes that failed at the target.
func (r rollout) failing() (count int) {
	for _, n := range r.failed {
		if r.atTarget(n) && !n.drifted() {
			count++
		}
	}
	return count
}

// used words what takes up maxUnavailable.
func (r rollout) used() string {
	failed := ""
	if n := r.failing(); n > 0 {
		failed = fmt.Sprintf(", %d failed", n)
	}
	return fmt.Sprintf("%d unavailable%s, maxUnavailable %d", r.unavailable(), failed, r.pool.maxUnavailable(len(r.nodes)))
}

// queue holds the nodes that wait, and those that failed or are in work at what the pool has given up since and can be picked
// anew, in the order in which the MCO picks them: by zone, nodes without a zone last, the oldest first.
func (r rollout) queue() []Node {
	q := slices.Clone(r.waiting)
	for _, n := range slices.Concat(r.failed, r.working) {
		if !r.atTarget(n) && n.pickable() {
			q = append(q, n)
		}
	}
	slices.SortStableFunc(q, func(a, b Node) int {
		if (a.Zone == "") != (b.Zone == "") {
			return cmp.Compare(b.Zone, a.Zone)
		}
		return cmp.Or(cmp.Compare(a.Zone, b.Zone), a.Created.Compare(b.Created))
	})
	return q
}

// candidates are the nodes that the MCO can take, in its order, none if it has no room.
func (r rollout) candidates() []Node {
	if r.room() <= 0 {
		return nil
	}
	return slices.DeleteFunc(r.queue(), func(n Node) bool { return !n.pickable() })
}

// picks are the ones that it takes next.
func (r rollout) picks() []Node {
	out := r.candidates()
	return out[:min(len(out), max(r.room(), 0))]
}

// with is the rollout as it would be if some nodes were made ready.
func (r rollout) with(ready ...Node) rollout {
	nodes, named := slices.Clone(r.nodes), map[string]bool{}
	for _, n := range ready {
		named[n.Name] = true
	}
	for i := range nodes {
		if named[nodes[i].Name] {
			nodes[i].uncordon()
			nodes[i].wake()
		}
	}
	return newRollout(r.pool, nodes, r.images)
}

func (n *Node) uncordon() { n.Unschedulable = false }

// repair has the daemon find the disk as it should be, or go on with the update that failed.
func (n *Node) repair() {
	switch {
	case n.drifted():
		n.State = stateDone
	case n.failed():
		n.State = stateWorking
	}
}

// wake makes a node's kubelet well.
func (n *Node) wake() {
	n.KubeletReady, n.Lost = true, false
	if !n.managed() { // the daemon runs as soon as the node is well, and finds what it was installed with
		n.Current, n.Desired, n.State = "unknown", "unknown", stateDone
	}
}

// place is where a waiting node would stand, from 1, among those that the MCO can pick, if it were ready.
func (r rollout) place(name string) int {
	place := 1
	for _, n := range r.queue() {
		if n.Name == name {
			break
		}
		if n.pickable() {
			place++
		}
	}
	return place
}
