package gpu

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"overdue/internal/kube"
)

var daemonSetsResource = kube.Resource{Group: "apps", Version: "v1", Name: "daemonsets"}

// daemonSets finds those of the GPUs in the namespaces that were named, or in the whole cluster, which has a few dozen of all kinds.
func (r reader) daemonSets(ctx context.Context, s *Snapshot) error {
	places := r.namespaces
	if len(places) == 0 {
		places = []string{""}
	}
	for _, namespace := range places {
		list, err := kube.List(ctx, r.client, daemonSetsResource, kube.Query{Namespace: namespace}, func(o *appsv1.DaemonSet) (DaemonSet, bool) {
			if !r.concerns(o) {
				return DaemonSet{}, false
			}
			return reduceDaemonSet(o), true
		})
		switch {
		case err != nil:
			cost := "which DaemonSets should run where is not known"
			switch {
			case namespace != "":
				cost = "which DaemonSets of the namespace " + namespace + " should run where is not known"
			case kube.IsForbidden(err):
				cost += " (with rights in some namespaces only, name those with --namespace)"
			}
			s.Unread = append(s.Unread, namespace)
			if err := r.optional(ctx, err, cost); err != nil {
				return err
			}
			continue
		case len(list) == 0 && namespace != "":
			s.Empty = append(s.Empty, namespace)
			r.note("no GPU DaemonSet is in the namespace %s: see whether --namespace is right", namespace)
		}
		s.DaemonSets = append(s.DaemonSets, list...)
		s.DaemonSetsRead = true
	}
	return nil
}

// concerns finds the DaemonSets that bring GPUs by what they are: they belong to one of the vendor's custom resources, are an operand
// that a deploy label switches, or are a device plugin that selects the vendor's nodes or is the vendor's by its name or image (a plain
// manifest has no selector). To tolerate the vendor's taint makes none: NVIDIA's network operator does. Those that have the name of a
// role, as an installer of drivers by a cloud, must select GPU nodes too: who merely runs there, to collect logs, to schedule, to mount
// storage or to offer network devices, brings no GPU. NFD's workers are among them, as all begins there.
//
// In a namespace that the user names less will do: whoever controls it, and for the name of a role the vendor's name too.
func (r reader) concerns(o *appsv1.DaemonSet) bool {
	if roleOf(o.Name) == roleNFD {
		return true
	}
	for _, owner := range o.OwnerReferences {
		if gv, err := schema.ParseGroupVersion(owner.APIVersion); err == nil && r.params.owns(gv.Group) {
			return true
		}
	}
	asked := len(r.namespaces) > 0
	if controller := metav1.GetControllerOf(o); !asked && controller != nil && !r.params.related(controller.APIVersion) {
		return false
	}
	pod := o.Spec.Template.Spec
	keys := slices.Concat(slices.Collect(maps.Keys(pod.NodeSelector)), affinityKeys(pod.Affinity))
	switch selects := slices.ContainsFunc(keys, r.means); {
	case slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, deployPrefix) }):
		return true
	case mountsStorage(o), ofNetwork(o):
		return false
	case isDevicePlugin(o), asked && roleOf(o.Name) != roleAuxiliary:
		return selects || r.params.brands(o)
	default:
		return selects && roleOf(o.Name) != roleAuxiliary
	}
}

// means says whether a label is the vendor's, or one that tells GPU nodes from others. A label that every node has does that by its value
// only, and for other devices too: an instance type.
func (r reader) means(key string) bool {
	if r.params.owns(key) {
		return true
	}
	if slices.Contains(everywhere, key) {
		return false
	}
	for _, s := range r.has {
		for _, requirement := range requirements(s) {
			if requirement.Key() == key {
				return true
			}
		}
	}
	return false
}

// everywhere are the labels that every node has, or every node of a cloud (Kubernetes: reference/labels-annotations-taints).
var everywhere = []string{
	corev1.LabelHostname, corev1.LabelOSStable, corev1.LabelArchStable, "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
	corev1.LabelInstanceTypeStable, corev1.LabelInstanceType, corev1.LabelTopologyZone, corev1.LabelTopologyRegion,
	corev1.LabelFailureDomainBetaZone, corev1.LabelFailureDomainBetaRegion,
}

func affinityKeys(a *corev1.Affinity) []string {
	required := affinityOf(a)
	if required == nil {
		return nil
	}
	var out []string
	for _, term := range required.NodeSelectorTerms {
		for _, e := range term.MatchExpressions {
			out = append(out, e.Key)
		}
	}
	return out
}

// affinityOf is what a pod requires of its node; nil: nothing.
func affinityOf(a *corev1.Affinity) *corev1.NodeSelector {
	if a == nil || a.NodeAffinity == nil {
		return nil
	}
	return a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// mountsStorage: a storage driver (CSI) has to mount the directory in which the kubelet looks for the pods' volumes. Its name is often that
// of a driver.
func mountsStorage(o *appsv1.DaemonSet) bool {
	return slices.ContainsFunc(o.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool {
		if v.HostPath == nil {
			return false
		}
		at := path.Clean(v.HostPath.Path)
		return at == "/var/lib/kubelet" || at == "/var/lib/kubelet/pods"
	})
}

// isDevicePlugin: a device plugin has to mount the directory of the kubelet's socket.
func isDevicePlugin(o *appsv1.DaemonSet) bool {
	for _, v := range o.Spec.Template.Spec.Volumes {
		if v.HostPath != nil && (v.HostPath.Path == "/var/lib/kubelet/device-plugins" || v.HostPath.Path == "/var/lib/kubelet/device-plugins/") {
			return true
		}
	}
	return roleOf(o.Name) == rolePlugin
}

func reduceDaemonSet(o *appsv1.DaemonSet) DaemonSet {
	pod := o.Spec.Template.Spec
	d := DaemonSet{
		Namespace: o.Namespace, Name: o.Name, Role: roleOf(o.Name),
		NodeName: pod.NodeName, NodeSelector: pod.NodeSelector, Tolerations: pod.Tolerations, HostNetwork: pod.HostNetwork,
		OnDelete: o.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType,
	}
	written, _ := kube.Written(o.ManagedFields, "template")
	d.Rolled = latest(o.CreationTimestamp.Time, written).Time
	if isDevicePlugin(o) && !d.isDRA() {
		d.Role = rolePlugin
	}
	others := func(c corev1.Container) bool { return c.Name != "compute-domains" }
	if d.isDRA() && len(pod.Containers) > 0 && !slices.ContainsFunc(pod.Containers, others) {
		d.Role = roleAuxiliary // the DRA driver for compute domains alone publishes no GPU
	}
	if owner := metav1.GetControllerOf(o); owner != nil {
		d.Owner = Owner{owner.Kind, owner.Name}
	}
	if affinityOf(pod.Affinity) != nil {
		d.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: affinityOf(pod.Affinity)}}
	}
	if o.Spec.Selector != nil {
		d.PodLabels = o.Spec.Selector.MatchLabels
	}
	return d
}
