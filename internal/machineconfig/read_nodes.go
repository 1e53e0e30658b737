package machineconfig

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/kube"
)

var nodes = kube.Resource{Version: "v1", Name: "nodes"}

func readNodes(ctx context.Context, c *kube.Client, keep map[string]bool) ([]Node, error) {
	return kube.List(ctx, c, nodes, kube.Query{Omit: kube.NodeVolumes}, func(n *corev1.Node) (Node, bool) { return reduceNode(n, keep), true })
}

// maxText is what is kept of a text, in bytes. The MCO cuts reasons at 2,000 characters.
const maxText = 2048

func cut(s string) string { return strings.Clone(s[:min(len(s), maxText)]) }

// reduceNode keeps of a node what is judged, and of its labels those that keep names.
func reduceNode(o *corev1.Node, keep map[string]bool) Node {
	annotation := func(name string) string { return o.Annotations[group+"/"+name] }
	reason := annotation("reason")
	n := Node{
		Name:             o.Name,
		Created:          o.CreationTimestamp.Time,
		Labels:           map[string]string{},
		Zone:             o.Labels[corev1.LabelTopologyZone],
		Windows:          strings.EqualFold(o.Labels[corev1.LabelOSStable], "windows"),
		Current:          annotation("currentConfig"),
		Desired:          annotation("desiredConfig"),
		CurrentImage:     annotation("currentImage"),
		DesiredImage:     annotation("desiredImage"),
		State:            annotation("state"),
		Reason:           cut(reason),
		DesiredDrain:     annotation("desiredDrain"),
		LastAppliedDrain: annotation("lastAppliedDrain"),
		Unschedulable:    o.Spec.Unschedulable,
	}
	for key := range keep {
		if value, ok := o.Labels[key]; ok {
			n.Labels[key] = value
		}
	}
	n.Picked, _ = kube.Written(o.ManagedFields, group+"/desiredConfig")
	n.DrainAsked, _ = kube.Written(o.ManagedFields, group+"/desiredDrain")
	n.DrainApplied, _ = kube.Written(o.ManagedFields, group+"/lastAppliedDrain")
	n.StateWritten, _ = kube.Written(o.ManagedFields, group+"/state")
	reduceTaints(&n, o)
	reduceConditions(&n, o.Status.Conditions)
	return n
}

// managedTaints are those that Kubernetes and OpenShift set and take away by themselves, or that mark the control plane.
var managedTaints = []string{
	corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure,
	corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable, "node.cloudprovider.kubernetes.io/uninitialized",
	"node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/arbiter",
	"UpdateInProgress", // the MCO's own mark on nodes that wait for their turn
}

func reduceTaints(n *Node, o *corev1.Node) {
	if n.Unschedulable {
		n.CordonedSince, n.CordonedBy = kube.Written(o.ManagedFields, "unschedulable")
	}
	for _, t := range o.Spec.Taints {
		switch {
		case t.Key == corev1.TaintNodeUnschedulable:
			if n.Unschedulable && t.TimeAdded != nil {
				n.CordonedSince = t.TimeAdded.Time
			}
		case slices.Contains(managedTaints, t.Key):
		default:
			n.Taints = append(n.Taints, t.ToString())
		}
	}
}

// reduceConditions applies the MCO's rule: Ready must be True, DiskPressure and NetworkUnavailable must not be other than False.
func reduceConditions(n *Node, conditions []corev1.NodeCondition) {
	n.KubeletReady = true
	seen := false
	for _, c := range conditions {
		wanted := corev1.ConditionFalse
		switch c.Type {
		case corev1.NodeReady:
			wanted, seen = corev1.ConditionTrue, true
		case corev1.NodeDiskPressure, corev1.NodeNetworkUnavailable:
		default:
			continue
		}
		if c.Status != wanted {
			n.KubeletReady = false
			n.NotReadySince = c.LastTransitionTime.Time
			n.NotReadyWhy = strings.TrimSuffix(fmt.Sprintf("%s is %s: %s", c.Type, c.Status, c.Message), ": ")
		}
	}
	if !seen {
		n.KubeletReady, n.NotReadyWhy = false, "its kubelet has never reported"
	}
}
