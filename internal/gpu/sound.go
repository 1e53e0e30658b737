package gpu

import (
	"fmt"
	"slices"
	"strings"

	"overdue/internal/plugin"
)

// sound: the node offers what it should. What is left is what will go wrong, what else is missing, and what hangs.
func (j *judgement) sound(v *view) {
	now, passing := j.underway(v)
	within := passing && j.within(now)
	lasting := v.less(j.passes)
	if len(lasting.blocked) > 0 && !(within && j.young(v.Created)) { // a new node's taints may be those of its start
		j.willBeLost(lasting)
	}
	if within {
		if now.stuck {
			j.add(v, fact{Finding: plugin.Finding{State: plugin.OK, Problem: now.what, Since: now.since.Time, AtLeast: !now.since.exact}})
		}
		return
	}
	j.orphaned(v)
	var told *DaemonSet
	if missing := j.labelsMissing(v); missing != "" && len(lasting.blocked) == 0 { // else it is told with the taint
		told = j.unlabelled(v, missing)
	}
	failed, hasFailed := inState(v.Node, "failed")
	switch {
	case passing && now.stuck:
		f := fact{Finding: plugin.Finding{State: plugin.Warning, Problem: now.what, Since: now.since.Time, AtLeast: !now.since.exact,
			Cause: "no progress for longer than --grace"}, remedy: now.remedy}
		if broken, ok := j.broken(v); ok && broken.role == roleDriver {
			f.Cause, f.remedy = broken.text, driverFirst(broken, now)
		}
		j.add(v, f.mindful(v.Node))
	case v.Labels[j.params.UpgradeLabel] == upgradeFailed:
		j.add(v, fact{Finding: plugin.Finding{State: plugin.Warning, Problem: "driver upgrade failed", Cause: j.params.UpgradeLabel + "=" + upgradeFailed},
			remedy: j.upgradeAnew}.mindful(v.Node))
	case hasFailed:
		j.add(v, fact{Finding: plugin.Finding{State: plugin.Warning, Problem: failed.of(v.Node) + " failed", Cause: failed.state + "=failed"},
			remedy: j.restart(failed.manager, failed.say)}.mindful(v.Node))
	default:
		j.unwell(v, told)
	}
}

// willBeLost: finding A, earlier than the incident. A taint does not end running pods of a DaemonSet, but keeps new ones away;
// the DaemonSet controller counts them as misscheduled and drops them from its numbers once they are gone.
func (j *judgement) willBeLost(v *view) {
	running, gone, known := 0, 0, true
	for _, d := range v.blocked {
		pod, read := j.pod(v.Node, d)
		known = known && read
		if pod == nil {
			gone++
		} else {
			running++
		}
	}
	state := "whether their pods still run is not known"
	switch {
	case known && gone == 0:
		state = "their pods still run, but will not come back"
	case known && running == 0:
		state = "their pods are gone and do not come back"
	case known:
		state = fmt.Sprintf("%d of their pods still run and will not come back, %d %s gone already", running, gone, plugin.Verb(gone, "is", "are"))
	}
	taints, blocked := v.taints, v.blocked
	f := fact{Finding: plugin.Finding{State: plugin.Warning, Problem: joined(", ", v.offer.String()+", but not for long", j.labelsMissing(v)),
		Consequence: "the next driver upgrade, rollout or eviction takes these GPUs away for good"},
		since: taintAge(v), because: func(age string) string { return notTolerated(taints, blocked, age) + ": " + state }, remedy: j.without(v)}
	if onlyAuxiliary(blocked) {
		f.Problem = joined(", ", "pods of "+plugin.List(daemonSetNames(blocked))+" kept away", j.labelsMissing(v))
		f.Consequence = ""
		if slices.ContainsFunc(blocked, func(d *DaemonSet) bool { return d.Role == roleNFD }) {
			f.Consequence = "nothing renews its labels; a node that registers anew gets none and is not known for a GPU node"
		}
	}
	f.Details = j.taintDetails(v)
	j.add(v, f.mindful(v.Node))
}

// orphaned: GPUs are offered by what still runs, but no DaemonSet would bring it back: the label that selects it was changed, or there is
// no such DaemonSet any more. What runs there meanwhile is not ended by that at once. Without any device plugin the kubelet would offer
// none, so where no DaemonSet of one was found another serves the node.
func (j *judgement) orphaned(v *view) {
	if !j.snapshot.DaemonSetsRead || len(j.snapshot.Unread) > 0 {
		return
	}
	f := fact{Finding: plugin.Finding{State: plugin.Warning, Problem: v.offer.String() + ", but not for long", Consequence: "the next restart of the node or its pods takes these GPUs away"}}
	plugins := j.plugins(v)
	for _, r := range chain {
		if l, ok := j.wrongNode(v, r); ok {
			f.Cause, f.remedy = l.text, l.remedy
			j.add(v, f.mindful(v.Node))
			return
		}
	}
	switch {
	case j.driverLost(v):
		f.Cause = "no driver DaemonSet selects the node"
		f.Remedy = "see whether the driver is still enabled in the GPU operator, and whether a NVIDIADriver tolerates the node's taints; a driver on the host is told by the label " + deployDriver + "=" + preInstalled
	case len(plugins) > 0 && v.Labels[deployPlugin] != "" && !slices.ContainsFunc(plugins, func(d *DaemonSet) bool { return slices.Contains(v.selected, d) }):
		j.notSelected(v, plugins, &f)
	default:
		return
	}
	j.add(v, f.mindful(v.Node))
}

// onlyAuxiliary: GPUs that are offered go on without any of them. NFD's worker has done its part.
func onlyAuxiliary(all []*DaemonSet) bool {
	for _, d := range all {
		if d.essential() && d.Role != roleNFD {
			return false
		}
	}
	return true
}

// unwell: GPUs are offered, but a pod that should run there does not. It is told after the grace, the first of the chain.
func (j *judgement) unwell(v *view, told *DaemonSet) {
	var first link
	var names []string
	for _, d := range v.selected {
		if d == told || slices.Contains(v.blocked, d) {
			continue // told already
		}
		l, ok := j.troubled(v, d)
		if _, replaced := j.replaced(v, d); !ok || replaced || j.young(l.since) {
			continue
		}
		names = append(names, d.Name)
		if first.text == "" || rank(l.role) < rank(first.role) {
			first = l
		}
	}
	if len(names) == 0 {
		return
	}
	consequence := "the node may lose its GPUs when it restarts"
	if first.role == roleAuxiliary || first.role == roleLabels {
		consequence = "its GPUs are offered all the same"
	}
	f := fact{Finding: plugin.Finding{State: plugin.Warning, Problem: first.text, Since: first.since, Consequence: consequence, Details: first.details}, remedy: first.remedy}
	if len(names) > 1 {
		f.Details = append(f.Details, "not well: "+strings.Join(names, ", "))
	}
	j.add(v, f.mindful(v.Node))
}

// rank orders roles as their pods wait for each other, those that nothing waits for last.
func rank(r role) int {
	if r == roleAuxiliary {
		return int(roleLabels) + 1
	}
	return int(r)
}
