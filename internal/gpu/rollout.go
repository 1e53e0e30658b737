package gpu

import (
	"slices"
	"time"
)

// rollout is what a DaemonSet's pods tell of how far its rollout is.
type rollout struct {
	first string      // a revision
	mixed bool        // there are others
	made  []time.Time // when the pods were made, sorted
}

// rollouts are those of all DaemonSets, by namespace and name.
func rollouts(pods []Pod) map[[2]string]*rollout {
	out := map[[2]string]*rollout{}
	for i := range pods {
		p := &pods[i]
		at := [2]string{p.Namespace, p.DaemonSet}
		r := out[at]
		if r == nil {
			r = &rollout{first: p.Revision}
			out[at] = r
		}
		r.mixed = r.mixed || p.Revision != r.first
		r.made = append(r.made, p.Created)
	}
	for _, r := range out {
		slices.SortFunc(r.made, time.Time.Compare)
	}
	return out
}

// replaced says whether a rollout replaces the DaemonSet's pod, and since when. A pod's own age excuses nothing, as one that is made
// anew again and again is always young.
func (j *judgement) replaced(v *view, d *DaemonSet) (since moment, ok bool) {
	pod, known := j.pod(v.Node, d)
	switch {
	case !known || pod != nil && pod.Crashing:
	case j.young(d.Rolled):
		return moment{Time: d.Rolled}, pod == nil || j.young(pod.Created) || pod.Deleting
	case pod != nil && j.young(pod.Created) && j.rolling(d):
		return moment{pod.Created, true}, true
	}
	return moment{}, false
}

// rolling says whether a rollout that began before the grace still goes on, as it takes one node after the other. Pods are of several
// revisions then, for no longer than the grace of each node. At its end they are of one again; then no step before has taken longer
// than the grace.
func (j *judgement) rolling(d *DaemonSet) bool {
	r := j.rollouts[[2]string{d.Namespace, d.Name}]
	if r == nil || d.Rolled.IsZero() {
		return false
	}
	if r.mixed {
		return j.now.Sub(d.Rolled)/time.Duration(len(r.made)) < j.limits.Grace
	}
	step := d.Rolled
	for _, made := range r.made {
		if made.Before(step) {
			continue
		}
		if made.Sub(step) >= j.limits.Grace {
			return false
		}
		step = made
	}
	return true
}
