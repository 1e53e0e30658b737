package gpu

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// short tells a node that offers fewer GPUs than it has, or none, and why.
func (j *judgement) short(v *view) {
	f := fact{Finding: plugin.Finding{State: j.grade(v.offer), Problem: joined(", ", v.offer.String(), j.labelsMissing(v))}}
	now, passing := j.underway(v)
	byTaint := j.keptAway(v)
	switch {
	case passing && j.excuses(v, now, byTaint):
		j.add(v, fact{Finding: plugin.Finding{State: plugin.OK, Problem: now.what + ", " + v.offer.String(), Since: now.since.Time, AtLeast: !now.since.exact}})
		return
	case byTaint:
		j.byTaint(v, &f)
	case passing && now.stuck:
		f.Since, f.AtLeast, f.remedy = now.since.Time, !now.since.exact, now.remedy
		f.Cause = now.what
		switch broken, ok := j.broken(v); {
		case ok && broken.role == roleDriver:
			f.Cause, f.remedy = broken.text+"; "+now.what, driverFirst(broken, now)
		case ok:
			f.Cause += "; " + broken.text
		}
	default:
		j.byChain(v, &f)
	}
	if !byTaint && slices.ContainsFunc(v.blocked, v.needs) {
		j.taintFirst(v, &f)
	}
	if history := v.offer.history(); history != "" {
		f.Details = append(f.Details, history)
	}
	if want, by := j.expects(v.Node); by != "" && want > v.offer.capacity {
		f.Details = append(f.Details, "expected: "+by)
	}
	if v.Unschedulable && !byTaint {
		j.softened(v, &f)
	}
	j.add(v, f.mindful(v.Node))
}

// taintFirst: a taint is not the cause, but no pod that is restarted would come back past it. A remedy that begins with a
// restart would take all GPUs for good.
func (j *judgement) taintFirst(v *view, f *fact) {
	then, past := f.remedy, j.without(v)
	words := f.Remedy
	f.remedy = func(nodes []string) string {
		if then != nil {
			words = then(nodes)
		}
		return past(nodes) + "; not before that, as no pod comes back past the taint: " + words
	}
	f.Cause = joined("; ", f.Cause, notTolerated(v.taints, v.blocked, ""))
	f.Details = append(f.Details, j.taintDetails(v)...)
}

// softened: somebody has cordoned the node and probably works on it. No new pod could use its GPUs anyhow.
func (j *judgement) softened(v *view, f *fact) {
	if f.State == plugin.Critical {
		f.State = plugin.Warning
	}
	if j.young(v.CordonedSince) && !j.old(f.Since) {
		f.State = plugin.OK
	}
	f.Problem += ", cordoned"
}

// keptAway says whether taints keep the pods away without which there are no GPUs: one of those does not run any more.
func (j *judgement) keptAway(v *view) bool {
	return slices.ContainsFunc(v.blocked, func(d *DaemonSet) bool {
		pod, known := j.pod(v.Node, d)
		if v.offer.allocatable > 0 && (d.Role != rolePlugin || !known) {
			return false // a taint takes all of a device plugin's GPUs or none
		}
		return v.needs(d) && (!known || pod == nil || !pod.Ready)
	})
}

// causing is the view with only those taints that keep away pods without which there are no GPUs.
func causing(v *view) *view {
	return v.less(func(v *view, t corev1.Taint) bool {
		return !slices.ContainsFunc(v.blocked, func(d *DaemonSet) bool { return v.needs(d) && !d.tolerates(&t) })
	})
}

// byTaint: finding B of the incident. The operator, its DaemonSets and NVIDIA's own alert all look healthy meanwhile, as none of
// them counts a node that a taint excludes. Taints that keep only auxiliary pods away are not the cause.
func (j *judgement) byTaint(v *view, f *fact) {
	cause := causing(v)
	f.since = taintAge(cause)
	f.because = func(age string) string { return notTolerated(cause.taints, cause.blocked, age) }
	loss := "nobody can use these GPUs"
	if j.labelsMissing(v) != "" {
		loss += ", billing and quotas by label miss the node"
	}
	f.Consequence = joined("; ", f.Consequence, loss)
	f.remedy = j.without(cause)
	f.Details = append(f.Details, j.taintDetails(cause)...)
}
