package machineconfig

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// slowDrain is from when on a drain counts as hanging: the MCO itself then tries more seldom (every 5 minutes instead of every one).
const slowDrain = 10 * time.Minute

// effect is what an action sets off.
type effect struct {
	text  string
	state plugin.State
	own   bool     // the node itself is taken
	other []string // nodes that are drained
}

// effectOf compares what the MCO takes after an action with what it takes without it: now, once the nodes in work are done, and in the
// end. The node is the one that is touched; empty: several are.
func (f *foresight) effectOf(after Snapshot, node string) effect {
	e := effect{}
	now := after.picks()
	parts := f.taken(&e, news(now, f.before), node)
	if then, busy := after.finished(); len(busy) > 0 {
		for _, part := range f.taken(&e, news(then.picks(), f.before, now, f.next), node) {
			parts = append(parts, "once "+are(busy)+" done, "+part)
		}
	}
	if e.state != plugin.Critical {
		parts = append(parts, f.drainedLater(&e, news(after.course(), f.course), node)...)
	}
	e.text = strings.Join(parts, "; ")
	if e.text == "" {
		e.text = "drains nothing" + f.whyNothing(after, node)
	}
	return e
}

// news are the picks that are not known.
func news(picks []pick, known ...[]pick) []pick {
	names := map[string]bool{}
	for _, p := range slices.Concat(known...) {
		names[p.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(picks), func(p pick) bool { return names[p.Name] })
}

// drainedLater adds to an effect what follows a harmless update: that is done in a minute, and makes room for the next. When the node
// itself comes to its turn is not asked here.
func (f *foresight) drainedLater(e *effect, course []pick, node string) []string {
	text, further := "", 0
	for _, p := range course {
		need, _ := f.need(p.Node, p.pool)
		if need == needNothing || p.Name == node {
			continue
		}
		e.state, f.drained[p.Name] = plugin.Critical, true
		e.other = append(e.other, p.Name)
		if text == "" {
			text = "then " + need.does(p.Name)
			continue
		}
		further++
	}
	switch {
	case text == "":
		return nil
	case further > 0:
		text += ", and " + plugin.Count(further, "further node")
	}
	return []string{text}
}

// taken adds picks to an effect.
func (f *foresight) taken(e *effect, picks []pick, node string) (parts []string) {
	further := 0
	for _, p := range picks {
		need, _ := f.need(p.Node, p.pool)
		e.state = max(e.state, noted(need != needNothing))
		if need != needNothing {
			f.drained[p.Name] = true
		}
		if p.Name == node {
			e.own = true
			parts = append(parts, need.does(p.Name)+" (next in line)")
			continue
		}
		if need != needNothing {
			e.other = append(e.other, p.Name)
		}
		if further++; further == 1 {
			parts = append(parts, need.does(p.Name)+", which is next in line")
		}
	}
	if further > 1 {
		parts = append(parts, plugin.Count(further-1, "further node")+" with it")
	}
	return parts
}

// whyNothing is why no outdated node is taken even after an action: neither the one that is touched, nor another of its pool.
func (f *foresight) whyNothing(after Snapshot, node string) string {
	pool, r, ok := after.poolOf(node)
	var own *Node
	for i, n := range r.nodes {
		if n.Name == node && !r.atTarget(n) {
			own = &r.nodes[i]
		}
	}
	full := r.used()
	switch {
	case !ok || own == nil && len(r.queue()) == 0:
		return ""
	case pool.Paused:
		return " yet: pool " + pool.Name + " is paused"
	case pool.imageAwaited():
		return " yet: the OS image is not built"
	case own == nil:
		next := slices.IndexFunc(r.queue(), Node.pickable)
		if next < 0 {
			return fmt.Sprintf(" yet: %s is still %s", r.waiting[0].Name, still(r.waiting[0]))
		}
		return fmt.Sprintf(" more now: %s, and %s is next", full, r.queue()[next].Name)
	case r.inWork(node):
		return " more: what has begun is finished first"
	case !own.pickable():
		return fmt.Sprintf(" yet: %s is still %s", node, still(*own))
	case r.room() <= 0:
		return fmt.Sprintf(" yet: %s; then it is number %d in line", full, r.place(node))
	}
	return fmt.Sprintf(" more: %s is number %d in line", node, r.place(node))
}

func still(n Node) string {
	switch {
	case !n.KubeletReady:
		return "not Ready"
	case !n.managed():
		return "without a machine-config-daemon"
	}
	return "cordoned"
}

// hangingDrains are the nodes whose drain takes long, but the one that is touched. A place for their pods, on a node that is made free, may be all that they
// wait for: that is how a taint can set off a reboot without holding any update. The last write of desiredDrain does not tell since
// when, as the daemon's every write renews it; a drain of which nothing tells is taken to hang.
func (f *foresight) hangingDrains(but ...string) []string {
	var out []string
	for _, n := range f.Nodes {
		if !n.draining() || len(but) == 1 && n.Name == but[0] {
			continue
		}
		since := n.CordonedSince
		if pool, _, ok := f.poolOf(n.Name); ok {
			since = earlier(since, f.judgement(pool).workSince(n).Time)
		}
		if n.failed() || since.IsZero() || f.now.Sub(since) > slowDrain {
			out = append(out, n.Name)
		}
	}
	return out
}

// frees adds to the effect of an action that gives pods a place to run, on some nodes.
func (f *foresight) frees(e effect, nodes ...string) effect {
	if hanging := f.hangingDrains(nodes...); len(hanging) > 0 && !(e.own && e.state == plugin.Critical) {
		e.state = plugin.Critical
		e.other = append(e.other, hanging...)
		e.text += fmt.Sprintf("; but %s: if the pods there find room only on %s, the drain goes on and the reboot follows", drainsHang(hanging), plugin.List(nodes))
		for _, name := range hanging {
			f.drained[name] = true
		}
	}
	return e
}

func drainsHang(names []string) string {
	if len(names) == 1 {
		return "the drain of " + names[0] + " hangs"
	}
	return "the drains of " + plugin.List(names) + " hang"
}
