package gpu

import (
	"testing"

	"overdue/internal/plugin"
)

// A GPU that was lost before the plugin started: label, capacity and allocatable all count it no more.
func TestJudgePeers(t *testing.T) {
	eight := on("all", gpus(8, 8), label("nvidia.com/gpu.count", "8"))
	lost := on("gpu-02", gpus(7, 7), label("nvidia.com/gpu.count", "7"))
	table(t, []row{
		{name: "its peers offer 8", snapshot: fleet(3, eight, lost), want: plugin.Warning,
			says: []string{"node gpu-02 ¶ 7 of 8 nvidia.com/gpu allocatable", "registered fewer than there should be: a GPU may be lost", "expected: most nodes of node.kubernetes.io/instance-type=bm-a100-4 with NVIDIA-A100-SXM4-40GB offer 8"}, not: []string{"gpu-01 ¶"}},
		{name: "one peer alone tells nothing", snapshot: fleet(2, eight, lost), want: plugin.OK},
		{name: "nor do as many that have 7", snapshot: fleet(4, eight, lost, on("gpu-03", gpus(7, 7), label("nvidia.com/gpu.count", "7"))), want: plugin.OK},
		{name: "more than the peers is no fault", snapshot: fleet(3, on("gpu-02", gpus(8, 8), label("nvidia.com/gpu.count", "8"))), want: plugin.OK},
		{name: "another product", snapshot: fleet(3, eight, lost, on("gpu-02", label(labelProduct, "NVIDIA-A30"))), want: plugin.OK},
		{name: "another MIG profile", snapshot: fleet(3, eight, on("all", label(labelMIGMode, "single"), label(labelMIGConfig, "all-1g.5gb")), lost, on("gpu-02", label(labelMIGConfig, "all-7g.40gb"))), want: plugin.OK},
		{name: "MIG of an unknown profile", snapshot: fleet(3, eight, on("all", label(labelMIGMode, "single")), lost), want: plugin.OK},
		{name: "other sharing", snapshot: fleet(3, eight, lost, on("gpu-02", label(labelSharing, "none"))), want: plugin.OK},
		{name: "instance types that tell nothing", snapshot: fleet(3, eight, lost, on("all", label(labelInstance, "k3s"))), want: plugin.OK},
		{name: "the user's number goes before the peers'", snapshot: fleet(3, eight, lost), limits: func(l *Limits) { l.Expect = 7 }, want: plugin.OK},
		{name: "NVSentinel's label", snapshot: fleet(1, on("all", label(labelExpected, "8"))), want: plugin.Warning, says: []string{"4 of 8 nvidia.com/gpu allocatable", "expected: label nvsentinel.dgxc.nvidia.com/gpu.count.expected=8"}},
		{name: "it counts whole GPUs, the resource their shares", snapshot: fleet(1, on("all", label(labelExpected, "4"), label("nvidia.com/gpu.replicas", "4"), gpus(16, 16))), want: plugin.OK, says: []string{"16 of 16"}},
		{name: "and no MIG devices", snapshot: fleet(1, on("all", label(labelExpected, "8"), label(labelMIGMode, "single"), gpus(4, 4))), want: plugin.OK},
		{name: "a number that is none", snapshot: fleet(1, on("all", label(labelExpected, "many"))), want: plugin.OK},
	})
}
