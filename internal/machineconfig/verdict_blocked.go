package machineconfig

import (
	"fmt"

	"overdue/internal/plugin"
)

// blocked: nodes are outdated and the MCO works on none. That is normal for seconds.
func (j *judgement) blocked() {
	r := j.rollout
	age, since := j.stalled()
	f := plugin.Finding{State: grade(age, j.limits.PendingWarning, j.limits.PendingCritical), Since: since.Time, AtLeast: since.atLeast,
		Problem: fmt.Sprintf("update blocked, %d of %s outdated", r.outdated(), count(len(r.nodes), "node"))}
	if f.State == plugin.OK {
		f.Problem = fmt.Sprintf("updating, %d/%d done, no node in work", len(r.nodes)-r.outdated(), len(r.nodes))
	}
	if next, ok := j.limits.Windows.waitsFor(j.now, since.Time); ok {
		f.State, f.Problem = plugin.OK, fmt.Sprintf("%s wait for the window that opens in %s", count(r.outdated(), "outdated node"), plugin.Age(next.Sub(j.now)))
	}
	f.Cause, f.Consequence, f.Remedy = j.whyBlocked()
	f.Details = j.held()
	j.add(f)
}

// whyBlocked follows the MCO's own steps in choosing nodes: what is unavailable, then who is a candidate.
func (j *judgement) whyBlocked() (cause, consequence, remedy string) {
	r := j.rollout
	limit := r.pool.maxUnavailable(len(r.nodes))
	queue := r.queue()
	var held, bystanders []Node // not ready and outdated; not ready and up to date
	for _, n := range queue {
		if !n.ready() {
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
		cause = fmt.Sprintf("%s; with %d unavailable of maxUnavailable %d the MCO begins no further node", troubles(append(bystanders, held...), j.now), r.unavailable(), limit)
		consequence = fmt.Sprintf("making %s ready lets the MCO %s %s", list(names(bystanders)), drainWords, j.firstAfter(bystanders))
		remedy = makeReady(bystanders[0]) + ", when " + queue[0].Name + " may be drained"
	case len(held) == len(queue) && len(held) > 0:
		cause = troubles(held, j.now) + "; the MCO picks only ready nodes"
		consequence = j.ifReady(held[0])
		remedy = makeReady(held[0]) + ", when its workloads may be drained"
	case r.room() <= 0 && len(held) > 0:
		cause = fmt.Sprintf("%s; with %d unavailable of maxUnavailable %d the MCO begins no further node", troubles(held, j.now), r.unavailable(), limit)
		consequence = j.ifReady(held[0])
		remedy = makeReady(held[0]) + ", when its workloads may be drained"
	default:
		cause = fmt.Sprintf("%s is ready and next in line, the MCO has not picked it", queue[0].Name)
		consequence = fmt.Sprintf("the MCO will %s it without further notice as soon as it works again", drainWords)
		remedy = lookAtController
	}
	return cause, consequence, remedy
}

// firstAfter names the node that the MCO picks once the bystanders are ready.
func (j *judgement) firstAfter(bystanders []Node) string {
	room := j.rollout.room() + len(bystanders)
	for _, n := range j.rollout.queue() {
		if n.ready() && room > 0 {
			return n.Name + " (next in line)"
		}
	}
	return "nothing yet: the outdated nodes are not ready either"
}

// ifReady says what making one held node ready sets off.
func (j *judgement) ifReady(n Node) string {
	switch place := j.rollout.place(n.Name); {
	case j.rollout.picksIfReady(n) && place == 1:
		return fmt.Sprintf("making %s ready lets the MCO %s it (next in line)", n.Name, drainWords)
	case j.rollout.picksIfReady(n):
		return fmt.Sprintf("making %s ready lets the MCO %s it (number %d in line)", n.Name, drainWords, place)
	default:
		return fmt.Sprintf("making %s ready lets the MCO %s it, not at once (number %d in line, and other nodes use up maxUnavailable %d)",
			n.Name, drainWords, place, j.rollout.pool.maxUnavailable(len(j.rollout.nodes)))
	}
}

func makeReady(n Node) string {
	switch {
	case !n.managed():
		return "oc -n openshift-machine-config-operator get pods -o wide --field-selector spec.nodeName=" + n.Name
	case !n.KubeletReady:
		return "bring " + n.Name + " back (oc describe node " + n.Name + ")"
	}
	return "oc adm uncordon " + n.Name
}

// held are the detail lines: for each node that waits and is not ready, what it is and what making it ready does; and a word
// on taints, as they are what people suspect first.
func (j *judgement) held() []string {
	var out []string
	for _, n := range j.rollout.queue() {
		if !n.ready() {
			out = append(out, trouble(n, j.now)+"; "+j.ifReady(n))
		}
		for _, t := range n.Taints {
			out = append(out, fmt.Sprintf("%s has the taint %s: it does not hold the update, the MCO heeds no taints", n.Name, t))
		}
	}
	return out
}

// paused by a person, with an update outstanding. Whoever pauses holds back every change, so it must not be forgotten.
func (j *judgement) paused() {
	r := j.rollout
	age, since := j.stalled()
	f := plugin.Finding{State: grade(age, j.limits.PendingWarning, plugin.Range{}), Since: since.Time, AtLeast: since.atLeast,
		Problem:     fmt.Sprintf("paused with an update outstanding, %d of %s outdated", r.outdated(), count(len(r.nodes), "node")),
		Cause:       "paused" + j.by(),
		Consequence: fmt.Sprintf("unpausing lets the MCO %s them, %d at a time", drainWords, r.pool.maxUnavailable(len(r.nodes))),
		Remedy:      fmt.Sprintf(`when that may happen, oc patch mcp %s --type merge -p '{"spec":{"paused":false}}'`, j.pool.Name)}
	if next, ok := j.limits.Windows.waitsFor(j.now, since.Time); ok {
		f.State, f.Problem = plugin.OK, fmt.Sprintf("paused, %s wait for the window that opens in %s", count(r.outdated(), "outdated node"), plugin.Age(next.Sub(j.now)))
	}
	f.Details = j.held()
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
	since := j.pool.Conditions[condUpdated].Since
	for _, n := range r.unready {
		if t := later(n.CordonedSince, n.NotReadySince); !t.IsZero() && (since.IsZero() || t.Before(since)) {
			since = t
		}
	}
	limit := r.pool.maxUnavailable(len(r.nodes))
	f := plugin.Finding{State: grade(j.age(since), j.limits.PendingWarning, plugin.Range{}), Since: since,
		Problem: fmt.Sprintf("no change pending, but %d of %s not ready", len(r.unready), count(len(r.nodes), "node")),
		Cause:   troubles(r.unready, j.now),
		Remedy:  makeReady(r.unready[0])}
	if len(r.unready) >= limit {
		f.Consequence = fmt.Sprintf("%d unavailable, maxUnavailable %d: the next change will not start until they are ready; making them ready now reboots nothing", len(r.unready), limit)
	} else {
		f.Consequence = fmt.Sprintf("they use up %d of maxUnavailable %d; making them ready now reboots nothing", len(r.unready), limit)
	}
	for _, n := range r.unready {
		f.Details = append(f.Details, trouble(n, j.now))
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
			j.outdated(), count(len(j.rollout.nodes), "node"))})
}
