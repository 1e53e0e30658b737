package machineconfig

import (
	"fmt"

	"overdue/internal/plugin"
)

// situation is the first line about a node: what waits for it, why, and what sets it off.
func (q *nodeQuestion) situation() plugin.Finding {
	name := q.n.Name
	switch {
	case q.n.Windows:
		return plugin.Finding{State: plugin.Warning, Problem: "in no pool", Cause: "it runs Windows, and the MCO takes no care of it",
			Consequence: "the MCO drains nothing there, whatever its labels"}
	case !q.in:
		return q.poolless()
	case q.n.working():
		return q.atWork()
	case q.n.failed():
		return q.failed()
	case q.r.waits(name):
		return q.pending()
	}
	return q.settled()
}

// poolless: nothing new is asked of the node. What it was told before goes on: neither its machine-config-daemon nor the controller
// that drains it asks for its pool.
func (q *nodeQuestion) poolless() plugin.Finding {
	labels := "oc get node " + q.n.Name + " --show-labels"
	f := plugin.Finding{State: plugin.Warning, Problem: "in no pool", Cause: "the MCO takes no care of it", Consequence: "nothing is drained, and no change reaches it", Remedy: labels}
	if len(q.claimants()) > 0 {
		f = plugin.Finding{State: plugin.Warning, Problem: "in no pool, as " + plugin.List(q.claimants()) + " all claim it", Cause: "a node may be in one custom pool only",
			Consequence: "no change reaches it until labels are taken from it, and then it is brought to the target of the pool that is left", Remedy: labels}
	}
	if !q.n.underway() {
		return f
	}
	work := q.atWork
	if q.n.failed() {
		work = q.failed
	}
	told := work()
	told.Problem = f.Problem + ", and " + told.Problem
	told.Consequence += "; no other change reaches it"
	return told
}

func (q *nodeQuestion) atWork() plugin.Finding {
	since := q.judgement(q.pool).workSince(q.n)
	f := plugin.Finding{State: q.own(), Problem: "is being updated, " + phase(q.n), Since: since.Time, AtLeast: since.atLeast,
		Consequence: "it goes on by itself; the MCO " + q.does(), Remedy: "wait until it is done: oc get node " + q.n.Name + " -w"}
	if q.n.draining() {
		f.Cause = uncordonedNow
	}
	return f
}

const uncordonedNow = "uncordoning it now would put pods back in the midst of its drain"

func (q *nodeQuestion) failed() plugin.Finding {
	f := plugin.Finding{Problem: "its update failed", Since: q.n.StateWritten, AtLeast: true, Cause: reason(q.n)}
	_, f.Remedy = q.judgement(q.pool).cure(q.n)
	if q.r.onlyDrifted(q.n) {
		f.State, f.Problem = plugin.Warning, "degraded, with no change pending for it"
		f.Consequence = "it uses up maxUnavailable; once the cause is gone the daemon goes on by itself"
		return f
	}
	f.State = q.own()
	if q.n.draining() {
		f.Details = append(f.Details, uncordonedNow)
	}
	switch {
	case hasNode(q.takenNow(), q.n.Name):
		f.Consequence = "the pool has a newer target, and whatever you do, the MCO " + q.does()
	case q.n.drifted() && !q.r.atTarget(q.n):
		f.Problem = "degraded, and an update is pending for it"
		f.Consequence = "once the cause is gone and its turn comes, the MCO " + q.does()
	default:
		f.Consequence = "the daemon tries again by itself; once the cause is gone the MCO " + q.does()
	}
	return f
}

