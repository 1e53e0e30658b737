package gpu

import (
	"slices"
	"time"
)

// rollout is what a DaemonSet's pods tell of how far its rollout is.
type rollout struct {
	first string // a revision
	mixed bool   // there are others
	steps []step // sorted by when the pods were made
}

// step is one pod: when it was made, and when it had become ready, if it has.
type step struct {
	node       string
	made, done time.Time
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
		s := step{p.Node, p.Created, p.Created}
		if p.Ready {
			s.done = latest(p.Created, p.Since).Time
		}
		r.steps = append(r.steps, s)
	}
	for _, r := range out {
		slices.SortFunc(r.steps, func(a, b step) int { return a.made.Compare(b.made) })
	}
	return out
}

// replaced says whether a rollout replaces the DaemonSet's pod, and since when. In its first minutes nothing else is asked of a pod that is
// gone, or that was not read; later it must have come to the node. A pod's own age excuses nothing, as one that is made anew again and
// again is always young.
func (j *judgement) replaced(v *view, d *DaemonSet) (since moment, ok bool) {
	pod, known := j.pod(v.Node, d)
	switch {
	case pod != nil && pod.Crashing && !j.endsWell(pod):
		return moment{}, false
	case j.young(d.Rolled):
		return moment{Time: d.Rolled}, pod == nil || j.young(pod.Created) || pod.Deleting
	case !known:
		return moment{}, false
	case pod == nil: // it tells no time, but the kubelet's numbers do: they outlast a plugin by 5 minutes
		return moment{Time: j.now}, v.offer.capacity > 0 && !d.OnDelete && j.rolling(v.Node, d, j.now)
	case pod.Deleting:
		return moment{pod.DeletedSince, true}, j.young(pod.DeletedSince) && j.endsWell(pod) && j.rolling(v.Node, d, pod.DeletedSince)
	}
	return moment{pod.Created, true}, j.young(pod.Created) && j.rolling(v.Node, d, pod.Created)
}

// endsWell: the pod is told to end and was well until then. Its containers may end with an error.
func (j *judgement) endsWell(p *Pod) bool {
	return p.Deleting && (p.Ready || p.DeletedSince.Sub(p.Since) < j.limits.Grace)
}

// rolling says whether a rollout that began before the grace goes on, and had come to the node by then: it takes one after the other, and
// the one before was within the grace, unless it is a person who deletes the pods. The node's own pod does not count, or it would excuse
// itself for ever. Pods are of several revisions meanwhile, for no longer than the grace of each node. At its end they are of one again;
// then no step before has taken longer than the grace.
func (j *judgement) rolling(n *Node, d *DaemonSet, by time.Time) bool {
	r := j.rollouts[[2]string{d.Namespace, d.Name}]
	if r == nil || d.Rolled.IsZero() {
		return false
	}
	made, done, steady := d.Rolled, d.Rolled, true
	for _, s := range r.steps {
		if s.node == n.Name || s.made.Before(d.Rolled) {
			continue
		}
		steady = steady && s.made.Sub(made) < j.limits.Grace
		made, done = s.made, latest(done, s.done).Time
	}
	reached := by.Sub(done) < j.limits.Grace
	unfinished := r.mixed && j.now.Sub(d.Rolled)/time.Duration(len(r.steps)) < j.limits.Grace
	return reached && steady || unfinished && (reached || d.OnDelete)
}
