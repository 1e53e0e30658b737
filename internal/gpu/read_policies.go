package gpu

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/kube"
)

var (
	clusterPolicies = kube.Resource{Group: "nvidia.com", Version: "v1", Name: "clusterpolicies"}
	nvidiaDrivers   = kube.Resource{Group: "nvidia.com", Version: "v1alpha1", Name: "nvidiadrivers"}
)

type enabled struct {
	Enabled *bool `json:"enabled"`
}

// policyObject is a ClusterPolicy or NVIDIADriver as the API sends it.
type policyObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		DaemonSets struct {
			Tolerations []corev1.Toleration `json:"tolerations"`
		} `json:"daemonsets"`
		Driver struct {
			enabled
			UseNVIDIADriverCRD bool `json:"useNvidiaDriverCRD"`
		} `json:"driver"`
		Toolkit            enabled `json:"toolkit"`
		DevicePlugin       enabled `json:"devicePlugin"`
		GFD                enabled `json:"gfd"`
		DCGM               enabled `json:"dcgm"`
		DCGMExporter       enabled `json:"dcgmExporter"`
		MIGManager         enabled `json:"migManager"`
		NodeStatusExporter enabled `json:"nodeStatusExporter"`

		Tolerations  []corev1.Toleration `json:"tolerations"`  // of a NVIDIADriver
		NodeSelector map[string]string   `json:"nodeSelector"` // of a NVIDIADriver
	} `json:"spec"`
	Status struct {
		State string `json:"state"`
	} `json:"status"`
}

// policies reads what the DaemonSets are made from, where those themselves could not be read.
func (r reader) policies(ctx context.Context, s *Snapshot) error {
	if s.DaemonSetsRead || !r.params.owns(clusterPolicies.Group) {
		return nil
	}
	for _, kind := range []struct {
		resource kube.Resource
		name     string
	}{{clusterPolicies, "ClusterPolicy"}, {nvidiaDrivers, "NVIDIADriver"}} {
		list, err := kube.List(ctx, r.client, kind.resource, kube.Query{}, func(o *policyObject) (Policy, bool) { return reducePolicy(kind.name, o), true })
		if absent(err) {
			continue
		}
		if err := r.optional(ctx, err, "which taints the operator's DaemonSets tolerate is not known"); err != nil {
			return err
		}
		s.Policies = append(s.Policies, list...)
	}
	return nil
}

func reducePolicy(kind string, o *policyObject) Policy {
	p := Policy{Owner: Owner{kind, o.Metadata.Name}, Ignored: o.Status.State == "ignored", Disabled: map[string]bool{}}
	if kind == "NVIDIADriver" {
		p.NodeSelector, p.Tolerations = o.Spec.NodeSelector, o.Spec.Tolerations
		return p
	}
	p.UsesDrivers, p.Tolerations = o.Spec.Driver.UseNVIDIADriverCRD, o.Spec.DaemonSets.Tolerations
	for operand, e := range map[string]enabled{
		"driver": o.Spec.Driver.enabled, "container-toolkit": o.Spec.Toolkit, "device-plugin": o.Spec.DevicePlugin,
		"gpu-feature-discovery": o.Spec.GFD, "dcgm": o.Spec.DCGM, "dcgm-exporter": o.Spec.DCGMExporter,
		"mig-manager": o.Spec.MIGManager, "node-status-exporter": o.Spec.NodeStatusExporter,
	} {
		if e.Enabled != nil && !*e.Enabled {
			p.Disabled[operand] = true
		}
	}
	return p
}
