package machineconfig

import (
	"fmt"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// blocked: nodes are outdated and the MCO works on none. That is normal for seconds.
func (j *judgement) blocked() {
	r := j.rollout
	if r.nextPick().pickable() && r.room() > 0 && (len(j.findings) > 0 || j.snapshot.controllerSilent(j.now)) {
		return // the controller's silence, a failed render or build is told already, and is the reason
	}
	age, since := j.stalled()
	f := plugin.Finding{State: grade(age, j.limits.PendingWarning, j.limits.PendingCritical), Since: since.Time, AtLeast: since.atLeast,
		Problem: fmt.Sprintf("update blocked, %d of %s outdated", r.outdated(), plugin.Count(len(r.nodes), "node"))}
	if f.State == plugin.OK {
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

// hold is what keeps the MCO from beginning, told by the case of one node.
type hold struct{ node, cause, consequence, remedy string }

// whyBlocked follows the MCO's own steps in choosing nodes: what is unavailable, then who is a candidate.
func (j *judgement) whyBlocked(c clock) hold {
	r := j.rollout
	var held, bystanders []Node // cannot be picked, outdated; not ready, up to date
	for _, n := range r.queue() {
		if !n.pickable() {
			held = append(held, n)
		}
	}
	for _, n := range r.updated {
		if !n.ready() {
			bystanders = append(bystanders, n)
		}
	}
	switch {
	case r.room() <= 0 && len(bystanders) > 0:
		return j.heldByOthers(bystanders, held, c)
	case len(held) > 0 && (r.room() <= 0 || len(held) == len(r.waiting)):
		return hold{held[0].Name, troubles(held, c) + j.noRoom(), j.ifReady(held[0]), "when its workloads may be drained, " + makeReady(held[0])}
	}
	first := r.nextPick()
	return hold{first.Name, first.Name + " is ready and next in line, the MCO has not picked it",
		fmt.Sprintf("the MCO will %s it without further notice as soon as it works again", drainWords), lookAtController}
}

// noRoom says why a node that is not ready holds others too.
func (j *judgement) noRoom() string {
	r := j.rollout
	if r.room() > 0 {
		return ""
	}
	return fmt.Sprintf(" (%d unavailable, maxUnavailable %d)", r.unavailable(), r.pool.maxUnavailable(len(r.nodes)))
}

// heldByOthers: nodes that have nothing to do with the update use up maxUnavailable.
func (j *judgement) heldByOthers(bystanders, held []Node, c clock) hold {
	wake := slices.Clone(bystanders)
	first := j.rollout.nextPick()
	if !first.pickable() {
		wake = append(wake, first)
	}
	return hold{first.Name, troubles(append(bystanders, held...), c) + j.noRoom(),
		fmt.Sprintf("once %s ready, the MCO will %s %s (next in line)", are(names(wake)), drainWords, first.Name),
		"when the workloads on " + first.Name + " may be drained, " + makeReady(wake...)}
}

// ifReady says what making one held node ready sets off.
func (j *judgement) ifReady(n Node) string {
	place := j.rollout.place(n.Name)
	line := "next in line"
	if place > 1 {
		line = fmt.Sprintf("number %d in line", place)
	}
	switch {
	case j.pool.Paused:
		return fmt.Sprintf("once the pool is unpaused, making %s ready lets the MCO %s it", n.Name, drainWords)
	case j.rollout.picksIfReady(n):
		return fmt.Sprintf("making %s ready lets the MCO %s it (%s)", n.Name, drainWords, line)
	}
	return fmt.Sprintf("making %s ready lets the MCO %s it when its turn comes (%s; others use up maxUnavailable %d)",
		n.Name, drainWords, line, j.rollout.pool.maxUnavailable(len(j.rollout.nodes)))
}

// held are the detail lines: for each node that cannot be picked, but the one that the first line tells of, why and what
// making it ready does; and a word on taints, as they are what people suspect first.
func (j *judgement) held(told string) []string {
	var out []string
	for _, n := range j.rollout.queue() {
		if !n.pickable() && n.Name != told {
			out = append(out, n.Name+": "+trouble(n, clock{now: j.now})+"; "+j.ifReady(n))
		}
		if !n.pickable() || n.Name == told {
			for _, t := range n.Taints {
				out = append(out, fmt.Sprintf("%s has the taint %s: it does not hold the update, the MCO heeds no taints", n.Name, t))
			}
		}
	}
	return out
}

// paused by a person, with an update outstanding. Whoever pauses holds back every change, so it must not be forgotten.
func (j *judgement) paused() {
	r := j.rollout
	age, since := j.stalled()
	f := plugin.Finding{State: grade(age, j.limits.PendingWarning, plugin.Range{}), Since: since.Time, AtLeast: since.atLeast,
		Problem:     fmt.Sprintf("paused with an update outstanding, %d of %s outdated", r.outdated(), plugin.Count(len(r.nodes), "node")),
		Consequence: fmt.Sprintf("once it is unpaused, the MCO will %s them, %d at a time", drainWords, r.pool.maxUnavailable(len(r.nodes))),
		Remedy:      fmt.Sprintf(`when that may happen, oc patch mcp %s --type merge -p '{"spec":{"paused":false}}'`, j.pool.Name),
		Details:     j.held("")}
	if by := j.by(clock{j.now, since.Time}); by != "" {
		f.Cause = "paused" + by
	}
	if next, ok := j.limits.Windows.waitsFor(j.now, since.Time); ok {
		f.State, f.Remedy = plugin.OK, ""
		f.Problem = fmt.Sprintf("paused until the window that opens in %s, %s waiting", plugin.Age(next.Sub(j.now)), plugin.Count(r.outdated(), "outdated node"))
	}
	j.add(f)
}

// by says who wrote spec.paused, and when.
func (j *judgement) by(c clock) string {
	if j.pool.PausedWritten.IsZero() {
		return ""
	}
	return fmt.Sprintf(" by %s%s", j.pool.PausedBy, c.ago(j.pool.PausedWritten))
}

// unready: nothing is outdated, yet nodes are cordoned or not Ready. This is the published line of the incident (READY 42,
// UPDATED 44): the MCO leaves no node so, and as long as they use up maxUnavailable the next change does not begin.
func (j *judgement) unready() {
	r := j.rollout
	if len(r.failed) > 0 {
		return
	}
	var since time.Time
	for _, n := range r.unready {
		since = earlier(since, earlier(n.CordonedSince, n.NotReadySince))
	}
	if unwhole := j.pool.Conditions[condUpdated]; since.IsZero() && !unwhole.True {
		since = unwhole.Since
	}
	limit := r.pool.maxUnavailable(len(r.nodes))
	f := plugin.Finding{State: grade(j.age(since), j.limits.PendingWarning, plugin.Range{}), Since: since,
		Problem: fmt.Sprintf("no change pending, but %d of %s not ready", len(r.unready), plugin.Count(len(r.nodes), "node")),
		Cause:   troubles(r.unready, clock{j.now, since}),
		Remedy:  makeReady(r.unready...) + ", unless they are meant to be out of use"}
	if len(r.unready) >= limit {
		f.Consequence = fmt.Sprintf("the next change will not start (%d unavailable, maxUnavailable %d); making them ready now reboots nothing", len(r.unready), limit)
	} else {
		f.Consequence = fmt.Sprintf("nothing, they use up %d of maxUnavailable %d; making them ready now reboots nothing", len(r.unready), limit)
	}
	for _, n := range r.unready {
		if len(r.unready) > 2 {
			f.Details = append(f.Details, n.Name+": "+trouble(n, clock{now: j.now}))
		}
		for _, t := range n.Taints {
			f.Details = append(f.Details, fmt.Sprintf("%s has the taint %s: taking it away reboots nothing, no change is pending", n.Name, t))
		}
	}
	j.add(f)
}

// tooOld: the absolute limit, for those who want one.
func (j *judgement) tooOld() {
	age, since := j.pending()
	if !j.limits.TotalCritical.Violates(age.Seconds()) {
		return
	}
	j.add(plugin.Finding{State: plugin.Critical, Since: since.Time, AtLeast: since.atLeast,
		Problem: fmt.Sprintf("update outstanding longer than --total-critical %s, %d of %s outdated", j.limits.TotalCritical.String(),
			j.outdated(), plugin.Count(len(j.rollout.nodes), "node"))})
}
