package machineconfig

import (
	"context"
	"slices"

	"overdue/internal/kube"
)

var persistentVolumes = kube.Resource{Version: "v1", Name: "persistentvolumes"}

type volumeObject struct {
	Spec struct {
		Local    *struct{} `json:"local"`
		HostPath *struct{} `json:"hostPath"`
		Claim    struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"claimRef"`
		Affinity struct {
			Required struct {
				Terms []affinityTerm `json:"nodeSelectorTerms"`
			} `json:"required"`
		} `json:"nodeAffinity"`
	} `json:"spec"`
}

// affinityTerm is one of several places where a volume can be reached.
type affinityTerm struct {
	Labels []affinityRule `json:"matchExpressions"`
	Fields []affinityRule `json:"matchFields"`
}

type affinityRule struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// volume is a PersistentVolume with a claim.
type volume struct {
	claim string // namespace/name
	local bool   // a disk or folder of a node
	terms []affinityTerm
}

func reduceVolume(o *volumeObject) (volume, bool) {
	v := volume{o.Spec.Claim.Namespace + "/" + o.Spec.Claim.Name, o.Spec.Local != nil || o.Spec.HostPath != nil, o.Spec.Affinity.Required.Terms}
	return v, v.local || len(v.terms) > 0
}

// only says that a volume which a pod on the node uses can be reached from nowhere else: CSI drivers of local storage (TopoLVM, LVMS)
// tie it to the node's name by a label of their own.
func (v volume) only(node string) bool {
	elsewhere := func(t affinityTerm) bool {
		return !slices.ContainsFunc(slices.Concat(t.Labels, t.Fields), func(r affinityRule) bool {
			return r.Operator == "In" && len(r.Values) == 1 && (r.Values[0] == node || r.Key == "kubernetes.io/hostname")
		})
	}
	return v.local || !slices.ContainsFunc(v.terms, elsewhere)
}

// localVolumes finds the pods whose claims are bound to a disk of their node.
func (r reader) localVolumes(ctx context.Context, p *Prospect) error {
	claims := false
	for _, workloads := range p.Workloads {
		claims = claims || slices.ContainsFunc(workloads, func(w Workload) bool { return len(w.claims) > 0 })
	}
	if !claims {
		return nil
	}
	volumes, err := kube.List(ctx, r.client, persistentVolumes, kube.Query{}, reduceVolume)
	if err != nil {
		return r.optional(ctx, err, "which pods have a local volume is not known")
	}
	byClaim := map[string]volume{}
	for _, v := range volumes {
		byClaim[v.claim] = v
	}
	for node, workloads := range p.Workloads {
		for i, w := range workloads {
			workloads[i].Local = slices.ContainsFunc(w.claims, func(c string) bool {
				v, ok := byClaim[w.Namespace+"/"+c]
				return ok && v.only(node)
			})
		}
	}
	return nil
}
