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
