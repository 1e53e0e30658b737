package gpu

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/kube"
	"overdue/internal/plugin"
)

var podsResource = kube.Resource{Version: "v1", Name: "pods"}

// podContents are annotations and managed fields in the metadata of a pod, and volumes, containers and tolerations in its spec: most of its size.
var podContents = kube.Omit{1: {12, 17}, 2: {1, 2, 20, 22, 34}}

// pods reads those of the DaemonSets, one list for each of their namespaces.
func (r reader) pods(ctx context.Context, s *Snapshot) error {
	s.PodsRead = map[string]bool{}
	if r.noPods {
		return nil
	}
	wanted := map[string]bool{}
	for _, n := range s.Nodes {
		wanted[n.Name] = true
	}
	for _, namespace := range namespacesOf(s.DaemonSets) {
		var list []Pod
		var err error
		for _, field := range r.podFields() {
			q := kube.Query{Namespace: namespace, LabelSelector: podSelector(s.DaemonSets, namespace), FieldSelector: field, Omit: podContents}
			var more []Pod
			more, err = kube.List(ctx, r.client, podsResource, q, func(o *corev1.Pod) (Pod, bool) {
				p, ok := reducePod(o)
				return p, ok && wanted[p.Node]
			})
			if err != nil {
				break
			}
			list = append(list, more...)
		}
		if err != nil {
			if err := r.optional(ctx, err, "how the pods in "+namespace+" are is not known"); err != nil {
				return err
			}
			continue
		}
		s.Pods = append(s.Pods, list...)
		s.PodsRead[namespace] = true
	}
	return nil
}

// podFields are the field selectors that together find the pods. A pod that is not scheduled has no spec.nodeName yet: the
// DaemonSet controller pins it by its affinity, which no field selector reaches.
func (r reader) podFields() []string {
	const unfinished = "status.phase!=Succeeded"
	if len(r.names) != 1 {
		return []string{unfinished}
	}
	return []string{unfinished + ",spec.nodeName=" + r.names[0], unfinished + ",spec.nodeName="}
}

// podSelector selects the pods of all DaemonSets of a namespace where they have a label key in common, as NVIDIA's have "app".
// It leaves out the operator's one-shot validators. Else it is empty: all pods.
func podSelector(all []DaemonSet, namespace string) string {
	values := map[string][]string{}
	total := 0
	for _, d := range all {
		if d.Namespace == namespace {
			total++
			for key, value := range d.PodLabels {
				values[key] = append(values[key], value)
			}
		}
	}
	var keys []string
	for key, list := range values {
		if len(list) == total {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return ""
	}
	key := slices.Min(keys)
	slices.Sort(values[key])
	return fmt.Sprintf("%s in (%s)", key, strings.Join(slices.Compact(values[key]), ","))
}

// reducePod keeps the pods of DaemonSets.
func reducePod(o *corev1.Pod) (Pod, bool) {
	owner := metav1.GetControllerOf(o)
	if owner == nil || owner.Kind != "DaemonSet" {
		return Pod{}, false
	}
	p := Pod{Namespace: o.Namespace, DaemonSet: owner.Name, Name: o.Name, Node: nodeOf(o), Revision: o.Labels[appsv1.ControllerRevisionHashLabelKey],
		Created: o.CreationTimestamp.Time, Deleting: o.DeletionTimestamp != nil, Since: o.CreationTimestamp.Time}
	if p.Deleting { // the timestamp is when the pod's own time to end is over
		p.DeletedSince = o.DeletionTimestamp.Time
		if own := o.DeletionGracePeriodSeconds; own != nil {
			p.DeletedSince = p.DeletedSince.Add(-time.Duration(*own) * time.Second)
		}
	}
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.PodReady {
			p.Ready = c.Status == corev1.ConditionTrue
			if !c.LastTransitionTime.IsZero() {
				p.Since = c.LastTransitionTime.Time
			}
		}
	}
	if !p.Ready {
		p.Trouble, p.Crashing = trouble(o)
	}
	return p, true
}

// nodeOf is where the pod runs or, while it is not scheduled, is meant to: the controller writes the name into its affinity.
func nodeOf(o *corev1.Pod) string {
	required := affinityOf(o.Spec.Affinity)
	if o.Spec.NodeName != "" || required == nil {
		return o.Spec.NodeName
	}
	for _, term := range required.NodeSelectorTerms {
		for _, f := range term.MatchFields {
			if f.Key == metav1.ObjectNameField && len(f.Values) == 1 {
				return f.Values[0]
			}
		}
	}
	return ""
}

// trouble words why a pod is not ready, as kubectl does: "Init:1/3, waits in toolkit-validation". crashing: a container fails
// again and again, or cannot even begin.
func trouble(o *corev1.Pod) (text string, crashing bool) {
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return strings.TrimSuffix(fmt.Sprintf("Pending, %s: %s", cmp.Or(c.Reason, "not scheduled"), c.Message), ": "), false
		}
	}
	for i, c := range o.Status.InitContainerStatuses {
		if c.State.Terminated != nil && c.State.Terminated.ExitCode == 0 || c.Ready {
			continue
		}
		if text, crashing := failing(c); text != "" {
			return "Init:" + text, crashing
		}
		return fmt.Sprintf("Init:%d/%d, waits in %s", i, len(o.Status.InitContainerStatuses), c.Name), false
	}
	for _, c := range o.Status.ContainerStatuses {
		if text, crashing := failing(c); text != "" && !c.Ready {
			return text, crashing
		}
	}
	for _, c := range o.Status.ContainerStatuses {
		if !c.Ready {
			return c.Name + " is not ready", false
		}
	}
	return strings.TrimSuffix(fmt.Sprintf("%s, %s", cmp.Or(string(o.Status.Phase), "Pending"), o.Status.Reason), ", "), o.Status.Phase == corev1.PodFailed
}

// failing words a container that waits for its next try or has ended.
func failing(c corev1.ContainerStatus) (text string, crashing bool) {
	restarts := ""
	if c.RestartCount > 0 {
		restarts = fmt.Sprintf(" (%s)", plugin.Count(int(c.RestartCount), "restart"))
	}
	switch w, t := c.State.Waiting, c.State.Terminated; {
	case w != nil && w.Reason != "" && w.Reason != "PodInitializing" && w.Reason != "ContainerCreating":
		return fmt.Sprintf("%s in %s%s", w.Reason, c.Name, restarts), true
	case t != nil && t.ExitCode != 0:
		return fmt.Sprintf("%s in %s%s", cmp.Or(t.Reason, "Error"), c.Name, restarts), true
	}
	return "", false
}
