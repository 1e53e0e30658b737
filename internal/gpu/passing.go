package gpu

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// passes says whether a taint takes itself off: a program that does so has set it, within the grace as far as anything tells.
func (j *judgement) passes(v *view, t corev1.Taint) bool {
	since := v.TaintsWritten
	if t.TimeAdded != nil {
		since = t.TimeAdded.Time
	}
	return ends(t) != "" && j.young(since)
}

// less is the view without some of the taints, and without the DaemonSets that only those keep away.
func (v *view) less(these func(*view, corev1.Taint) bool) *view {
	rest := *v
	rest.taints = slices.DeleteFunc(slices.Clone(v.taints), func(t corev1.Taint) bool { return these(v, t) })
	rest.blocked = slices.DeleteFunc(slices.Clone(v.blocked), func(d *DaemonSet) bool { return len(d.untolerated(rest.taints)) == 0 })
	return &rest
}
