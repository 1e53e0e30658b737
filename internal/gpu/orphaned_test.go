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
	forPool := daemonSet("nvidia-driver", func(d *DaemonSet) {
		d.NodeSelector, d.Owner = map[string]string{deployPrefix + "driver": "true", "pool": "a"}, Owner{"NVIDIADriver", "a"}
	})
	table(t, []row{
		{name: "the driver's DaemonSet is for another version of the system", snapshot: fleet(2, otherSystem, on("all", label(labelOSTree, "418.94")), on("gpu-02", label(labelOSTree, "419.10"))), want: plugin.Warning,
			says: []string{"node gpu-02 ¶ 4 of 4 nvidia.com/gpu allocatable, but not for long", `neither nvidia-driver-daemonset selects the node nor another of its kind: label feature.node.kubernetes.io/system-os_release.OSTREE_VERSION="419.10"`, "the next restart"}, not: []string{"gpu-01"}},
		{name: "the device plugin is switched off by its label", snapshot: fleet(2, on("gpu-02", label(deployPlugin, "false"))), want: plugin.Warning,
			says: []string{"node gpu-02 ¶ 4 of 4 nvidia.com/gpu allocatable, but not for long", `nvidia-device-plugin-daemonset is not on the node: label nvidia.com/gpu.deploy.device-plugin="false"`, "unless it was switched off on purpose"}},
		{name: "where another's is for the node, it was switched off for that", snapshot: fleet(2, on("gpu-02", label(deployPlugin, "false"), label("gpu", "on"), gpus(40, 40)), func(s *Snapshot) {
			s.DaemonSets = append(s.DaemonSets, DaemonSet{Namespace: "hami", Name: "hami-device-plugin", Role: rolePlugin, NodeSelector: map[string]string{"gpu": "on"}})
		}), want: plugin.OK},
		{name: "the device plugin is disabled in the operator: another's offers the GPUs, or the kubelet would offer none", snapshot: fleet(2, withoutDaemonSet("nvidia-device-plugin"), on("all", gpus(40, 40))), want: plugin.OK,
			says: []string{"80 of 80 nvidia.com/gpu allocatable; taints not judged: no device plugin DaemonSet was found"}},
		{name: "and without GPUs it is the cause", snapshot: fleet(2, withoutDaemonSet("nvidia-device-plugin"), on("all", gpus(4, 0))), want: plugin.Critical, says: []string{"2 nodes: gpu-01 and gpu-02", "no device plugin DaemonSet exists"}},
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
		{name: "a NVIDIADriver for another pool: the operator has never managed a driver here", snapshot: fleet(2, forPool, on("gpu-01", label("pool", "a")), on("gpu-02", unlabel("nvidia.com/gpu-driver-upgrade")), gone("gpu-02", "nvidia-driver-daemonset")), want: plugin.OK, not: []string{"gpu-02"}},
		{name: "nor is it the cause of anything", snapshot: fleet(2, forPool, on("gpu-01", label("pool", "a")), on("gpu-02", unlabel("nvidia.com/gpu-driver-upgrade"), gpus(0, 0)), gone("gpu-02", "nvidia-driver-daemonset"), ill("gpu-02", "nvidia-container-toolkit-daemonset", "Init:0/1, waits in driver-validation", day)), want: plugin.Critical,
			says: []string{"¶ nvidia-container-toolkit-daemonset: Init:0/1, waits in driver-validation; no driver DaemonSet selects the node: is the driver on the host"}, not: []string{"pool"}},
		{name: "it has, and the pool's label was lost", snapshot: fleet(2, forPool, on("gpu-01", label("pool", "a"))), want: plugin.Warning, says: []string{"node gpu-02", "neither nvidia-driver-daemonset selects the node nor another of its kind: label pool is not set"}},
		{name: "for another version of the system, where the operator upgrades no driver", snapshot: fleet(2, otherSystem, on("all", unlabel("nvidia.com/gpu-driver-upgrade"), label(labelOSTree, "418.94")), on("gpu-02", label(labelOSTree, "419.10"))), want: plugin.Warning, says: []string{"node gpu-02", `label feature.node.kubernetes.io/system-os_release.OSTREE_VERSION="419.10"`}},
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
