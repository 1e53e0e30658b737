package gpu

import (
	"path"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// marks are parts of the names and images of device plugins whose plain manifests have no selector, by the domain of the resource that
// they offer (NVIDIA/k8s-device-plugin: nvidia-device-plugin.yml; ROCm/k8s-device-plugin: k8s-ds-amdgpu-dp.yaml).
var marks = map[string][]string{
	"nvidia.com":    {"nvidia", "hami-device-plugin"}, // HAMi's divides NVIDIA's GPUs
	"amd.com":       {"amdgpu", "amd-gpu", "rocm/k8s-device-plugin"},
	"gpu.intel.com": {"intel-gpu"},
	"habana.ai":     {"habana", "gaudi"},
}

// network are parts of those of network devices, of which NVIDIA is a vendor too, and which select GPU nodes.
var network = []string{"rdma", "sriov", "mellanox", "mofed", "aws-efa"}

// ofNetwork says whether a DaemonSet is a network device's. Where its image comes from says nothing of that.
func ofNetwork(o *appsv1.DaemonSet) bool { return named(o, network, path.Base) }

// named says whether a DaemonSet's name, or what counts of an image's, has one of the parts.
func named(o *appsv1.DaemonSet, parts []string, counts func(image string) string) bool {
	text := o.Name
	for _, c := range o.Spec.Template.Spec.Containers {
		text += " " + counts(c.Image)
	}
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// brands says whether a DaemonSet's name or image is that of the vendor's GPUs.
func (p Params) brands(o *appsv1.DaemonSet) bool {
	all := func(image string) string { return image }
	for _, domain := range p.domains() {
		if named(o, marks[domain], all) {
			return true
		}
	}
	for _, others := range marks { // nobody's: "gpu-device-plugin"
		if named(o, others, all) {
			return false
		}
	}
	return named(o, []string{"gpu"}, all) && slices.ContainsFunc(o.Spec.Template.Spec.Tolerations, func(t corev1.Toleration) bool { return p.owns(t.Key) })
}

// related says whether an API version's group is of the vendor's domain, or of one beside it: Intel's operator has deviceplugin.intel.com
// for gpu.intel.com.
func (p Params) related(apiVersion string) bool {
	gv, err := schema.ParseGroupVersion(apiVersion)
	return err == nil && slices.ContainsFunc(p.domains(), func(d string) bool { return registered(d) == registered(gv.Group) })
}

// registered is the part of a domain that is somebody's: "intel.com".
func registered(domain string) string {
	parts := strings.Split(domain, ".")
	return strings.Join(parts[max(len(parts)-2, 0):], ".")
}
