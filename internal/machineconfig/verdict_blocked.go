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
	if r.nextPick().pickable() && r.room() > 0 && len(j.findings) > 0 {
		return // the controller's silence, a failed render or build is told already, and is the reason
	}
	age, since := j.stalled()
	f := plugin.Finding{State: grade(age, j.limits.PendingWarning, j.limits.PendingCritical), Since: since.Time, AtLeast: since.atLeast,
		Problem: fmt.Sprintf("update blocked, %d of %s outdated", r.outdated(), plugin.Count(len(r.nodes), "node"))}
	if f.State == plugin.OK {
		f.Problem = fmt.Sprintf("updating, %d/%d done, no node in work", len(r.nodes)-r.outdated(), len(r.nodes))
	}
	var told string
	told, f.Cause, f.Consequence, f.Remedy = j.whyBlocked()
	f.Details = j.held(told)
	j.add(f)
}

// whyBlocked follows the MCO's own steps in choosing nodes: what is unavailable, then who is a candidate. It also names the
// node whose case it tells in full.
func (j *judgement) whyBlocked() (told, cause, consequence, remedy string) {
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
	full := fmt.Sprintf("; with %d unavailable of maxUnavailable %d the MCO begins no further node", r.unavailable(), r.pool.maxUnavailable(len(r.nodes)))
	switch {
	case r.room() <= 0 && len(bystanders) > 0:
		return j.heldByOthers(bystanders, held, full)
	case len(held) > 0 && (r.room() <= 0 || len(held) == len(r.waiting)):
		if r.room() > 0 {
			full = "; the MCO picks only nodes that are ready and run its daemon"
		}
		return held[0].Name, troubles(held, j.now) + full, j.ifReady(held[0]), makeReady(held[0]) + ", when its workloads may be drained"
	}
	first := r.nextPick()
	cause = first.Name + " is ready and next in line, the MCO has not picked it"
	if silent := j.age(j.snapshot.ControllerSeen); silent > controllerSilence {
		cause += ": machine-config-controller is dead"
	}
	return first.Name, cause, fmt.Sprintf("the MCO will %s it without further notice as soon as it works again", drainWords), lookAtController
}

// heldByOthers: nodes that have nothing to do with the update use up maxUnavailable.
func (j *judgement) heldByOthers(bystanders, held []Node, full string) (told, cause, consequence, remedy string) {
	r := j.rollout
	wake := slices.Clone(bystanders)
	first := r.nextPick()
	if !first.pickable() {
		wake = append(wake, first)
	}
	return first.Name, troubles(append(bystanders, held...), j.now) + full,
		fmt.Sprintf("making %s ready lets the MCO %s %s (next in line)", plugin.List(names(wake)), drainWords, first.Name),
		makeReady(wake...) + ", when the workloads on " + first.Name + " may be drained"
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
			out = append(out, n.Name+": "+trouble(n, j.now)+"; "+j.ifReady(n))
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
		Cause:       "paused" + j.by(),
		Consequence: fmt.Sprintf("unpausing lets the MCO %s them, %d at a time", drainWords, r.pool.maxUnavailable(len(r.nodes))),
		Remedy:      fmt.Sprintf(`when that may happen, oc patch mcp %s --type merge -p '{"spec":{"paused":false}}'`, j.pool.Name)}
	if next, ok := j.limits.Windows.waitsFor(j.now, since.Time); ok {
		f.State, f.Problem = plugin.OK, fmt.Sprintf("paused, %s waiting for the window that opens in %s", plugin.Count(r.outdated(), "outdated node"), plugin.Age(next.Sub(j.now)))
	}
	f.Details = j.held("")
	j.add(f)
}

// by says who wrote spec.paused, and when.
func (j *judgement) by() string {
	if j.pool.PausedWritten.IsZero() {
		return ""
	}
	return fmt.Sprintf(" by %s%s", j.pool.PausedBy, ago(j.pool.PausedWritten, j.now))
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
		Cause:   troubles(r.unready, j.now),
		Remedy:  makeReady(r.unready...) + ", unless they are meant to be out of use"}
	if len(r.unready) >= limit {
		f.Consequence = fmt.Sprintf("%d unavailable, maxUnavailable %d: the next change will not start until they are ready; making them ready now reboots nothing", len(r.unready), limit)
	} else {
		f.Consequence = fmt.Sprintf("they use up %d of maxUnavailable %d; making them ready now reboots nothing", len(r.unready), limit)
	}
	for _, n := range r.unready {
		if len(r.unready) > 2 {
			f.Details = append(f.Details, n.Name+": "+trouble(n, j.now))
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
