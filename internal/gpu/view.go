package gpu

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// view is one node with what was found out about it.
type view struct {
	*Node
	offer    offer
	selected []*DaemonSet // those that want a pod here, taints aside
	blocked  []*DaemonSet // of these, those that a taint keeps away
	taints   []corev1.Taint
}

func (j *judgement) look(n *Node) *view {
	want, _ := j.expects(n)
	v := &view{Node: n, offer: offered(n, j.params, want)}
	if v.offer.want == 0 && v.offer.allocatable == 0 {
		v.offer.want = j.alike(n)
		v.offer.missing = max(v.offer.missing, v.offer.want, 1) // at least one, or it would be no GPU node
	}
	taints := j.relevant(n)
	blocking := map[string]bool{}
	for i := range j.daemonSets {
		if d := &j.daemonSets[i]; d.selects(n) {
			v.selected = append(v.selected, d)
		}
	}
	if v.labelled() && !byNFD(n) {
		v.selected = slices.DeleteFunc(v.selected, func(d *DaemonSet) bool { return d.Role == roleNFD })
	}
	for _, d := range v.selected {
		if kept := d.untolerated(taints); len(kept) > 0 {
			v.blocked = append(v.blocked, d)
			for _, t := range kept {
				blocking[t.ToString()] = true
			}
		}
	}
	for _, t := range taints {
		if blocking[t.ToString()] {
			v.taints = append(v.taints, t)
		}
	}
	return v
}

// needs says whether the node's GPUs depend on the DaemonSet. On NFD's worker they do until the node has the labels by which a plugin
// selects it.
func (v *view) needs(d *DaemonSet) bool {
	return d.essential() && !(d.Role == roleNFD && v.labelled())
}

func (v *view) labelled() bool {
	return v.Recognised && slices.ContainsFunc(v.selected, func(d *DaemonSet) bool { return d.Role == rolePlugin })
}

// less is the view without some of the taints, and without the DaemonSets that only those keep away.
func (v *view) less(these func(*view, corev1.Taint) bool) *view {
	rest := *v
	rest.taints = slices.DeleteFunc(slices.Clone(v.taints), func(t corev1.Taint) bool { return these(v, t) })
	rest.blocked = slices.DeleteFunc(slices.Clone(v.blocked), func(d *DaemonSet) bool { return len(d.untolerated(rest.taints)) == 0 })
	return &rest
}
