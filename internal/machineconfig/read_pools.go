package machineconfig

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"overdue/internal/kube"
)

const group = "machineconfiguration.openshift.io"

var machineConfigPools = kube.Resource{Group: group, Version: "v1", Name: "machineconfigpools"}

// poolObject is a MachineConfigPool as the API sends it.
type poolObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Paused         bool                  `json:"paused"`
		NodeSelector   *metav1.LabelSelector `json:"nodeSelector"`
		MaxUnavailable *intstr.IntOrString   `json:"maxUnavailable"`
		Configuration  struct {
			Name   string `json:"name"`
			Source []struct {
				Name string `json:"name"`
			} `json:"source"`
		} `json:"configuration"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration      int64 `json:"observedGeneration"`
		MachineCount            int   `json:"machineCount"`
		ReadyMachineCount       int   `json:"readyMachineCount"`
		UpdatedMachineCount     int   `json:"updatedMachineCount"`
		UnavailableMachineCount int   `json:"unavailableMachineCount"`
		DegradedMachineCount    int   `json:"degradedMachineCount"`
		Conditions              []struct {
			Type               string      `json:"type"`
			Status             string      `json:"status"`
			Message            string      `json:"message"`
			LastTransitionTime metav1.Time `json:"lastTransitionTime"`
		} `json:"conditions"`
	} `json:"status"`
}

// maxMachines is far beyond what Kubernetes supports in a cluster (5,000 nodes).
const maxMachines = 1_000_000

func readPools(ctx context.Context, c *kube.Client) ([]Pool, error) {
	pools, err := kube.List(ctx, c, machineConfigPools, kube.Query{}, func(o *poolObject) (Pool, bool) { return reducePool(o), true })
	for _, p := range pools {
		if least := min(p.Machines, p.Ready, p.Updated, p.Unavailable, p.Degraded); least < 0 || p.Machines > maxMachines {
			return nil, fmt.Errorf("pool %s counts %d of %d machines: this is not the answer of a MachineConfigPool", p.Name, least, p.Machines)
		}
	}
	return pools, err
}

func reducePool(o *poolObject) Pool {
	p := Pool{
		Name:               o.Metadata.Name,
		Created:            o.Metadata.CreationTimestamp.Time,
		Selector:           o.Spec.NodeSelector,
		Paused:             o.Spec.Paused,
		Target:             o.Spec.Configuration.Name,
		Conditions:         map[string]Condition{},
		Generation:         o.Metadata.Generation,
		ObservedGeneration: o.Status.ObservedGeneration,
		Machines:           o.Status.MachineCount,
		Ready:              o.Status.ReadyMachineCount,
		Updated:            o.Status.UpdatedMachineCount,
		Unavailable:        o.Status.UnavailableMachineCount,
		Degraded:           o.Status.DegradedMachineCount,
	}
	if o.Spec.MaxUnavailable != nil {
		p.Limit = o.Spec.MaxUnavailable.String()
	}
	for _, s := range o.Spec.Configuration.Source {
		p.Sources = append(p.Sources, s.Name)
	}
	for _, c := range o.Status.Conditions {
		if p.Conditions[c.Type].True {
			continue // told twice: the worse one counts
		}
		p.Conditions[c.Type] = Condition{True: c.Status == "True", Unclear: c.Status != "True" && c.Status != "False", Since: c.LastTransitionTime.Time, Message: cut(c.Message)}
	}
	for _, e := range o.Metadata.ManagedFields {
		if e.Subresource == "" && e.Time != nil {
			p.SpecWritten = later(p.SpecWritten, e.Time.Time)
		}
	}
	p.TargetWritten, _ = kube.Written(o.Metadata.ManagedFields, "configuration")
	p.LimitWritten, _ = kube.Written(o.Metadata.ManagedFields, "maxUnavailable")
	p.PausedWritten, p.PausedBy = kube.Written(o.Metadata.ManagedFields, "paused")
	return p
}