// pending: the node is outdated and nobody has begun with it.
func (q *nodeQuestion) pending() plugin.Finding {
	j := q.judgement(q.pool)
	_, since := j.pending()
	f := plugin.Finding{Problem: "an update is pending for it", Since: since.Time, AtLeast: since.atLeast}
	own, c := q.own(), clock{q.now, f.Since}
	f.State = own
	held := joined(q.pause(j, c), q.awaits())
	switch {
	case hasNode(q.takenNow(), q.n.Name):
		f.Cause = "it is ready and next in line"
		f.Consequence = "whatever you do, the MCO " + q.does()
	case q.ignites != "":
		f.Cause = joined(trouble(q.n, c), held)
		f.Consequence = q.ignites + " " + q.does()
		f.Remedy = q.safely()
	case q.n.pickable():
		f.Cause = joined(fmt.Sprintf("it is ready and number %d in line", q.r.place(q.n.Name)), held)
		f.Consequence = "in its turn the MCO " + q.does()
	default:
		f.Cause = joined(trouble(q.n, c), held)
		f.Consequence = "once it is ready and its turn comes, the MCO " + q.does()
		f.Remedy = q.safely()
	}
	if b := q.burdens[q.n.Name]; b.held > 0 && own == plugin.Critical {
		f.Details = append(f.Details, "before the drain: "+b.remedy)
	}
	return f
}

func (q *nodeQuestion) takenNow() []Node {
	var out []Node
	for _, p := range q.before {
		out = append(out, p.Node)
	}
	return out
}

func (q *nodeQuestion) pause(j *judgement, c clock) string {
	if !q.pool.Paused {
		return ""
	}
	return "pool " + q.pool.Name + " is paused" + j.by(c)
}

// own grades what the update does to the node itself.
func (q *nodeQuestion) own() plugin.State {
	need, _ := q.need(q.n, q.pool)
	if need != needNothing {
		q.drained[q.n.Name] = true
	}
	return noted(need != needNothing)
}

func (q *nodeQuestion) awaits() string {
	if q.pool.imageBuilding() {
		return "the OS image is being built"
	}
	return ""
}

// safely is how to go about it: when the drain may happen, or with the pool paused, in which the MCO begins with no node.
func (q *nodeQuestion) safely() string {
	if need, _ := q.need(q.n, q.pool); need == needNothing {
		return ""
	}
	for _, r := range q.heldBack(q.r) {
		if behind := q.toDrain(r); r.pool.Name != q.pool.Name && len(behind) > 0 && !r.pool.Paused { // its own pause would not hold them
			return "touch it when its workloads may be drained, and those of " + plugin.List(behind) + ", which a pause of pool " + q.pool.Name + " does not hold"
		}
	}
	if q.pool.Paused {
		return "leave pool " + q.pool.Name + " paused until its workloads may be drained"
	}
	return fmt.Sprintf(`touch it when its workloads may be drained; else first oc patch mcp %s --type merge -p '{"spec":{"paused":true}}'`, q.pool.Name)
}

// settled: the node runs its target. Touching it can still make room for others.
func (q *nodeQuestion) settled() plugin.Finding {
	if q.worst == plugin.Critical {
		return plugin.Finding{Problem: "nothing is pending for it, but others wait behind it", Cause: trouble(q.n, clock{now: q.now})}
	}
	f := plugin.Finding{Problem: "nothing is pending for it"}
	if len(q.r.doubts())+len(q.r.doubtsOfPool()) == 0 {
		f.Consequence = "no taint, cordon or pause on it holds back a drain"
	}
	if others := q.r.outdated(); others > 0 {
		f.Problem += fmt.Sprintf("; pool %s has an update outstanding for %s", q.pool.Name, plugin.Count(others, "other node"))
		f.Consequence = ""
	}
	switch {
	case !q.n.ready():
		f.State, f.Cause = plugin.Warning, trouble(q.n, clock{now: q.now})
	case q.pool.Paused:
		f.State, f.Cause = plugin.Warning, q.pause(q.judgement(q.pool), clock{now: q.now})
	case q.r.outdated() > 0:
		f.State, f.Remedy = plugin.Warning, "check_mcp --before-change pool/"+q.pool.Name
	case len(q.n.Taints) > 0:
		f.Cause = "it has the taint " + plugin.List(q.n.Taints)
	}
	return f
}

func unique(names []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range names {
		if !seen[n] {
			out = append(out, n)
		}
		seen[n] = true
	}
	return out
}
