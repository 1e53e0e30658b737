package machineconfig

import (
	"bytes"
	"context"
	"time"

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

func readPools(ctx context.Context, c *kube.Client) ([]Pool, error) {
	return kube.List(ctx, c, machineConfigPools, kube.Query{}, func(o *poolObject) (Pool, bool) { return reducePool(o), true })
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
		p.Conditions[c.Type] = Condition{True: c.Status == "True", Since: c.LastTransitionTime.Time, Message: c.Message}
	}
	for _, e := range o.Metadata.ManagedFields {
		if e.Subresource == "" && e.Time != nil {
			p.SpecWritten = later(p.SpecWritten, e.Time.Time)
		}
	}
	p.TargetWritten, _ = written(o.Metadata.ManagedFields, "configuration")
	p.PausedWritten, p.PausedBy = written(o.Metadata.ManagedFields, "paused")
	return p
}

// written finds in managedFields when, and by which program, a field was last written. The time is that of the program's last
// write of any field of its entry, so the field cannot be younger. Status entries hold fields of the same name and are passed
// over. The field's path is looked for as text: decoding thousands of entries would cost more than all the rest.
func written(entries []metav1.ManagedFieldsEntry, field string) (time.Time, string) {
	var at time.Time
	var by string
	key := []byte(`"f:` + field + `"`)
	for _, e := range entries {
		if e.Subresource == "" && e.Time != nil && e.FieldsV1 != nil && e.Time.After(at) && bytes.Contains(e.FieldsV1.GetRawBytes(), key) {
			at, by = e.Time.Time, e.Manager
		}
	}
	return at, by
}
