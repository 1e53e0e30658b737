package gpu

import (
	"testing"

	"overdue/internal/plugin"
)

// GPUs that are still offered, though no DaemonSet would bring them back.
func TestJudgeOrphaned(t *testing.T) {
	otherSystem := daemonSet("nvidia-driver", func(d *DaemonSet) {
		d.NodeSelector = map[string]string{deployPrefix + "driver": "true", labelOSTree: "418.94"}
	})
	table(t, []row{
		{name: "the driver's DaemonSet is for another version of the system", snapshot: fleet(2, otherSystem, on("all", label(labelOSTree, "418.94")), on("gpu-02", label(labelOSTree, "419.10"))), want: plugin.Warning,
			says: []string{"node gpu-02 ¶ 4 of 4 nvidia.com/gpu allocatable, but not for long", `neither nvidia-driver-daemonset selects the node nor another of its kind: label feature.node.kubernetes.io/system-os_release.OSTREE_VERSION="419.10"`, "the next restart"}, not: []string{"gpu-01"}},
		{name: "the device plugin is switched off by its label", snapshot: fleet(2, on("gpu-02", label(deployPlugin, "false"))), want: plugin.Warning,
			says: []string{"node gpu-02 ¶ 4 of 4 nvidia.com/gpu allocatable, but not for long", `nvidia-device-plugin-daemonset is not on the node: label nvidia.com/gpu.deploy.device-plugin="false"`, "unless it was switched off on purpose"}},
		{name: "the device plugin was disabled in the operator", snapshot: fleet(2, withoutDaemonSet("nvidia-device-plugin")), want: plugin.Warning,
			says: []string{"2 nodes: gpu-01 and gpu-02", "no device plugin DaemonSet exists any more"}},
		{name: "the same, where not all DaemonSets were read", snapshot: fleet(2, withoutDaemonSet("nvidia-device-plugin"), func(s *Snapshot) { s.Unread = []string{"other"} }), want: plugin.OK},
		{name: "paused for a driver upgrade: it comes back by itself", snapshot: fleet(2, on("gpu-02", label("nvidia.com/gpu-driver-upgrade-state", "pod-restart-required"), written("nvidia.com/gpu-driver-upgrade-state", 60e9), paused("paused-for-driver-upgrade", 60e9))), want: plugin.OK},
		{name: "the driver's deploy label is empty and its pod gone (NVIDIA/gpu-operator#491)", snapshot: fleet(2, on("gpu-02", label(deployDriver, "")), gone("gpu-02", "nvidia-driver-daemonset")), want: plugin.Warning,
			says: []string{"node gpu-02 ¶ 4 of 4 nvidia.com/gpu allocatable, but not for long", `nvidia-driver-daemonset is not on the node: label nvidia.com/gpu.deploy.driver=""`, "kubectl label nodes gpu-02 --overwrite nvidia.com/gpu.deploy.driver=true"}},
		{name: "it is removed (NVIDIA/gpu-operator#470)", snapshot: fleet(2, on("gpu-02", unlabel(deployDriver)), gone("gpu-02", "nvidia-driver-daemonset")), want: plugin.Warning, says: []string{"label nvidia.com/gpu.deploy.driver is not set"}},
		{name: "the toolkit's is", snapshot: fleet(2, on("gpu-02", unlabel(deployToolkit)), gone("gpu-02", "nvidia-container-toolkit-daemonset")), want: plugin.Warning, says: []string{"label nvidia.com/gpu.deploy.container-toolkit is not set"}},
		{name: "the validator's is, beside one for virtual machines that is not for this node", snapshot: fleet(2, func(s *Snapshot) {
			s.DaemonSets = append([]DaemonSet{{Namespace: namespace, Name: "nvidia-sandbox-validator", Role: roleValidator, NodeSelector: map[string]string{deployPrefix + "sandbox-validator": "true"}}}, s.DaemonSets...)
		}, on("gpu-02", unlabel(deployPrefix+"operator-validator")), gone("gpu-02", "nvidia-operator-validator")), want: plugin.Warning, says: []string{"nvidia-operator-validator is not on the node: label nvidia.com/gpu.deploy.operator-validator is not set"}},
		{name: "and without GPUs the label is the cause", snapshot: fleet(2, on("gpu-02", label(deployDriver, ""), gpus(0, 0)), gone("gpu-02", "nvidia-driver-daemonset"), ill("gpu-02", "nvidia-container-toolkit-daemonset", "Init:0/1, waits in driver-validation", day)), want: plugin.Critical,
			says: []string{`¶ nvidia-driver-daemonset is not on the node: label nvidia.com/gpu.deploy.driver=""`, "1 link after it too: nvidia-container-toolkit-daemonset", "--overwrite nvidia.com/gpu.deploy.driver=true"}},
		{name: "the driver is on the host", snapshot: fleet(2, on("all", label(deployDriver, preInstalled)), gone("gpu-01", "nvidia-driver-daemonset"), gone("gpu-02", "nvidia-driver-daemonset")), want: plugin.OK},
		{name: "the driver is switched off, as NVIDIA's manual has it for a driver on the host", snapshot: fleet(2, on("all", label(deployDriver, "false")), gone("gpu-01", "nvidia-driver-daemonset"), gone("gpu-02", "nvidia-driver-daemonset")), want: plugin.OK},
		{name: "but without GPUs that is told beside the cause", snapshot: fleet(1, on("all", label(deployDriver, "false"), gpus(0, 0)), gone("gpu-01", "nvidia-driver-daemonset"), ill("gpu-01", "nvidia-container-toolkit-daemonset", "Init:0/1, waits in driver-validation", day)), want: plugin.Critical,
			says: []string{"waits in driver-validation; the driver is switched off (nvidia.com/gpu.deploy.driver=false): is it on the host?"}},
		{name: "the driver's DaemonSet is gone (NVIDIA/gpu-operator#1368)", snapshot: fleet(2, withoutDaemonSet("nvidia-driver")), want: plugin.Warning,
			says: []string{"2 nodes: gpu-01 and gpu-02 ¶ 4 of 4", "no driver DaemonSet selects the node", "NVIDIADriver"}},
		{name: "there was none, as the operator's driver is disabled: it is on the host", snapshot: fleet(2, withoutDaemonSet("nvidia-driver"), on("all", unlabel("nvidia.com/gpu-driver-upgrade-state"))), want: plugin.OK},
		{name: "a node for virtual machines has no container stack", snapshot: fleet(2, on("gpu-02", unlabel(deployPrefix), label(labelWorkload, "vm-passthrough"), label(deployPrefix+"sandbox-device-plugin", "true"))), want: plugin.OK},
		{name: "operands are switched off, another plugin offers the GPUs", snapshot: fleet(2, on("gpu-02", label(deployOperands, "false"), label(deployDriver, ""))), want: plugin.OK},
		{name: "a cloud's plugin without deploy labels", snapshot: fleet(2, on("all", unlabel(deployPrefix)), withoutDaemonSet("")), want: plugin.OK},
	})
}

// Many nodes with the same fault take work that grows with their number, not with its square.
func TestJudgeGrowsWithTheNodes(t *testing.T) {
	fault := on("all", label(deployPlugin, "false"), gpus(0, 0))
	work := func(nodes int) float64 {
		s := fleet(nodes, fault)
		return testing.AllocsPerRun(1, func() { Judge(s, Params{}.filled(vendors["nvidia"]), limits(), noon) })
	}
	if small, large := work(100), work(400); large > 6*small {
		t.Errorf("100 nodes take %v allocations, 400 take %v", small, large)
	}
}
