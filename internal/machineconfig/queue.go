package machineconfig

import (
	"cmp"
	"slices"
)

// room is how many more nodes the MCO may begin with: maxUnavailable less the unavailable ones and those that failed at this
// very target. Negative: so many have to become available before one is picked.
func (r rollout) room() int {
	room := r.pool.maxUnavailable(len(r.nodes)) - r.unavailable()
	for _, n := range r.failed {
		if n.Desired == r.pool.Target && n.Current != n.Desired {
			room--
		}
	}
	return room
}

// queue holds the nodes that wait, in the order in which the MCO picks them: by zone, nodes without a zone last, the oldest
// first.
func (r rollout) queue() []Node {
	q := slices.Clone(r.waiting)
	slices.SortStableFunc(q, func(a, b Node) int {
		if (a.Zone == "") != (b.Zone == "") {
			return cmp.Compare(b.Zone, a.Zone)
		}
		return cmp.Or(cmp.Compare(a.Zone, b.Zone), a.Created.Compare(b.Created))
	})
	return q
}

// nextPick is the first of the queue that the MCO can pick, or the first of all if there is none.
func (r rollout) nextPick() Node {
	q := r.queue()
	if i := slices.IndexFunc(q, Node.pickable); i > 0 {
		return q[i]
	}
	return q[0]
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

// picksIfReady says whether the MCO would pick the waiting node at once if it were made ready: it then is available, and
// frees the share of maxUnavailable that it uses up now.
func (r rollout) picksIfReady(n Node) bool {
	room := r.room()
	if n.unavailable() {
		room++
	}
	return r.place(n.Name) <= room
}
