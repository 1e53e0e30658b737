package gpu

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"overdue/internal/plugin"
)

// Params is all in which the check of one vendor's GPUs differs from another's. Each has an option of its own.
type Params struct {
	Resources     []string // globs of the extended resources that are GPUs
	Selectors     []string // label selectors; a node that any of them matches has GPUs
	CountLabel    string   // how many GPUs the node has, a lower bound
	ReplicasLabel string   // for how many pods each GPU is offered
	RequireLabels []string // those that billing and quotas need
	LabelsPreset  bool     // those are the vendor's: required only where a feature discovery sets them
	UpgradeLabel  string   // how far the driver's upgrade is
	Driver        string   // of dynamic resource allocation (DRA)
}

// vendors are the presets. They only fill in what no option gives.
var vendors = map[string]Params{
	"nvidia": {
		// The device plugin's names, and the KubeVirt plugin's, which are PCI device names: GA100_A100_SXM4_40GB.
		// Others of the domain are no GPUs: hostdev, rdma_shared_device_a.
		Resources: []string{"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-*", "nvidia.com/[A-Z]*"},
		// The operator's own label, the three of NFD that it accepts, and the clouds' own.
		Selectors: []string{
			"nvidia.com/gpu.present",
			"feature.node.kubernetes.io/pci-10de.present=true",
			"feature.node.kubernetes.io/pci-0302_10de.present=true",
			"feature.node.kubernetes.io/pci-0300_10de.present=true",
			"cloud.google.com/gke-accelerator",
			"k8s.amazonaws.com/accelerator",
			"kubernetes.azure.com/accelerator=nvidia",
		},
		CountLabel: "nvidia.com/gpu.count", ReplicasLabel: "nvidia.com/gpu.replicas",
		RequireLabels: []string{"nvidia.com/gpu.product"},
		UpgradeLabel:  "nvidia.com/gpu-driver-upgrade-state", Driver: "gpu.nvidia.com",
	},
	"amd": {
		Resources: []string{"amd.com/*"},
		Selectors: []string{"feature.node.kubernetes.io/amd-gpu=true", "feature.node.kubernetes.io/amd-vgpu=true",
			"feature.node.kubernetes.io/pci-1002.present=true"},
		RequireLabels: []string{"amd.com/gpu.product-name"},
		UpgradeLabel:  "operator.amd.com/gpu-driver-upgrade-state", Driver: "gpu.amd.com",
	},
	"intel": {
		Resources:     []string{"gpu.intel.com/i915", "gpu.intel.com/xe"},
		Selectors:     []string{"intel.feature.node.kubernetes.io/gpu=true"},
		CountLabel:    "gpu.intel.com/device.count",
		RequireLabels: []string{"gpu.intel.com/product"}, Driver: "gpu.intel.com",
	},
	"gaudi": {
		Resources: []string{"habana.ai/gaudi"},
		Selectors: []string{"feature.node.kubernetes.io/pci-1da3.present=true"},
	},
}

// filled is p with the vendor's values wherever no option gave one.
func (p Params) filled(vendor Params) Params {
	p.LabelsPreset = p.LabelsPreset || len(p.RequireLabels) == 0
	for _, list := range []struct{ given, preset *[]string }{
		{&p.Resources, &vendor.Resources}, {&p.Selectors, &vendor.Selectors}, {&p.RequireLabels, &vendor.RequireLabels}} {
		if len(*list.given) == 0 {
			*list.given = *list.preset
		}
	}
	for _, text := range []struct{ given, preset *string }{
		{&p.CountLabel, &vendor.CountLabel}, {&p.ReplicasLabel, &vendor.ReplicasLabel},
		{&p.UpgradeLabel, &vendor.UpgradeLabel}, {&p.Driver, &vendor.Driver}} {
		if *text.given == "" {
			*text.given = *text.preset
		}
	}
	if slices.Equal(p.RequireLabels, []string{none}) {
		p.RequireLabels = nil
	}
	return p
}

// refused says which of the options given could match nothing, or everything; empty: none.
func (p Params) refused() string {
	for _, pattern := range p.Resources {
		if _, err := path.Match(pattern, ""); err != nil || !strings.Contains(pattern, "/") {
			return fmt.Sprintf("--resource %s: write it as nvidia.com/gpu or nvidia.com/mig-*", plugin.Clean(pattern))
		}
	}
	if len(p.RequireLabels) > 1 && slices.Contains(p.RequireLabels, none) {
		return "--require-label none stands alone: it requires none"
	}
	keys := [][2]string{{"--count-label", p.CountLabel}, {"--replicas-label", p.ReplicasLabel}, {"--upgrade-label", p.UpgradeLabel}}
	for _, key := range p.RequireLabels {
		keys = append(keys, [2]string{"--require-label", key})
	}
	for _, o := range keys {
		if required := o[0] == "--require-label"; (o[1] != "" || required) && len(validation.IsQualifiedName(o[1])) > 0 {
			return fmt.Sprintf("%s %q is no label's key; write it as nvidia.com/gpu.product", o[0], plugin.Clean(o[1]))
		}
	}
	if p.Driver != "" && len(validation.IsDNS1123Subdomain(p.Driver)) > 0 {
		return fmt.Sprintf("--dra-driver %q is no driver's name; write it as gpu.nvidia.com", plugin.Clean(p.Driver))
	}
	return ""
}

// none as the only --require-label requires none.
const none = "none"

// isGPU says whether an extended resource is one of GPUs.
func (p Params) isGPU(name string) bool {
	return slices.ContainsFunc(p.Resources, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok })
}

// owns says whether a label's or taint's key, or an API group, is the vendor's: "nvidia.com/gpu.present", "nvidia.com".
func (p Params) owns(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return slices.Contains(p.domains(), domain)
}

// domains are those of the vendor's resources: "nvidia.com".
func (p Params) domains() []string {
	var out []string
	for _, pattern := range p.Resources {
		domain, _, _ := strings.Cut(pattern, "/")
		out = append(out, domain)
	}
	return out
}

// mainResource is how the vendor's GPUs are called where a node has none of them.
func (p Params) mainResource() string { return p.Resources[0] }
