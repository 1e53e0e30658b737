package gpu

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Params is all in which the check of one vendor's GPUs differs from another's. Each has an option of its own.
type Params struct {
	Resources     []string // globs of the extended resources that are GPUs, after the domain
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
		RequireLabels: []string{labelProduct},
		UpgradeLabel:  "nvidia.com/gpu-driver-upgrade-state", Driver: "gpu.nvidia.com",
	},
	"amd": {
		// The device plugin's names: all of them gpu, or, with the naming strategy mixed, one for each way to divide it (SPX, DPX, TPX, QPX,
		// CPX by NPS) and for virtual machines. Others of the domain are no GPUs: xilinx_u250_…, ama_u30, nic.
		Resources: []string{"amd.com/gpu", "amd.com/gpu_vf", "amd.com/gpu_pf", "amd.com/[sdtqc]px_nps[0-9]"},
		Selectors: []string{"feature.node.kubernetes.io/amd-gpu=true", "feature.node.kubernetes.io/amd-vgpu=true",
			"feature.node.kubernetes.io/pci-1002.present=true"},
		RequireLabels: []string{productAMD},
		UpgradeLabel:  "operator.amd.com/gpu-driver-upgrade-state", Driver: "gpu.amd.com",
	},
	"intel": {
		Resources:     []string{"gpu.intel.com/i915", "gpu.intel.com/xe"},
		Selectors:     []string{"intel.feature.node.kubernetes.io/gpu=true"},
		CountLabel:    "gpu.intel.com/device.count",
		RequireLabels: []string{productIntel}, Driver: "gpu.intel.com",
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

// refused says which of the options given could match nothing, or everything; empty: none. given tells an option that is empty from one
// that is not there.
func (p Params) refused(given func(option string) bool) string {
	for _, pattern := range p.Resources {
		if why := refusedResource(pattern); why != "" {
			return fmt.Sprintf("--resource %s %s; write it as nvidia.com/gpu or nvidia.com/mig-*", quoted(pattern), why)
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
		if (o[1] != "" || given(o[0][2:])) && len(validation.IsQualifiedName(o[1])) > 0 {
			return fmt.Sprintf("%s %s is no label's key; write it as nvidia.com/gpu.product", o[0], quoted(o[1]))
		}
	}
	if (p.Driver != "" || given("dra-driver")) && len(validation.IsDNS1123Subdomain(p.Driver)) > 0 {
		return fmt.Sprintf("--dra-driver %s is no driver's name; write it as gpu.nvidia.com", quoted(p.Driver))
	}
	return ""
}

// none as the only --require-label requires none.
const none = "none"

// quoted is a value of the command line as it was given, spaces and all, but not without end.
func quoted(value string) string { return strconv.Quote(value[:min(len(value), 200)]) }

// wildcards are the characters that path.Match does not take as they are.
const wildcards = `*?[]^`

// refusedResource says why a glob can match no GPU's resource: such names are a DNS name and a part of up to 63 characters, and a wildcard
// for the domain would take in what others offer.
func refusedResource(pattern string) string {
	const none = "is no resource with a domain"
	domain, name, ok := strings.Cut(pattern, "/")
	switch _, err := path.Match(pattern, ""); {
	case !ok:
		return none
	case strings.ContainsAny(domain, wildcards):
		return "has a wildcard in its domain"
	case err != nil:
		return "is no glob"
	case !strings.ContainsAny(name, wildcards):
		if domain == "" || len(validation.IsQualifiedName(pattern)) > 0 {
			return none
		}
		return ""
	}
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(wildcards, r) {
			return -1
		}
		return r
	}, name)
	if len(validation.IsDNS1123Subdomain(domain)) > 0 || plain != "" && len(validation.IsQualifiedName("a"+plain+"a")) > 0 {
		return none
	}
	return ""
}

// isGPU says whether an extended resource is one of GPUs.
func (p Params) isGPU(name string) bool {
	return slices.ContainsFunc(p.Resources, func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok && (name == pattern || !besideGPU(name))
	})
}

// besideGPU: NVIDIA's KubeVirt plugin offers every device of the vendor that is set aside for virtual machines, by the name in the list of
// PCI devices: what sits beside the GPUs on their boards too.
func besideGPU(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"_NVSWITCH", "_AUDIO_", "_USB_"}, func(part string) bool { return strings.Contains(name, part) })
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
