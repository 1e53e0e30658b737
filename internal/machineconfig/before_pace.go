package machineconfig

import (
	"fmt"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// pace is how fast the MCO went from node to node, in this rollout or the last.
type pace struct {
	each    time.Duration // from one node done to the next, on average; zero: not known
	nodes   int           // that it is told from
	atOnce  int           // nodes in work together
	unclear bool          // a rollout was seen, and does not tell
}

// night is a gap between two nodes that is no work: a pause, or the time between two windows.
const night = 4 * time.Hour

// pace is told from when the controller last wrote to each node that runs the target, which is when it uncordoned it. Nodes that
// are in work together are done close to each other, so what counts is the median time to the node that is maxUnavailable further.
func (r rollout) pace() pace {
	var ends []time.Time
	for _, n := range r.updated {
		if end := later(n.Picked, n.DrainApplied); !end.IsZero() {
			ends = append(ends, end)
		}
	}
	slices.SortFunc(ends, time.Time.Compare)
	atOnce := max(1, r.pool.maxUnavailable(len(r.nodes)))
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
		if i-atOnce >= first {
			batches = append(batches, ends[i].Sub(ends[i-atOnce]))
		}
	}
	if len(batches) == 0 {
		return pace{unclear: gaps > 0}
	}
	slices.Sort(batches)
	batch := batches[len(batches)/2]
	// No node is drained and back in a minute: then the controller wrote something else to all nodes at once.
	if batch < time.Minute {
		return pace{}
	}
	each := batch / time.Duration(atOnce)
	// More nodes were in work together than are now, or some took far longer than most.
	if worked/time.Duration(gaps) > 2*each {
		return pace{unclear: true}
	}
	return pace{each: each, nodes: len(ends), atOnce: atOnce}
}

// lasts words how long a number of nodes takes.
func (p pace) lasts(nodes int) string {
	if p.unclear {
		return "not known: the last rollout is too short or too uneven to tell"
	}
	if p.each == 0 {
		return "not known: no earlier rollout can be seen"
	}
	return fmt.Sprintf("about %s: %s", plugin.Age(p.total(nodes)), p.words())
}

func (p pace) words() string {
	return fmt.Sprintf("one was done every %s, told from the last %s", plugin.Age(p.each), plugin.Count(p.nodes, "node"))
}

// total is how long a number of nodes takes: the last ones of them too take the time of as many as are in work together.
func (p pace) total(nodes int) time.Duration {
	if p.each == 0 {
		return 0
	}
	return p.each * time.Duration((nodes+p.atOnce-1)/p.atOnce*p.atOnce)
}

// fits says whether what takes so long ends within the window that is open, or else in the next one. Zero: not known.
func (w Windows) fits(took time.Duration, now time.Time) (text string, ok bool) {
	for _, s := range w.around(now) {
		if !s.closes.After(now) {
			continue
		}
		if s.endless() {
			return "always open: the rollout fits", true
		}
		text = fmt.Sprintf("opens in %s, for %s", plugin.Age(s.opens.Sub(now)), plugin.Age(s.closes.Sub(s.opens)))
		room := s.closes.Sub(s.opens)
		if !s.opens.After(now) {
			room = s.closes.Sub(now)
			text = "open for another " + plugin.Age(room)
		}
		switch {
		case took == 0:
			return text + "; whether the rollout fits is not known", true
		case took > room:
			return text + ": the rollout does not fit", false
		}
		return text + ": the rollout fits", true
	}
	return "", true
}
