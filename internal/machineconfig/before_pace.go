package machineconfig

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// pace is how long the MCO took for a node, in this rollout or the last, and how many it can have in work from now on.
type pace struct {
	node    time.Duration // zero: not known
	nodes   int           // that it is told from
	then    int           // of them taken to have been in work together
	limit   int           // that may be in work together
	now     int           // of which nodes that are not ready leave so many; zero: none begins
	paused  bool          // none begins either
	least   bool          // more of them may have been in work together, and each may have taken longer
	unclear bool          // a rollout was seen, and does not tell
}

// night is a gap between two nodes that is no work: a pause, or the time between two windows.
const night = 4 * time.Hour

// pace is told from when the controller last wrote to each node that runs the target, which is when it uncordoned it. When it
// began is recorded nowhere, so what a node took follows from how many were in work together: as many as maxUnavailable, if that
// is not younger than they are.
func (r rollout) pace() pace {
	ends := r.ends()
	limit := r.pool.maxUnavailable(len(r.nodes))
	p := pace{nodes: len(ends), then: limit, limit: limit, now: max(0, limit-r.stuck()), paused: r.pool.Paused}
	if len(ends) == 0 || !ends[0].Before(r.pool.LimitWritten) {
		p.node, p.unclear = perNode(ends, p.then)
		return p
	}
	begun := r.pool.LimitWritten.Add(drainLimit) // what was in work when it was written is done by then
	young := slices.DeleteFunc(slices.Clone(ends), func(end time.Time) bool { return end.Before(begun) })
	if p.node, p.unclear = perNode(young, p.then); p.node > 0 {
		p.nodes = len(young)
		return p
	}
	p.then, p.least = 1, true
	p.node, p.unclear = perNode(ends, p.then)
	return p
}

// ends are when the nodes that run the target were done, in order.
func (r rollout) ends() []time.Time {
	var ends []time.Time
	for _, n := range r.updated {
		if end := later(n.Picked, n.DrainApplied); !end.IsZero() {
			ends = append(ends, end)
		}
	}
	slices.SortFunc(ends, time.Time.Compare)
	return ends
}

// stuck counts the nodes that use up maxUnavailable and do not become available by themselves.
func (r rollout) stuck() int {
	n := 0
	for _, node := range r.nodes {
		if node.unavailable() && !r.inWork(node.Name) {
			n++
		}
	}
	return n
}

// perNode is what one node took, if a number of them were in work together. Such are done close to each other, so what counts is
// the median time to the node that is so many further.
func perNode(ends []time.Time, together int) (took time.Duration, unclear bool) {
	var batches []time.Duration
	var worked time.Duration // all gaps but the nights
	gaps, first := 0, 0      // first since the last night
	for i := 1; i < len(ends); i++ {
		gap := ends[i].Sub(ends[i-1])
		if gap > night {
			first = i
			continue
		}
		worked, gaps = worked+gap, gaps+1
		if i-together >= first {
			batches = append(batches, ends[i].Sub(ends[i-together]))
		}
	}
	if len(batches) == 0 {
		return 0, gaps > 0
	}
	slices.Sort(batches)
	took = batches[len(batches)/2]
	// No node is drained and back in a minute: then the controller wrote something else to all nodes at once.
	if took < time.Minute {
		return 0, false
	}
	// More nodes were in work together than are now, or some took far longer than most.
	if worked/time.Duration(gaps) > 2*took/time.Duration(together) {
		return 0, true
	}
	return took, false
}

// lasts words how long a number of nodes takes.
func (p pace) lasts(nodes int) string {
	if p.unclear {
		return "not known: the last rollout is too short or too uneven to tell"
	}
	if p.node == 0 {
		return "not known: no earlier rollout can be seen"
	}
	text := "about " + plugin.Age(p.total(nodes))
	if p.least {
		text = "at least " + text
	}
	switch {
	case len(p.awaits()) > 0:
		text = "it does not start; once " + plugin.List(p.awaits()) + " " + text
	case p.now != p.then:
		text += fmt.Sprintf(" with %d at a time", p.now)
	}
	return text + ": " + p.words()
}

// awaits is what keeps a rollout from starting.
func (p pace) awaits() (out []string) {
	if p.paused {
		out = append(out, "the pool is unpaused")
	}
	if p.now == 0 {
		out = append(out, "all are ready")
	}
	return out
}

func (p pace) words() string {
	if p.least {
		return fmt.Sprintf("at least %s for a node, as maxUnavailable may have been another, told from the last %s", plugin.Age(p.node), plugin.Count(p.nodes, "node"))
	}
	return fmt.Sprintf("%s for a node, %d at a time, told from the last %s", plugin.Age(p.node), p.then, plugin.Count(p.nodes, "node"))
}

// total is how long a number of nodes takes: the last ones of them too take the time of as many as are in work together.
func (p pace) total(nodes int) time.Duration {
	together := cmp.Or(p.now, p.limit)
	return p.node * time.Duration((nodes+together-1)/together)
}

// fits says whether that ends within the window that is open, or else in the next one. Not ok: it does not.
func (w Windows) fits(p pace, nodes int, now time.Time) (text string, ok bool) {
	for _, s := range w.around(now) {
		if !s.closes.After(now) {
			continue
		}
		room := s.closes.Sub(later(s.opens, now))
		switch {
		case s.endless():
			text, room = "always open", math.MaxInt64
		case s.opens.After(now):
			text = fmt.Sprintf("opens in %s, for %s", plugin.Age(s.opens.Sub(now)), plugin.Age(room))
		default:
			text = "open for another " + plugin.Age(room)
		}
		switch took := p.total(nodes); {
		case len(p.awaits()) > 0:
			return text + "; as things are the rollout does not start", true // why not is a finding of its own
		case took > room:
			return text + ": the rollout does not fit", false
		case took == 0 || p.least:
			return text + "; whether the rollout fits is not known", true
		}
		return text + ": the rollout fits", true
	}
	return "", true
}
