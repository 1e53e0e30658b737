package gpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// automatic are the tolerations that the DaemonSet controller adds to every pod
// (k8s.io/kubernetes/pkg/controller/daemon/util, AddOrUpdateDaemonPodTolerations).
var automatic = []corev1.Toleration{
	{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeDiskPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodePIDPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
	{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
}

// automaticHostNetwork it adds to those in the host's network only.
var automaticHostNetwork = corev1.Toleration{Key: corev1.TaintNodeNetworkUnavailable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}

// selects says whether the DaemonSet wants a pod on the node, taints aside.
func (d *DaemonSet) selects(n *Node) bool {
	if d.NodeName != "" && d.NodeName != n.Name {
		return false
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}
	ok, err := nodeaffinity.NewRequiredNodeAffinity(d.NodeSelector, d.Affinity).Match(node)
	return ok && err == nil
}

// untolerated are all taints of the node that keep the DaemonSet's new pods off it. PreferNoSchedule does not.
func (d *DaemonSet) untolerated(taints []corev1.Taint) []corev1.Taint {
	var out []corev1.Taint
	for _, t := range taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule && !d.tolerates(&t) {
			out = append(out, t)
		}
	}
	return out
}

func (d *DaemonSet) tolerates(t *corev1.Taint) bool {
	// The operators Lt and Gt (KEP-5471) count as unknown, as in a cluster without their feature gate.
	all := slices.Concat(d.Tolerations, automatic)
	if d.HostNetwork {
		all = append(all, automaticHostNetwork)
	}
	return corev1helpers.TolerationsTolerateTaint(logr.Discard(), all, t, false)
}

// mismatch is a label that keeps the DaemonSet's selector from matching.
type mismatch struct {
	label, has, wants string
	missing           bool
}

func (m mismatch) String() string {
	if m.missing {
		return fmt.Sprintf("%s is not set (wants %q)", m.label, m.wants)
	}
	return fmt.Sprintf("%s=%q (wants %q)", m.label, m.has, m.wants)
}

// mismatches are sorted by label. Without any the DaemonSet's affinity or nodeName may still not match.
func (d *DaemonSet) mismatches(n *Node) []mismatch {
	var out []mismatch
	for label, wants := range d.NodeSelector {
		if has, ok := n.Labels[label]; !ok || has != wants {
			out = append(out, mismatch{label: label, has: has, wants: wants, missing: !ok})
		}
	}
	slices.SortFunc(out, func(a, b mismatch) int { return cmp.Compare(a.label, b.label) })
	return out
}
