package gpu

import (
	"slices"
	"strings"
	"testing"
)

// Vendors sell more than GPUs, and their plugins offer more than one resource.
func TestPresetsCountGPUsOnly(t *testing.T) {
	for vendor, names := range map[string]struct{ gpus, others string }{
		// ROCm/k8s-device-plugin, naming strategies single and mixed; Xilinx/FPGA_as_a_Service, k8s-device-plugin.
		"amd": {"amd.com/gpu amd.com/gpu_vf amd.com/gpu_pf amd.com/spx_nps1 amd.com/dpx_nps2 amd.com/qpx_nps1 amd.com/cpx_nps4",
			"amd.com/xilinx_u250_gen3x16_xdma_shell_4_1-0 amd.com/xilinx_u55c_gen3x16_xdma_base_3-0 amd.com/ama_u30 amd.com/nic amd.com/vnic xilinx.com/fpga-xilinx_u200_xdma_201830_2-1561465320"},
		// intel/intel-device-plugins-for-kubernetes, cmd/*_plugin.
		"intel": {"gpu.intel.com/i915 gpu.intel.com/xe",
			"gpu.intel.com/monitoring gpu.intel.com/i915_monitoring gpu.intel.com/xe_monitoring gpu.intel.com/millicores gpu.intel.com/memory.max gpu.intel.com/tiles fpga.intel.com/af-d8424dc4 qat.intel.com/cy dsa.intel.com/wq-user-shared"},
		"gaudi": {"habana.ai/gaudi", "habana.ai/net"},
		// NVIDIA/kubevirt-gpu-device-plugin offers all of the vendor's PCI devices that are given to VMs, NVSwitches among them.
		"nvidia": {"nvidia.com/gpu nvidia.com/gpu.shared nvidia.com/mig-1g.10gb.me nvidia.com/GH100_H100_SXM5_80GB nvidia.com/A100_SXM4_40GB nvidia.com/NVIDIA_A10-12Q",
			"nvidia.com/hostdev nvidia.com/rdma_shared_device_a nvidia.com/GH100_H100_NVSWITCH nvidia.com/GH100_H100_NVSwitch nvidia.com/GA102_HIGH_DEFINITION_AUDIO_CONTROLLER nvidia.com/TU102_USB_3.1_HOST_CONTROLLER nvidia.com/TU102_USB_TYPE-C_UCSI_CONTROLLER"},
	} {
		p := Params{}.filled(vendors[vendor])
		for _, name := range slices.Concat(strings.Fields(names.gpus), strings.Fields(names.others)) {
			if want := slices.Contains(strings.Fields(names.gpus), name); p.isGPU(name) != want {
				t.Errorf("--vendor %s: isGPU(%s) is %t", vendor, name, !want)
			}
		}
	}
	if p := (Params{Resources: []string{"nvidia.com/GH100_H100_NVSWITCH"}}); !p.isGPU(p.Resources[0]) {
		t.Error("what is named in full counts")
	}
}

// The FPGAs beside an AMD node's GPUs are neither offered GPUs nor lost ones.
func TestCheckPassesOverFPGAs(t *testing.T) {
	const node = `
apiVersion: v1
kind: Node
metadata: {name: g, labels: {feature.node.kubernetes.io/amd-gpu: "true"}}
status: {capacity: {amd.com/cpx_nps4: 64, amd.com/xilinx_u250_gen3x16_xdma_shell_4_1-0: 2, amd.com/ama_u30: 0}, allocatable: {amd.com/cpx_nps4: 64, amd.com/xilinx_u250_gen3x16_xdma_shell_4_1-0: 1, amd.com/ama_u30: 0}, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-01T00:00:00Z"}]}
`
	out, code := run(t, serve(t, node), "--vendor", "amd")
	if code != 0 || !strings.Contains(firstLine(out), "64 of 64 amd.com/cpx_nps4 allocatable") || strings.Contains(out, "xilinx") {
		t.Errorf("exit %d: %s", code, out)
	}
}
