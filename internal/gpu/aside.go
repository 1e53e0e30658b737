package gpu

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// notReady: the node's own check tells it. Its numbers are stale, so nothing is said of its GPUs but that.
func (j *judgement) notReady(v *view) {
	f := fact{Finding: plugin.Finding{State: plugin.Warning, Since: v.ReadySince, Problem: "not Ready, its GPUs are of no use",
		Cause: v.NotReadyWhy, Remedy: "see the check of the node itself"}}
	if j.young(v.ReadySince) || j.young(v.Created) {
		f.State = plugin.OK
	}
	j.add(v, f)
}

// maintenanceTaints are put on a node by programs that work on it and take them off again.
var maintenanceTaints = map[string]bool{
	"medik8s.io/drain": true, "kubevirt.io/drain": true, corev1.TaintNodeOutOfService: true,
	"nvidia.com/gpu-error": true, // NVSentinel
	"amd-gpu-unhealthy":    true, "amd-dcm": true,
}

// cordonMarks are labels by which NVSentinel says why it cordoned the node.
const cordonMarks = "k8saas.nvidia.com/cordon-"

// maintained tells a node that a maintenance program has set aside: for as long as a cordon may last.
func (j *judgement) maintained(v *view) bool {
	by, since := "", moment{Time: v.TaintsWritten}
	for _, t := range v.Node.Taints {
		if maintenanceTaints[t.Key] {
			by = "taint " + t.ToString()
			if t.TimeAdded != nil {
				since = moment{t.TimeAdded.Time, true}
			}
		}
	}
	if by == "" {
		if marks := v.Node.labelled(cordonMarks); len(marks) > 0 && v.Unschedulable {
			by, since = fmt.Sprintf("label %s=%s", marks[0], v.Labels[marks[0]]), moment{Time: v.CordonedSince}
		}
	}
	if by == "" {
		return false
	}
	j.seeDevices(v)
	f := fact{Finding: plugin.Finding{State: plugin.OK, Problem: "set aside for maintenance, " + v.offer.String(), Since: since.Time, AtLeast: !since.exact, Cause: by}}
	if late, why := j.overdue(v.Node, since.Time); late {
		f.State, f.Remedy, f.Cause = plugin.Warning, "ask the program that put it there", joined(", ", by, why)
		f = f.mindful(v.Node)
	}
	j.add(v, f)
	j.besideMaintenance(v)
	return true
}

// overdue says whether a cordon, maintenance or removal lasts longer than --max-cordon. One of unknown age does, or it would
// never be told, unless the node itself is new; why says that the age is not known.
func (j *judgement) overdue(n *Node, since time.Time) (late bool, why string) {
	if since.IsZero() {
		const ever = 1e12 // seconds
		return !j.young(n.Created) && j.limits.MaxCordon.Violates(ever), "since when is not known, so it may have been forgotten"
	}
	return j.limits.MaxCordon.Violates(max(j.now.Sub(since), 0).Seconds()), ""
}

// besideMaintenance tells a taint that the maintenance does not take away when it ends.
func (j *judgement) besideMaintenance(v *view) {
	rest := v.less(func(_ *view, t corev1.Taint) bool { return maintenanceTaints[t.Key] })
	switch {
	case len(rest.blocked) == 0:
	case v.offer.allocatable > 0 || onlyAuxiliary(rest.blocked):
		j.willBeLost(rest)
	default:
		f := fact{Finding: plugin.Finding{State: plugin.Warning, Problem: v.offer.String() + ", and not after the maintenance either"}}
		j.byTaint(rest, &f)
		j.add(v, f.mindful(v.Node))
	}
}

// onPurpose tells a node without GPUs on which a taint is that the user means, and that keeps pods away without which there are
// none. The MPS daemon's are the plugin's tolerations: without it the plugin would be kept away too.
func (j *judgement) onPurpose(v *view) bool {
	if v.offer.allocatable > 0 {
		return false // a taint takes all of a device plugin's GPUs or none
	}
	for _, t := range v.Node.Taints {
		if !slices.ContainsFunc(j.limits.IgnoreTaints, func(p TaintPattern) bool { return p.matches(t) }) {
			continue
		}
		keeps := len(j.daemonSets) == 0
		for i := range j.daemonSets {
			d := &j.daemonSets[i]
			pod, known := j.pod(v.Node, d)
			keeps = keeps || v.needs(d) && d.Role != roleMPS && (!v.Recognised || d.selects(v.Node)) && len(d.untolerated([]corev1.Taint{t})) > 0 && (!known || pod == nil)
		}
		if keeps {
			j.add(v, fact{Finding: plugin.Finding{State: plugin.OK, Problem: v.offer.String() + ", on purpose", Cause: "taint " + t.ToString() + " (--ignore-taint)"}})
			v.offer.missing = 0
			return true
		}
	}
	return false
}

// cordoned: GPUs of such a node are well but of no use. Somebody works on it, or has forgotten it. quiet: nothing else was
// told of the node.
func (j *judgement) cordoned(v *view, quiet bool) {
	tooLong, unknown := j.overdue(v.Node, v.CordonedSince)
	if !v.Unschedulable || !tooLong && !quiet {
		return
	}
	f := fact{Finding: plugin.Finding{State: plugin.OK, Problem: v.offer.String() + " but not schedulable", Since: v.CordonedSince, Cause: "the node is cordoned"}}
	if tooLong {
		f.Cause = joined(", ", f.Cause, unknown)
		f.State, f.Consequence = plugin.Warning, "no new pod can use them"
		f.remedy = func(nodes []string) string {
			return "kubectl uncordon " + some(nodes) + ", unless it is meant to be out of use"
		}
		f = f.mindful(v.Node)
	}
	j.add(v, f)
}
