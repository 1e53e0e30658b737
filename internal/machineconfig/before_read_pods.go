package machineconfig

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/kube"
)

type hostPathObject struct {
	Type string `json:"type"`
}

// holdsData is false of sockets and devices.
func (o hostPathObject) holdsData() bool {
	return o.Type != "Socket" && o.Type != "CharDevice" && o.Type != "BlockDevice"
}

type containerObject struct {
	RestartPolicy string `json:"restartPolicy"` // of an init container: Always makes it a sidecar
	Resources     struct {
		Limits map[string]any `json:"limits"` // of extended resources, requests are the same
	} `json:"resources"`
}

// workloads reads the pods of one node that a drain evicts.
func (r reader) workloads(ctx context.Context, p *Prospect, node string) error {
	workloads, err := kube.List(ctx, r.client, podsResource, podsOf(node), reduceWorkload)
	if err != nil {
		return r.optional(ctx, err, "which workloads "+node+" has is not known")
	}
	p.Workloads[node] = workloads
	return nil
}

func reduceWorkload(o *podObject) (Workload, bool) {
	pod, evicted := reducePod(o)
	if !evicted {
		return Workload{}, false
	}
	w := Workload{Pod: pod, Owner: ownerOf(&o.Metadata)}
	w.GPUs, w.Shares, w.Devices = o.limits(isGPU), o.limits(isGPUShare), len(o.Spec.ResourceClaims) > 0
	for _, v := range o.Spec.Volumes {
		w.Scratch, w.Passing = w.Scratch || v.EmptyDir != nil, w.Passing || v.Ephemeral != nil
		w.Path = w.Path || v.HostPath != nil && v.HostPath.holdsData()
		if v.Claim != nil {
			w.claims = append(w.claims, v.Claim.Name)
		}
	}
	return w, true
}

// ownerOf names the controller of the pod, for a ReplicaSet the Deployment that made it. The guard pods of OpenShift's control plane
// are made anew by their operator (library-go, pkg/operator/staticpod/controller/guard), which need not own them.
func ownerOf(m *metav1.ObjectMeta) string {
	owner := metav1.GetControllerOf(m)
	if owner == nil && m.Labels["app"] == "guard" && strings.HasPrefix(m.Namespace, "openshift-") {
		return "its operator"
	}
	if owner == nil {
		return ""
	}
	if hash := m.Labels["pod-template-hash"]; owner.Kind == "ReplicaSet" && hash != "" {
		if name, ok := strings.CutSuffix(owner.Name, "-"+hash); ok {
			return "Deployment " + name
		}
	}
	return owner.Kind + " " + owner.Name
}

// limits are those of the containers and sidecars together, or of the init container that has most: they run one after the other.
func (o *podObject) limits(of func(resource string) bool) int {
	together, most := 0, 0
	for _, c := range o.Spec.Containers {
		together += c.limits(of)
	}
	for _, c := range o.Spec.InitContainers {
		if c.RestartPolicy == "Always" {
			together += c.limits(of)
		} else {
			most = max(most, c.limits(of))
		}
	}
	return max(together, most)
}

func (c containerObject) limits(of func(resource string) bool) (n int) {
	for name, quantity := range c.Resources.Limits {
		if of(name) {
			n += count(quantity)
		}
	}
	return n
}

// gpuNames are the resources of device plugins that are counted in GPUs or parts of them with a memory of their own (MIG, AMD's
// partitions), not in memory or time. In capitals: what NVIDIA's plugin for virtual machines names by the device.
var gpuNames = []string{"nvidia.com/gpu", "nvidia.com/mig-*", "nvidia.com/[A-Z]*", "amd.com/*", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi"}

func isGPU(resource string) bool {
	return !strings.HasSuffix(resource, ".shared") && slices.ContainsFunc(gpuNames, func(name string) bool {
		ok, _ := path.Match(name, resource)
		return ok
	})
}

// isGPUShare knows the names that NVIDIA's plugin gives to what several pods share. It may also leave them their own name, and then
// they cannot be told from whole ones.
func isGPUShare(resource string) bool {
	whole, shared := strings.CutSuffix(resource, ".shared")
	return shared && isGPU(whole)
}

// maxDevices is beyond what any node has.
const maxDevices = 10_000

func count(quantity any) int {
	text, _ := quantity.(string)
	n, _ := strconv.Atoi(text)
	return max(0, min(n, maxDevices))
}

// budgets are read once, if any pod is to be evicted.
func (r reader) budgets(ctx context.Context, p *Prospect) (err error) {
	if p.pods() == 0 || p.Budgets != nil {
		return nil
	}
	p.Budgets, err = kube.List(ctx, r.client, budgetsResource, kube.Query{}, func(o *budgetObject) (Budget, bool) { return reduceBudget(o), true })
	p.NoBudgets = err != nil
	return r.optional(ctx, err, "which PodDisruptionBudget will hold a drain is not known")
}

func (p Prospect) pods() (n int) {
	for _, workloads := range p.Workloads {
		n += len(workloads)
	}
	return n
}
