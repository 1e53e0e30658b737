package gpu

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"

	"overdue/internal/kube"
)

var slicesResource = kube.Resource{Group: "resource.k8s.io", Version: "v1", Name: "resourceslices"}

// slices reads the devices of the vendor's DRA driver where a node uses it.
func (r reader) slices(ctx context.Context, s *Snapshot) error {
	if r.params.Driver == "" || !slices.ContainsFunc(s.Nodes, func(n Node) bool { return usesDRA(&n, s.DaemonSets) }) {
		return nil
	}
	q := kube.Query{FieldSelector: resourcev1.ResourceSliceSelectorDriver + "=" + r.params.Driver}
	list, err := kube.List(ctx, r.client, slicesResource, q, func(o *resourcev1.ResourceSlice) (Slice, bool) { return reduceSlice(o), true })
	const cost = "how many devices are published is not known"
	switch {
	case absent(err): // served from Kubernetes 1.34 on
		r.note("%s: %v", cost, err)
		return nil
	case err != nil:
		return r.optional(ctx, err, cost)
	}
	s.Slices, s.SlicesRead = list, true
	return nil
}

func reduceSlice(o *resourcev1.ResourceSlice) Slice {
	s := Slice{Name: o.Name, Pool: o.Spec.Pool.Name, Generation: o.Spec.Pool.Generation, Count: o.Spec.Pool.ResourceSliceCount}
	if o.Spec.NodeName != nil {
		s.Node = *o.Spec.NodeName
	}
	for _, device := range o.Spec.Devices {
		text := func(attribute resourcev1.QualifiedName) string {
			if value := device.Attributes[attribute].StringValue; value != nil {
				return *value
			}
			return ""
		}
		d := Device{Name: device.Name, Type: text("type"), UUID: text("uuid"), Parent: text("parentUUID"), Product: cmp.Or(text("productName"), text("model"))} // model is Intel's
		for _, t := range device.Taints {
			if t.Effect == resourcev1.DeviceTaintEffectNone { // it only informs
				continue
			}
			taint := DeviceTaint{Text: fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect), Evicts: t.Effect == resourcev1.DeviceTaintEffectNoExecute}
			if t.TimeAdded != nil {
				taint.Added = t.TimeAdded.Time
			}
			d.Taints = append(d.Taints, taint)
		}
		s.Devices = append(s.Devices, d)
	}
	return s
}
