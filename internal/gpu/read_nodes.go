package gpu

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"overdue/internal/kube"
)

var nodesResource = kube.Resource{Version: "v1", Name: "nodes"}

// nodes are those that are named, or else those that the selectors match: each once.
func (r reader) nodes(ctx context.Context) ([]Node, error) {
	var asks []kube.Query
	for _, name := range r.names {
		asks = append(asks, kube.Query{FieldSelector: "metadata.name=" + name, Omit: kube.NodeVolumes})
	}
	if len(r.names) == 0 {
		for _, selector := range queries(slices.Concat(r.has, r.expected)) {
			asks = append(asks, kube.Query{LabelSelector: selector, Omit: kube.NodeVolumes})
		}
	}
	var out []Node
	seen := map[string]bool{}
	for _, ask := range asks {
		list, err := kube.List(ctx, r.client, nodesResource, ask, func(o *corev1.Node) (Node, bool) { return r.reduceNode(o), true })
		if err != nil {
			return nil, err
		}
		for _, n := range list {
			if !seen[n.Name] { // a list that was begun anew holds nodes twice
				seen[n.Name] = true
				out = append(out, n)
			}
		}
	}
	slices.SortFunc(out, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// present leaves out the operator's own label where it says "false": so it marks nodes on which NFD no longer finds the device.
func present(all map[string]string) map[string]string {
	if all[labelPresent] != "false" {
		return all
	}
	all = maps.Clone(all)
	delete(all, labelPresent)
	return all
}

// reduceNode keeps of a node what is judged.
func (r reader) reduceNode(o *corev1.Node) Node {
	n := Node{
		Name: o.Name, Created: o.CreationTimestamp.Time, Deleting: o.DeletionTimestamp != nil,
		Recognised:  matchesAny(r.has, present(o.Labels)),
		Expected:    len(r.names) > 0 || matchesAny(r.expected, o.Labels),
		Labels:      o.Labels,
		Annotations: map[string]string{},
		Taints:      o.Spec.Taints, Unschedulable: o.Spec.Unschedulable,
		OSImage: o.Status.NodeInfo.OSImage,
		Written: map[string]time.Time{},
	}
	if o.DeletionTimestamp != nil {
		n.DeletedSince = o.DeletionTimestamp.Time
	}
	for _, key := range annotations {
		if value, ok := o.Annotations[key]; ok {
			n.Annotations[key] = value
		}
	}
	for _, key := range append(r.params.followed(), pausedLabels(&n)...) {
		if at, _ := kube.Written(o.ManagedFields, key); !at.IsZero() {
			n.Written[key] = at
		}
	}
	for name, quantity := range o.Status.Capacity {
		if r.params.isGPU(string(name)) {
			allocatable := o.Status.Allocatable[name]
			n.Resources = append(n.Resources, Resource{Name: string(name), Capacity: whole(quantity), Allocatable: whole(allocatable)})
		}
	}
	slices.SortFunc(n.Resources, func(a, b Resource) int { return cmp.Compare(a.Name, b.Name) })
	if len(n.Taints) > 0 {
		n.TaintsWritten, n.TaintsBy = kube.Written(o.ManagedFields, "taints")
	}
	if n.Unschedulable {
		n.CordonedSince, _ = kube.Written(o.ManagedFields, "unschedulable")
		for _, t := range n.Taints {
			if t.Key == corev1.TaintNodeUnschedulable && t.TimeAdded != nil {
				n.CordonedSince = t.TimeAdded.Time // exact: the node lifecycle controller stamps it
			}
		}
	}
	n.NotReadyWhy = "its kubelet has never reported"
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.NodeReady {
			n.Ready, n.ReadySince = c.Status == corev1.ConditionTrue, c.LastTransitionTime.Time
			n.NotReadyWhy = strings.TrimSuffix("Ready is "+string(c.Status)+": "+c.Message, ": ")
		}
	}
	return n
}

// whole is a quantity as a number of devices, which no server can make absurd.
func whole(q resource.Quantity) int64 { return min(max(q.Value(), 0), mostDevices) }
