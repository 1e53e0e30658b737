package gpu

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// Situations from public reports, each named.
func TestJudgeReports(t *testing.T) {
	fresh := func(n *Node) { // as a machine set creates it: no GPU label, a taint
		unlabel("nvidia.com/", "feature.node.kubernetes.io/")(n)
		n.Recognised, n.Expected, n.Resources = false, true, nil
	}
	table(t, []row{
		{name: "NVIDIA/gpu-operator#397: a machine set with a taint, no operand pods", snapshot: fleet(2, on("gpu-02", taint("dedicated=ml:NoSchedule", 2*day), noResource, discoveryGone), gone("gpu-02")), want: plugin.Critical,
			says: []string{"no nvidia.com/gpu resource at all, 4 expected", "taint dedicated=ml:NoSchedule", "is not tolerated by 7 GPU DaemonSets", "no device plugin has registered"}},
		{name: "nebari-dev/nebari#3074: the installer outside the operator does not tolerate the scale-to-zero taint", snapshot: fleet(1, func(s *Snapshot) {
			s.DaemonSets = []DaemonSet{{Namespace: "kube-system", Name: "nvidia-driver-installer", Role: roleDriver}}
			s.PodsRead["kube-system"] = true
		}, on("all", taint("user=true:NoSchedule", 2*day), noResource)), want: plugin.Critical, says: []string{"is not tolerated by DaemonSet nvidia-driver-installer", "or tolerate it in DaemonSet kube-system/nvidia-driver-installer"}},
		{name: "NVIDIA/k8s-device-plugin#1934: NFD tolerates nvidia.com/gpu=present, the node has =true", snapshot: fleet(2, daemonSet("nfd-worker", func(d *DaemonSet) { d.Tolerations = []corev1.Toleration{equal("nvidia.com/gpu", "present")} }),
			on("gpu-02", fresh, taint("nvidia.com/gpu=true:NoSchedule", 2*day)), gone("gpu-02", "nfd-worker")), want: plugin.Critical,
			says: []string{"expected to have GPUs, but has no nvidia.com/gpu and no GPU label", "taint nvidia.com/gpu=true:NoSchedule", "keeps the NFD worker (nfd-worker) off", `is for value "present", the taint's is "true"`, "other nodes of node.kubernetes.io/instance-type=bm-a100-4 offer 4"}, not: []string{"perhaps"}},
		{name: "NVIDIA/gpu-feature-discovery#70: no NFD worker tolerates the node's taint", snapshot: fleet(2, daemonSet("nfd-worker", func(d *DaemonSet) { d.Tolerations = nil }),
			on("gpu-02", fresh, taint("sku=gpu:NoSchedule", 2*day)), gone("gpu-02", "nfd-worker")), want: plugin.Critical, says: []string{"keeps the NFD worker (nfd-worker) off, so nothing finds its GPUs"}},
		{name: "NVIDIA/gpu-operator#2717: one DaemonSet lacks the toleration", snapshot: fleet(1, daemonSet("nvidia-mig-manager", func(d *DaemonSet) { d.Tolerations = nil }), on("all", taint("nvidia.com/gpu=present:NoSchedule", 2*day))), want: plugin.Warning,
			says: []string{"pods of nvidia-mig-manager kept away", "is not tolerated by DaemonSet nvidia-mig-manager"}, not: []string{"GPU DaemonSets", "device-plugin"}},
		{name: "NVIDIA/gpu-operator#1368: the NVIDIADriver lacks the toleration, its DaemonSet is deleted again and again", snapshot: fleet(1, withoutDaemonSet("nvidia-driver"), on("all", gpus(0, 0)),
			ill("gpu-01", "nvidia-container-toolkit-daemonset", "Init:0/1, waits in driver-validation", 2*day)), want: plugin.Critical, says: []string{"nvidia-container-toolkit-daemonset: Init:0/1, waits in driver-validation; no driver DaemonSet selects the node: is the driver on the host, or does a NVIDIADriver lack a toleration, or the node its label?"}},
		{name: "NVIDIA/gpu-operator#491: deploy labels are empty strings", snapshot: fleet(2, on("gpu-02", noResource, discoveryGone, label(deployPlugin, ""), label(deployPrefix+"gpu-feature-discovery", "")), gone("gpu-02")), want: plugin.Critical,
			says: []string{`nvidia-device-plugin-daemonset is not on the node: label nvidia.com/gpu.deploy.device-plugin="" (wants "true")`, "kubectl label nodes gpu-02 --overwrite nvidia.com/gpu.deploy.device-plugin=true"}, not: []string{"taint"}},
		{name: "NVIDIA/gpu-operator#470: one of two nodes has lost its deploy labels", snapshot: fleet(2, on("gpu-02", gpus(0, 0), discoveryGone, unlabel(deployPrefix)), gone("gpu-02")), want: plugin.Critical,
			says: []string{"label nvidia.com/gpu.deploy.device-plugin is not set", `peer gpu-01 has nvidia.com/gpu.deploy.device-plugin="true"`}},
		{name: "NVIDIA/gpu-operator#316: labels left paused, no upgrade goes on", snapshot: fleet(1, on("all", gpus(0, 0), discoveryGone, paused("paused-for-driver-upgrade", 5*day)), gone("gpu-01")), want: plugin.Critical,
			says: []string{"5 deploy labels are paused-for-driver-upgrade, and nothing goes on that would set them back", "at least since 2026-11-27", "nvidia.com/gpu.deploy.device-plugin=true"}},
		{name: "NVIDIA/gpu-operator#2833, mig-parted#485: mig-manager gives up", snapshot: fleet(1, on("all", gpus(0, 0), label(labelMIGState, "pending"), label(labelMIGConfig, "all-1g.5gb"), written(labelMIGState, 5*day), paused("paused-for-mig-change", 5*day))), want: plugin.Critical,
			says: []string{"MIG change to all-1g.5gb pending, deploy labels are paused-for-mig-change", "at least since 2026-11-27", "delete pod -l app=nvidia-mig-manager"}},
		{name: "NVIDIA/gpu-operator#2495: the product label vanishes while a MIG change is pending", snapshot: fleet(1, on("all", discoveryGone, label(labelMIGState, "pending"), label(labelMIGConfig, "all-1g.5gb"), written(labelMIGState, 2*day), paused("paused-for-mig-change", 2*day))), want: plugin.Warning,
			says: []string{"labels nvidia.com/gpu.product and nvidia.com/gpu.count missing", "paused-for-mig-change", "MIG change to all-1g.5gb pending"}},
		{name: "NVIDIA/gpu-operator#2509: waiting in the queue for weeks is no finding", snapshot: fleet(2, on("all", label("nvidia.com/gpu-driver-upgrade-state", upgradeRequired))), want: plugin.OK, not: []string{"upgrade"}},
		{name: "NVIDIA/gpu-operator#2509: but a driver that crashes is", snapshot: fleet(2, on("all", label("nvidia.com/gpu-driver-upgrade-state", upgradeRequired)), on("gpu-02", gpus(0, 0)), ill("gpu-02", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr (41 restarts)", 2*day)), want: plugin.Critical,
			says: []string{"node gpu-02", "nvidia-driver-daemonset: CrashLoopBackOff in nvidia-driver-ctr (41 restarts)", "logs nvidia-driver-daemonset-gpu-02 --all-containers --previous"}},
		{name: "NVIDIA/gpu-operator#626: nodes hang in validation-required", snapshot: fleet(1, on("all", gpus(0, 0), label("nvidia.com/gpu-driver-upgrade-state", "validation-required"), written("nvidia.com/gpu-driver-upgrade-state", 26*time.Hour)),
			ill("gpu-01", "nvidia-operator-validator", "Init:CrashLoopBackOff in driver-validation (9 restarts)", 26*time.Hour)), want: plugin.Critical,
			says: []string{"driver upgrade in progress (state validation-required); nvidia-operator-validator: Init:CrashLoopBackOff", "since 2026-12-01 10:00"}},
		{name: "NVIDIA/gpu-operator#990, #970: the driver of the old RHCOS crashes after an update", snapshot: fleet(1, on("all", gpus(0, 0), label(labelOSTree, "417.94"), func(n *Node) { n.OSImage = "Red Hat Enterprise Linux CoreOS 418.94" }),
			ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr", day)), want: plugin.Critical, says: []string{"NFD's label says OSTREE_VERSION 417.94, the node runs Red Hat Enterprise Linux CoreOS 418.94"}},
		{name: "NVIDIA/gpu-operator#990: no driver DaemonSet is for this RHCOS", snapshot: fleet(1, on("all", gpus(0, 0), label(labelOSTree, "417.94")), gone("gpu-01", "nvidia-driver-daemonset"),
			daemonSet("nvidia-driver", func(d *DaemonSet) { d.NodeSelector[labelOSTree] = "418.94" })), want: plugin.Critical, says: []string{`neither nvidia-driver-daemonset selects the node nor another of its kind: label ` + labelOSTree + `="417.94" (wants "418.94")`}},
		{name: "NVIDIA/gpu-operator#1711, #459, #487: Init:0/1 for 25 h, the first waiting link is named and the rest folded", snapshot: fleet(1, on("all", noResource), ill("gpu-01", "nvidia-driver-daemonset", "nvidia-driver-ctr is not ready", 25*time.Hour),
			ill("gpu-01", "nvidia-container-toolkit-daemonset", "Init:0/1, waits in driver-validation", 25*time.Hour), ill("gpu-01", "nvidia-operator-validator", "Init:0/4, waits in driver-validation", 25*time.Hour),
			ill("gpu-01", "nvidia-device-plugin-daemonset", "Init:0/1, waits in toolkit-validation", 25*time.Hour)), want: plugin.Critical,
			says: []string{"¶ nvidia-driver-daemonset: nvidia-driver-ctr is not ready; 3 links after it too: nvidia-container-toolkit-daemonset, nvidia-operator-validator and nvidia-device-plugin-daemonset", "since 2026-12-01 11:00"}},
		{name: "NVIDIA/gpu-operator#1469, #438, #78: NFD's labels have another format", snapshot: fleet(1, on("all", unlabel(deployPrefix, "feature."), label(labelPresent, "false"), label("feature.node.kubernetes.io/pci-0302.present", "true"), gpus(0, 0), func(n *Node) { n.Recognised = false }), gone("gpu-01")), want: plugin.Critical,
			says: []string{"no longer recognised as a GPU node (nvidia.com/gpu.present=false)", "pci-0302.present is there, which the operator does not heed: NFD's label format differs"}},
		{name: "NVIDIA/gpu-operator#580: NFD is ill, the labels are gone", snapshot: fleet(1, on("all", unlabel(deployPrefix, "feature."), label(labelPresent, "false"), gpus(0, 0), func(n *Node) { n.Recognised = false }), gone("gpu-01"),
			ill("gpu-01", "nfd-worker", "CrashLoopBackOff in nfd-worker (3 restarts)", 2*time.Hour)), want: plugin.Critical, says: []string{"nfd-worker: CrashLoopBackOff in nfd-worker (3 restarts)"}},
		{name: "NVIDIA/gpu-operator#637, k8s-device-plugin#240: stale keys beside MIG", snapshot: fleet(1, on("all", gpus(4, 4), alsoOffers("nvidia.com/mig-1g.5gb", 28, 28), alsoOffers("nvidia.com/mig-2g.10gb", 0, 0), label(labelMIGMode, "mixed"), label("nvidia.com/mig-1g.5gb.count", "28"))), want: plugin.OK,
			says: []string{"28 of 28 nvidia.com/mig-1g.5gb"}, not: []string{"2g.10gb"}},
		{name: "NVIDIA/gpu-operator#460: strategy single with mixed profiles, the plugin panics", snapshot: fleet(1, on("all", gpus(0, 0), label(labelProduct, product+"-MIG-INVALID"), label("nvidia.com/gpu.count", "0"), label("nvidia.com/gpu.replicas", "0"), label(labelMIGMode, "single")),
			ill("gpu-01", "nvidia-device-plugin-daemonset", "CrashLoopBackOff in nvidia-device-plugin (77 restarts)", 3*day)), want: plugin.Critical, says: []string{"divided unlike each other, which the MIG strategy single refuses", "CrashLoopBackOff in nvidia-device-plugin"}},
		{name: "NVIDIA/k8s-device-plugin#1014, gpu-operator#1065: 7 of 8 after XID 94", snapshot: fleet(1, on("all", label("nvidia.com/gpu.count", "8"), gpus(8, 7))), want: plugin.Warning,
			says: []string{"7 of 8 nvidia.com/gpu allocatable, 1 unhealthy", "has marked 1 unhealthy", "restart the device plugin"}},
		{name: "incident 1, while its pods still ran, and a GPU is ill: a restarted pod would not come back", snapshot: fleet(1, on("all", label("nvidia.com/gpu.count", "8"), gpus(8, 7), taint("dedicated=ml:NoSchedule", 2*day))), want: plugin.Warning,
			says: []string{"7 of 8 nvidia.com/gpu allocatable, 1 unhealthy", "taint dedicated=ml:NoSchedule", "kubectl taint nodes gpu-01 dedicated:NoSchedule-", "not before that, as no pod comes back past the taint: look for Xid"}},
		{name: "NVIDIA/k8s-device-plugin#58: 16 registered, 0 allocatable, the plugin runs", snapshot: fleet(1, on("all", label("nvidia.com/gpu.count", "16"), gpus(16, 0))), want: plugin.Critical,
			says: []string{"0 of 16 nvidia.com/gpu offered", "has marked 16 unhealthy"}},
		{name: "NVIDIA/k8s-device-plugin#58: and the plugin has just stopped", snapshot: fleet(1, on("all", gpus(4, 0)), gone("gpu-01", "nvidia-device-plugin-daemonset")), want: plugin.Critical,
			says: []string{"nvidia-device-plugin-daemonset should run there and has no pod", "the device plugin stopped less than 5 minutes ago, or all are unhealthy"}},
		{name: "NVIDIA/k8s-device-plugin#1228, #1698: the plugin runs, 0 of 0", snapshot: fleet(1, on("all", gpus(0, 0))), want: plugin.Critical,
			says: []string{"nvidia-device-plugin-daemonset runs there but is not registered with the kubelet", "if that does not help, restart the kubelet", "registered once"}},
		{name: "NVIDIA/k8s-device-plugin#732: the label says less than is offered", snapshot: fleet(1, on("all", gpus(50, 50))), want: plugin.OK, says: []string{"50 of 50"}},
		{name: "NVIDIA/gpu-operator#1607: MIG success, but only an old profile's key with 0", snapshot: fleet(1, on("all", noResource, alsoOffers("nvidia.com/mig-1g.5gb", 0, 0), label(labelMIGMode, "mixed"), label(labelMIGConfig, "all-7g.80gb"), label(labelMIGState, "success"), label("nvidia.com/gpu.count", "4"))), want: plugin.Critical,
			says: []string{"0 of 4"}},
		{name: "NVIDIA/kubevirt-gpu-device-plugin#20: a VM node offers 0 of its resource", snapshot: fleet(1, on("all", discoveryGone, unlabel(deployPrefix), label(labelWorkload, "vm-passthrough"), noResource, alsoOffers("nvidia.com/GA100_A100_SXM4_40GB", 0, 0))), want: plugin.Critical,
			says: []string{"0 nvidia.com/GA100_A100_SXM4_40GB offered"}, not: []string{"missing"}},
		{name: "NVIDIA/NVSentinel#1899: no extended resource with DRA, and all is well", snapshot: dra(Slice{Node: "gpu-01", Pool: "gpu-01", Generation: 1, Count: 1, Devices: devices(4)}), want: plugin.OK, says: []string{"4 of 4 gpu.nvidia.com devices"}, not: []string{"nvidia.com/gpu "}},
		{name: "kubernetes-sigs/dra-driver-nvidia-gpu#1008: a slice without devices", snapshot: dra(Slice{Node: "gpu-01", Pool: "gpu-01", Generation: 1, Count: 1}), want: plugin.Critical, says: []string{"no gpu.nvidia.com device is published"}},
		{name: "kubernetes-sigs/dra-driver-nvidia-gpu#438: slices of other drivers only", snapshot: dra(), want: plugin.Critical, says: []string{"no gpu.nvidia.com device is published"}},
		{name: "kubernetes/autoscaler#461: a new node has no GPUs yet", snapshot: fleet(2, on("gpu-02", noResource, discoveryGone, func(n *Node) { n.Created, n.ReadySince = before(minutes(8)), before(minutes(6)) })), want: plugin.OK, says: []string{"node gpu-02 ¶ new node, no nvidia.com/gpu resource at all"}},
		{name: "kubernetes/autoscaler#461: and after the grace", snapshot: fleet(2, on("gpu-02", noResource, discoveryGone, func(n *Node) { n.Created, n.ReadySince = before(minutes(48)), before(minutes(46)) })), want: plugin.Critical},
		{name: "NVIDIA/gpu-operator#2255: misscheduled, and it is a taint, not the anti-affinity", snapshot: fleet(1, on("all", taint("x:NoSchedule", day)), daemonSet("nvidia-driver", func(d *DaemonSet) { d.Affinity = nil })), want: plugin.Warning, says: []string{"taint x:NoSchedule"}},
		{name: "NVIDIA/gpu-operator#782: the driver pod crashes while the state says upgrade-done", snapshot: fleet(1, on("all", gpus(0, 0)), ill("gpu-01", "nvidia-driver-daemonset", "Init:CrashLoopBackOff in k8s-driver-manager (6 restarts)", minutes(20))), want: plugin.Critical,
			says: []string{"nvidia-driver-daemonset: Init:CrashLoopBackOff in k8s-driver-manager (6 restarts)"}},
	})
}

func devices(n int) []Device {
	var out []Device
	for i := range n {
		out = append(out, Device{Name: "gpu-" + string(rune('0'+i)), Type: "gpu", UUID: "GPU-" + string(rune('0'+i))})
	}
	return out
}

// dra is a node that offers its GPUs by ResourceSlices.
func dra(slices ...Slice) Snapshot {
	return fleet(1, on("all", noResource, unlabel("nvidia.com/gpu"), label(labelPresent, "true"), label(deployDRA, "true")), func(s *Snapshot) {
		s.DaemonSets = []DaemonSet{{Namespace: namespace, Name: "nvidia-dra-driver-kubelet-plugin", Role: rolePlugin, NodeSelector: map[string]string{deployDRA: "true"}, Tolerations: builtIn}}
		s.Pods = []Pod{{Namespace: namespace, DaemonSet: "nvidia-dra-driver-kubelet-plugin", Name: "p", Node: "gpu-01", Ready: true, Created: before(day), Since: before(day)}}
		s.Slices, s.SlicesRead = slices, true
	})
}
