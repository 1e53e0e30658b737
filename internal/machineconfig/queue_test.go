package machineconfig

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMaxUnavailable(t *testing.T) {
	for limit, want := range map[string]int{"": 1, "0": 1, "1": 1, "3": 3, "10%": 4, "1%": 1, "100%": 44, "x": 1, "-5": 1, "-5%": 1, "%": 1} {
		if got := (Pool{Limit: limit}).maxUnavailable(44); got != want {
			t.Errorf("%q of 44 is %d, want %d", limit, got, want)
		}
	}
}

// By zone, without a zone last, the oldest first; and no more than there is room for.
func TestPicks(t *testing.T) {
	s := fleet(6, on("all", outdated), worker(func(p *Pool) { p.Limit = "4" }))
	for i, zone := range []string{"", "b", "a", "a", "b", ""} {
		s.Nodes[i].Zone = zone
	}
	for _, c := range []struct {
		name   string
		change func(*Snapshot)
		want   string
	}{
		{"all ready", on(""), "w-03 w-04 w-02 w-05"},
		{"one cordoned", on("w-03", cordoned(time.Hour, "oc")), "w-04 w-02 w-05"},
		{"one failed at the target", on("w-03", picked(time.Hour), degradedNode("x", time.Hour)), "w-04 w-02 w-05"},
		// Degraded does not keep a node from being told a new target: desiredConfig differs and it is ready (getAllCandidateMachines).
		{"one drifted from what it was told before the target", on("w-03", degradedNode("x", time.Hour)), "w-03 w-04 w-02"},
		{"one failed at a target that was withdrawn", on("w-03", withdrawn), "w-03 w-04 w-02 w-05"},
		{"one failed so and is cordoned", on("w-03", withdrawn, cordoned(time.Hour, "oc")), "w-04 w-02 w-05"},
		{"one drifted from the target", on("w-03", func(n *Node) { n.Current, n.Desired = newConfig, newConfig }, degradedNode("x", time.Hour)), "w-04 w-02 w-05"},
		{"one in work", on("w-03", draining(time.Hour)), "w-04 w-02 w-05"},
		{"one that has no daemon", on("w-03", func(n *Node) { n.Current, n.State = "", "" }), "w-04 w-02 w-05"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Snapshot{Pools: s.Pools, Nodes: slices.Clone(s.Nodes)}
			c.change(&s)
			if got := strings.Join(names(newRollout(s.Pools[0], s.Nodes, poolImages{}).picks()), " "); got != c.want {
				t.Errorf("picks %s, want %s", got, c.want)
			}
		})
	}
}

// Whoever follows the remedy gets the node drained that was named, and no other: in every pool of up to 4 nodes, of which
// each is up to date or not and ready or not.
func TestRemedyDrainsTheNodeThatIsNamed(t *testing.T) {
	held := 0
	for mask := range 1 << 8 {
		for _, limit := range []string{"1", "2"} {
			s := fleet(4, worker(func(p *Pool) { p.Limit = limit }))
			for i := range s.Nodes {
				if mask>>(2*i)&1 == 1 {
					outdated(&s.Nodes[i])
				}
				if mask>>(2*i)&2 == 2 {
					cordoned(time.Hour, "oc")(&s.Nodes[i])
				}
			}
			r := newRollout(s.Pools[0], s.Nodes, poolImages{})
			if r.outdated() == 0 || len(r.picks()) > 0 {
				continue
			}
			held++
			j := judgement{pool: s.Pools[0], rollout: r, now: noon, limits: defaults()}
			h := j.whyBlocked(clock{now: noon})
			_, command, found := strings.Cut(h.remedy, "oc adm uncordon ")
			if !found {
				t.Fatalf("%08b: no command in %q", mask, h.remedy)
			}
			var woken []Node
			for _, n := range s.Nodes {
				if slices.Contains(strings.Fields(command), n.Name) {
					woken = append(woken, n)
				}
			}
			next := r.with(woken...).picks()
			if len(next) == 0 || next[0].Name != h.node || !strings.Contains(h.consequence, h.node) {
				t.Errorf("%08b, maxUnavailable %s: %q says %q, and %v are drained", mask, limit, h.remedy, h.consequence, names(next))
			}
		}
	}
	if held == 0 {
		t.Fatal("nothing was held")
	}
}
