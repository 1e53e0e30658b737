package machineconfig

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/kube"
)

// podObject is the little of a pod that is judged.
type podObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Containers     []containerObject `json:"containers"`
		InitContainers []containerObject `json:"initContainers"`
		ResourceClaims []struct{}        `json:"resourceClaims"`
		Volumes        []struct {
			EmptyDir  *struct{}       `json:"emptyDir"`
			Ephemeral *struct{}       `json:"ephemeral"`
			HostPath  *hostPathObject `json:"hostPath"`
			Claim     *struct {
				Name string `json:"claimName"`
			} `json:"persistentVolumeClaim"`
		} `json:"volumes"`
	} `json:"spec"`
	Status struct {
		Phase      string `json:"phase"`
		Conditions []struct {
			Type    string `json:"type"`
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"conditions"`
		ContainerStatuses []struct {
			State struct {
				Waiting *struct {
					Reason string `json:"reason"`
				} `json:"waiting"`
			} `json:"state"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

// podsOf asks for the pods of one node that a drain may have to evict.
func podsOf(node string) kube.Query {
	return kube.Query{FieldSelector: "spec.nodeName=" + node + ",status.phase!=Succeeded,status.phase!=Failed"}
}

// reducePod drops what a drain does not evict: pods of DaemonSets, and mirror pods, which the kubelet keeps by itself.
func reducePod(o *podObject) (Pod, bool) {
	m := &o.Metadata
	if _, mirror := m.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return Pod{}, false
	}
	if owner := metav1.GetControllerOf(m); owner != nil && owner.Kind == "DaemonSet" && strings.HasPrefix(owner.APIVersion, "apps/") {
		return Pod{}, false
	}
	p := Pod{Namespace: m.Namespace, Name: m.Name, Labels: m.Labels, Pending: o.Status.Phase == "Pending", Unready: o.Status.Phase != "" && !o.ready()}
	if m.DeletionTimestamp != nil {
		p.Deleted = m.DeletionTimestamp.Time
	}
	return p, true
}

func (o *podObject) ready() bool {
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" {
			return c.Status == "True"
		}
	}
	return false
}
