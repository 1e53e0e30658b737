package machineconfig

import (
	"fmt"
	"slices"
	"sort"

	"overdue/internal/plugin"
)

// blocked: nodes are outdated and the MCO works on none. That is normal for seconds.
func (j *judgement) blocked() {
	r := j.rollout
	if len(r.picks()) > 0 && j.mcoHeld {
		return // why it picks nothing is told already
	}
	age, since := j.stalled()
	f := plugin.Finding{State: grade(age, j.limits.PendingWarning, j.limits.PendingCritical), Since: since.Time, AtLeast: since.atLeast,
		Problem: fmt.Sprintf("update blocked, %d of %s outdated", r.outdated(), plugin.Count(len(r.nodes), "node"))}
	switch {
	case since.IsZero():
		f.State, f.Problem = plugin.Warning, f.Problem+", since when is not known"
	case f.State == plugin.OK:
		f.Problem = fmt.Sprintf("updating, %d/%d done, no node in work", len(r.nodes)-r.outdated(), len(r.nodes))
	}
	h := j.whyBlocked(clock{j.now, f.Since})
	f.Cause, f.Consequence = h.cause, h.consequence
	if f.State != plugin.OK {
		f.Remedy = h.remedy
	}
	f.Details = j.held(h.node)
	j.add(f)
}

// waitsForOthers: the MCO begins only when the OS image is built, and with the arbiters after the masters.
func (j *judgement) waitsForOthers() bool {
	for _, name := range []string{condBuilding, condBuildPending} {
		if c := j.pool.Conditions[name]; c.True {
			j.add(plugin.Finding{State: grade(j.age(c.Since), j.limits.NodeWarning, j.limits.NodeCritical), Since: c.Since,
				Problem: fmt.Sprintf("OS image is being built, %s waiting for it", plugin.Count(j.rollout.outdated(), "outdated node")), Cause: c.Message,
				Remedy: lookAtBuilds + j.pool.Name})
			return true
		}
	}
	if j.pool.Name == "arbiter" && j.mastersOutdated {
		j.add(plugin.Finding{State: plugin.OK, Problem: "waits for pool master"})
		return true
	}
	return false
}

// hold is what keeps the MCO from beginning, told by the case of one node.
type hold struct{ node, cause, consequence, remedy string }

// whyBlocked follows the MCO's own steps in choosing nodes: what is unavailable, then who is a candidate. It wakes nodes in
// thought until the MCO would pick one, because that one is drained, which need not be the one that was made ready.
func (j *judgement) whyBlocked(c clock) hold {
	r := j.rollout
	if next := r.picks(); len(next) > 0 && len(j.ahead) > 0 {
		return hold{next[0].Name, fmt.Sprintf("%s is next in line, and masters and arbiters are never updated at the same time: %s", next[0].Name, troubles(j.ahead, c)),
			j.sets(j.ahead, next[0]), j.carefully(next[0]) + makeReady(j.ahead...)}
	}
	if next := r.picks(); len(next) > 0 {
		return hold{next[0].Name, next[0].Name + " is ready and next in line, the MCO has not picked it",
			fmt.Sprintf("the MCO will %s without further notice as soon as it works again", j.will(next[0], "it")), lookAtController}
	}
	var asleep []Node // not ready and up to date first: these hold others only
	for _, n := range r.updated {
		if !n.ready() {
			asleep = append(asleep, n)
		}
	}
	for _, n := range r.queue() {
		if !n.pickable() {
			asleep = append(asleep, n)
		}
	}
	room := ""
	if r.room() <= 0 {
		room = " (" + r.used() + ")"
	}
	// The more are awake the sooner one is picked, so the fewest that suffice can be searched for.
	fewest := sort.Search(len(asleep), func(i int) bool { return len(r.with(asleep[:i+1]...).picks()) > 0 })
	if fewest == len(asleep) {
		return hold{"", troubles(asleep, c) + room, "nothing, until they are ready", makeReady(asleep...)}
	}
	wake := asleep[:fewest+1]
	next := r.with(wake...).picks()[0]
	return hold{next.Name, troubles(asleep, c) + room, j.sets(wake, next),
		j.carefully(next) + makeReady(wake...)}
}

// will words what the MCO does with a node that it takes next.
func (j *judgement) will(n Node, as string) string {
	need := j.needs[n.Name]
	j.drainTold = j.drainTold || need != needNothing && len(j.findings) == 0
	return need.to(as)
}

// carefully is what a remedy waits for that has a node taken.
func (j *judgement) carefully(next Node) string {
	switch {
	case j.need == needNothing:
		return ""
	case j.needs[next.Name] == needNothing: // it is others that are drained, later
		return "when the workloads on its nodes may be drained, "
	}
	return fmt.Sprintf("when the workloads on %s may be drained, ", next.Name)
}

// sets words what making nodes ready sets off.
func (j *judgement) sets(wake []Node, next Node) string {
	if len(wake) == 1 && wake[0].Name == next.Name {
		return fmt.Sprintf("making %s ready lets the MCO %s (next in line)", next.Name, j.will(next, "it"))
	}
	return fmt.Sprintf("once %s ready, the MCO will %s (next in line)", are(names(wake)), j.will(next, next.Name))
}

// ifReady says what making one held node ready sets off.
func (j *judgement) ifReady(n Node) string {
	if j.pool.Paused {
		return fmt.Sprintf("once the pool is unpaused, making %s ready lets the MCO %s", n.Name, j.needs[n.Name].to("it"))
	}
	next := j.rollout.with(n).picks()
	switch {
	case slices.ContainsFunc(next, func(p Node) bool { return p.Name == n.Name }):
		return fmt.Sprintf("making %s ready lets the MCO %s", n.Name, j.needs[n.Name].to("it"))
	case len(next) > 0:
		return fmt.Sprintf("it is number %d in line: making it ready lets the MCO first %s", j.rollout.place(n.Name), j.needs[next[0].Name].to(next[0].Name))
	}
	return fmt.Sprintf("making %s ready is not enough, others use up maxUnavailable %d", n.Name, j.rollout.pool.maxUnavailable(len(j.rollout.nodes)))
}

// mostHeld bounds the work on nodes that cannot be picked: each is thought ready in turn, which looks at the whole pool again.
const mostHeld = 100

// held are the detail lines: for each node that cannot be picked, but the one that the first line tells of, why and what
// making it ready does; and a word on taints, as they are what people suspect first.
func (j *judgement) held(told string) []string {
	var out []string
	held := 0
	for _, n := range j.rollout.queue() {
		if !n.pickable() && n.Name != told {
			if held++; held > mostHeld {
				continue
			}
			out = append(out, n.Name+": "+trouble(n, clock{now: j.now})+"; "+j.ifReady(n))
		}
		if !n.pickable() || n.Name == told {
			for _, t := range n.Taints {
				out = append(out, fmt.Sprintf("%s has the taint %s: it does not hold the update, the MCO heeds no taints", n.Name, t))
			}
		}
	}
	if further := held - mostHeld; further > 0 {
		out = append(out, plugin.Count(further, "further outdated node")+" not ready")
	}
	return out
}
