package gpu

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// excuses says whether what goes on explains that GPUs are missing, for as long as the grace lasts: not where a taint or a fault is
// known to be older. A restart ends with the node's own taints, so a person's is none of its doing; its age tells nothing, as the
// restart has changed the list.
func (j *judgement) excuses(v *view, u underway, byTaint bool) bool {
	if !j.within(u) {
		return false
	}
	if byTaint {
		cause := causing(v)
		passes := u.first || u.restart && !slices.ContainsFunc(cause.taints, func(t corev1.Taint) bool { return ends(t) == "" })
		return passes && !j.old(taintAge(cause).Time)
	}
	if u.stuck { // its own signs of progress decide
		return true
	}
	broken, ok := j.broken(v)
	return !ok || broken.since.IsZero() || u.since.Sub(broken.since) < j.limits.Grace
}

// old says whether it is known that the grace is over that began then.
func (j *judgement) old(since time.Time) bool {
	return !since.IsZero() && j.now.Sub(since) >= j.limits.Grace
}
