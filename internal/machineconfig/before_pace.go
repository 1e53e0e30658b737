package machineconfig

import (
	"fmt"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// pace is how fast the MCO went from node to node, in this rollout or the last.
type pace struct {
	each  time.Duration // from one node done to the next; zero: not known
	nodes int           // that it is told from
}

// pace is told from when the controller last wrote to each node that runs the target, which is when it uncordoned it. The median
// of the gaps, as a night's pause must not count.
func (r rollout) pace() pace {
	var ends []time.Time
	for _, n := range r.updated {
		if end := later(n.Picked, n.DrainApplied); !end.IsZero() {
			ends = append(ends, end)
		}
	}
	slices.SortFunc(ends, time.Time.Compare)
	var gaps []time.Duration
	for i := 1; i < len(ends); i++ {
		gaps = append(gaps, ends[i].Sub(ends[i-1]))
	}
	if len(gaps) == 0 {
		return pace{}
	}
	slices.Sort(gaps)
	each := gaps[len(gaps)/2]
	// No node is drained and back in a minute: then the controller wrote something else to all nodes at once.
	if each*time.Duration(r.pool.maxUnavailable(len(r.nodes))) < time.Minute {
		return pace{}
	}
	return pace{each, len(ends)}
}

// lasts words how long a number of nodes takes.
func (p pace) lasts(nodes int) string {
	if p.each == 0 {
		return "not known: no earlier rollout can be seen"
	}
	return fmt.Sprintf("about %s: %s", plugin.Age(p.total(nodes)), p.words())
}

func (p pace) words() string {
	return fmt.Sprintf("one was done every %s, told from the last %s", plugin.Age(p.each), plugin.Count(p.nodes, "node"))
}

func (p pace) total(nodes int) time.Duration { return p.each * time.Duration(nodes) }

// fits says whether what takes so long ends within the window that is open, or else in the next one. Zero: not known.
func (w Windows) fits(took time.Duration, now time.Time) (text string, ok bool) {
	for _, s := range w.around(now) {
		if !s.closes.After(now) {
			continue
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
