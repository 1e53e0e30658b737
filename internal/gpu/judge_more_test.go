package gpu

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// What passes by itself is no alarm until the grace is over.
func TestJudgeTransient(t *testing.T) {
	upgrade := func(state string, since time.Duration) func(*Node) {
		return func(n *Node) {
			n.Labels["nvidia.com/gpu-driver-upgrade-state"] = state
			n.Written["nvidia.com/gpu-driver-upgrade-state"] = before(since)
		}
	}
	updating := func(since time.Duration) func(*Node) {
		return func(n *Node) {
			n.Annotations[mcoDesired], n.Annotations[mcoState] = "rendered-worker-b", "Working"
			n.Written[mcoDesired] = before(since)
		}
	}
	recreated := func(s *Snapshot) {
		for i := range s.Pods {
			if s.Pods[i].DaemonSet == "nvidia-device-plugin-daemonset" {
				s.Pods[i].Created, s.Pods[i].Ready, s.Pods[i].Trouble = before(minutes(2)), false, "Init:0/1, waits in toolkit-validation"
			}
		}
	}
	rolled := func(since time.Duration) func(*Snapshot) { return rolledOut("nvidia-device-plugin", since) }
	table(t, []row{
		{name: "driver upgrade, 10 minutes", snapshot: fleet(1, on("all", gpus(0, 0), upgrade("pod-deletion-required", minutes(10))), gone("gpu-01", "nvidia-device-plugin-daemonset")), want: plugin.OK, says: []string{"driver upgrade in progress (state pod-deletion-required), 0 of 4 nvidia.com/gpu offered", "at least since 2026-12-02 11:50"}},
		{name: "driver upgrade, 40 minutes", snapshot: fleet(1, on("all", gpus(0, 0), upgrade("pod-deletion-required", minutes(40)))), want: plugin.Critical, says: []string{"driver upgrade in progress (state pod-deletion-required)"}},
		{name: "driver upgrade, 40 minutes, with a grace of an hour", snapshot: fleet(1, on("all", gpus(0, 0), upgrade("pod-deletion-required", minutes(40)))), limits: func(l *Limits) { l.Grace = time.Hour }, want: plugin.OK},
		{name: "driver upgrade, 40 minutes, but the driver's pod is 8 minutes old", snapshot: fleet(1, on("all", gpus(0, 0), upgrade("pod-restart-required", minutes(40))), func(s *Snapshot) {
			for i := range s.Pods {
				if s.Pods[i].DaemonSet == "nvidia-driver-daemonset" {
					s.Pods[i].Created = before(minutes(8))
				}
			}
		}), want: plugin.OK},
		{name: "driver upgrade, the operator's own clock is 5 minutes old", snapshot: fleet(1, on("all", gpus(0, 0), upgrade("validation-required", minutes(40)), func(n *Node) { n.Annotations[annotationValidation] = "1796212500" })), want: plugin.OK},
		{name: "driver upgrade that never ends although GPUs are offered", snapshot: fleet(1, on("all", upgrade("uncordon-required", 3*time.Hour))), want: plugin.Warning, says: []string{"driver upgrade in progress (state uncordon-required)", "no progress for longer than --grace"}},
		{name: "driver upgrade that begins next year", snapshot: fleet(1, on("all", gpus(0, 0), upgrade("drain-required", -365*day))), want: plugin.Critical},
		{name: "driver upgrade since nobody knows when", snapshot: fleet(1, on("all", gpus(0, 0), label("nvidia.com/gpu-driver-upgrade-state", "drain-required"))), want: plugin.Critical},
		{name: "a taint keeps the driver's new pod away: no upgrade will end that", snapshot: fleet(1, on("all", gpus(0, 0), upgrade("pod-restart-required", minutes(10)), taint(reserved, 21*day)), gone("gpu-01")), want: plugin.Critical, says: []string{"taint " + reserved}},
		{name: "upgrade failed, GPUs offered", snapshot: fleet(1, on("all", upgrade(upgradeFailed, day))), want: plugin.Warning, says: []string{"driver upgrade failed"}},
		{name: "upgrade failed, none offered", snapshot: fleet(1, on("all", gpus(0, 0), upgrade(upgradeFailed, day)), ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr (11 restarts)", day)), want: plugin.Critical, says: []string{"the driver upgrade failed; nvidia-driver-daemonset: CrashLoopBackOff", "nvidia.com/gpu-driver-upgrade-state=upgrade-required"}},
		{name: "MIG change, 10 minutes", snapshot: fleet(1, on("all", gpus(0, 0), discoveryGone, label(labelMIGState, "pending"), written(labelMIGState, minutes(10)))), want: plugin.OK},
		{name: "MIG change failed, GPUs offered", snapshot: fleet(1, on("all", label(labelMIGState, "failed"), label(labelMIGConfig, "all-1g.5gb"))), want: plugin.Warning, says: []string{"MIG change to all-1g.5gb failed"}},
		{name: "MIG change failed, none offered", snapshot: fleet(1, on("all", gpus(0, 0), label(labelMIGState, "failed"), label(labelMIGConfig, "all-1g.5gb"))), want: plugin.Critical, says: []string{"the MIG change to all-1g.5gb failed"}},
		{name: "paused for 10 minutes", snapshot: fleet(1, on("all", gpus(0, 0), paused("paused-for-driver-upgrade", minutes(10))), gone("gpu-01")), want: plugin.OK, says: []string{"5 deploy labels are paused-for-driver-upgrade, 0 of 4"}, not: []string{"nothing goes on"}},
		{name: "paused for 40 minutes", snapshot: fleet(1, on("all", gpus(0, 0), paused("paused-for-driver-upgrade", minutes(40))), gone("gpu-01")), want: plugin.Critical, says: []string{"5 deploy labels are paused-for-driver-upgrade, and nothing goes on that would set them back"}},
		{name: "machine-config update, 10 minutes", snapshot: fleet(1, on("all", gpus(0, 0), updating(minutes(10)))), want: plugin.OK, says: []string{"machine-config update in progress"}},
		{name: "machine-config update, 10 minutes, but a taint keeps the pods away", snapshot: fleet(1, on("all", gpus(0, 0), updating(minutes(10)), taint(reserved, 21*day)), gone("gpu-01")), want: plugin.Critical, says: []string{"taint " + reserved, "first run check_mcp"}},
		{name: "machine-config update, 2 hours: not an excuse, and what to mind", snapshot: fleet(1, on("all", gpus(0, 0), updating(2*time.Hour))), want: plugin.Critical, says: []string{"not registered with the kubelet", "first run check_mcp"}},
		{name: "restarted 5 minutes ago", snapshot: fleet(1, on("all", gpus(0, 0), func(n *Node) { n.ReadySince = before(minutes(5)) })), want: plugin.OK, says: []string{"Ready again after a restart"}},
		{name: "restarted 5 minutes ago, which does not take a taint away that is 20 days old", snapshot: fleet(1, on("all", gpus(0, 0), taint(reserved, 20*day), restarted(5)), gone("gpu-01")), want: plugin.Critical, says: []string{"taint " + reserved + ", there for at least 20d"}},
		{name: "nor a person's taint of which the restart has hidden the age", snapshot: fleet(1, on("all", gpus(0, 0), taint(reserved, minutes(5)), restarted(5)), gone("gpu-01")), want: plugin.Critical, says: []string{"taint " + reserved}},
		{name: "but the taints of a node's start pass", snapshot: fleet(1, on("all", gpus(0, 0), taint("node.cilium.io/agent-not-ready:NoSchedule", minutes(5)), restarted(5)), gone("gpu-01")), want: plugin.OK, says: []string{"Ready again after a restart"}},
		{name: "unless they are known to be older", snapshot: fleet(1, on("all", gpus(0, 0), taint("node.cilium.io/agent-not-ready:NoSchedule", 2*day), restarted(5)), gone("gpu-01")), want: plugin.Critical, says: []string{"see Cilium's agent"}},
		{name: "restarted 5 minutes ago with a driver that has crashed for 2 days", snapshot: fleet(1, on("all", gpus(0, 0), restarted(5)), ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr", 2*day)), want: plugin.Critical, says: []string{"CrashLoopBackOff in nvidia-driver-ctr"}},
		{name: "restarted 5 minutes ago, and the driver has not been ready since the node went down", snapshot: fleet(1, on("all", gpus(0, 0), restarted(5)), ill("gpu-01", "nvidia-driver-daemonset", "nvidia-driver-ctr is not ready", minutes(20))), want: plugin.OK},
		{name: "restarted 5 minutes ago, unrecognised for 2 days", snapshot: fleet(1, on("all", unlabel(deployPrefix, "feature."), label(labelPresent, "false"), written(labelPresent, 2*day), gpus(0, 0), restarted(5), func(n *Node) { n.Recognised = false }), gone("gpu-01")), want: plugin.Critical, says: []string{"no longer recognised"}},
		{name: "a new node that has a taint from the start", snapshot: fleet(1, on("all", gpus(0, 0), taint(reserved, minutes(5)), restarted(5), func(n *Node) { n.Created = before(minutes(6)) }), gone("gpu-01")), want: plugin.OK, says: []string{"new node"}},
		{name: "a machine-config update that is Degraded does not pass by itself", snapshot: fleet(1, on("all", gpus(0, 0), updating(minutes(10)), func(n *Node) { n.Annotations[mcoState] = "Degraded" })), want: plugin.Critical,
			says: []string{"not registered with the kubelet", "a machine-config update has failed on this node (Degraded)", "first run check_mcp"}, not: []string{"in progress", "waits on"}},
		{name: "nor one that is Unreconcilable", snapshot: fleet(1, on("all", gpus(0, 0), updating(minutes(10)), func(n *Node) { n.Annotations[mcoState] = "Unreconcilable" })), want: plugin.Critical, says: []string{"has failed on this node (Unreconcilable)"}},
		{name: "where GPUs are offered, a Degraded machine config is check_mcp's to tell", snapshot: fleet(1, on("all", updating(minutes(10)), func(n *Node) { n.Annotations[mcoState] = "Degraded" })), want: plugin.OK},
		{name: "driver upgrade, 10 minutes, GPUs still offered, but a taint dooms the pods", snapshot: fleet(1, on("all", upgrade("cordon-required", minutes(10)), taint(reserved, 21*day))), want: plugin.Warning, says: []string{"but not for long", "driver upgrade in progress (state cordon-required)"}},
		{name: "the plugin is rolled out, its pod is new", snapshot: fleet(1, on("all", gpus(4, 0)), recreated, rolled(minutes(5))), want: plugin.OK, says: []string{"pod of nvidia-device-plugin-daemonset is young"}},
		{name: "the plugin is rolled out, its old pod is gone and the new one is not there yet", snapshot: fleet(1, on("all", gpus(4, 0)), gone("gpu-01", "nvidia-device-plugin-daemonset"), rolled(minutes(5))), want: plugin.OK, says: []string{"pod of nvidia-device-plugin-daemonset is being replaced"}},
		{name: "an exporter is rolled out, its pod is not there yet", snapshot: fleet(1, gone("gpu-01", "nvidia-dcgm-exporter"), rolledOut("nvidia-dcgm-exporter", minutes(5))), want: plugin.OK},
		{name: "after the grace it should be", snapshot: fleet(1, gone("gpu-01", "nvidia-dcgm-exporter"), rolledOut("nvidia-dcgm-exporter", minutes(40))), want: plugin.Warning, says: []string{"nvidia-dcgm-exporter should run there and has no pod"}},
		{name: "a pod ends that was ready for a month: it has just been told to", snapshot: fleet(1, ending("nvidia-dcgm-exporter", minutes(1))), want: plugin.OK},
		{name: "and one that does not end", snapshot: fleet(1, ending("nvidia-dcgm-exporter", 3*time.Hour)), want: plugin.Warning, says: []string{"its pod is terminating", "since 2026-12-02 09:00 UTC"}},
		{name: "paused labels and a driver that crashes: its manager has paused them", snapshot: fleet(1, on("all", gpus(0, 0), paused("paused-for-driver-upgrade", 5*day)), ill("gpu-01", "nvidia-driver-daemonset", "Init:CrashLoopBackOff in k8s-driver-manager (9 restarts)", 5*day)), want: plugin.Critical,
			says: []string{"¶ nvidia-driver-daemonset: Init:CrashLoopBackOff in k8s-driver-manager (9 restarts)", "; 5 deploy labels are paused-for-driver-upgrade", "¶ kubectl -n nvidia-gpu-operator logs nvidia-driver-daemonset-gpu-01 --all-containers --previous, and only when the driver runs: kubectl label nodes gpu-01"}},
		{name: "the same while GPUs are offered", snapshot: fleet(1, on("all", paused("paused-for-driver-upgrade", 5*day)), ill("gpu-01", "nvidia-driver-daemonset", "Init:CrashLoopBackOff in k8s-driver-manager (9 restarts)", 5*day)), want: plugin.Warning,
			says: []string{"5 deploy labels are paused-for-driver-upgrade", "¶ nvidia-driver-daemonset: Init:CrashLoopBackOff", "logs nvidia-driver-daemonset-gpu-01 --all-containers --previous, and only when the driver runs: kubectl label nodes gpu-01"}},
		{name: "a pod that is made anew again and again is not excused by its own age", snapshot: fleet(1, on("all", gpus(4, 0)), recreated), want: plugin.Critical, says: []string{"Init:0/1, waits in toolkit-validation"}, not: []string{"is young"}},
		{name: "nor by a rollout that began before the grace", snapshot: fleet(1, on("all", gpus(4, 0)), recreated, rolled(minutes(40))), want: plugin.Critical, says: []string{"Init:0/1, waits in toolkit-validation"}},
		{name: "driver upgrade, 3 hours: a driver's pod that is made anew again and again is no progress", snapshot: fleet(1, on("all", gpus(0, 0), upgrade("pod-restart-required", 3*time.Hour)), func(s *Snapshot) {
			for i := range s.Pods {
				s.Pods[i].Created = before(minutes(2))
			}
		}), want: plugin.Critical, says: []string{"driver upgrade in progress (state pod-restart-required)"}},
		{name: "a new pod that crashes has no grace", snapshot: fleet(1, on("all", gpus(4, 0)), func(s *Snapshot) {
			for i := range s.Pods {
				if s.Pods[i].DaemonSet == "nvidia-device-plugin-daemonset" {
					s.Pods[i].Created, s.Pods[i].Ready, s.Pods[i].Trouble, s.Pods[i].Crashing = before(minutes(2)), false, "CrashLoopBackOff in nvidia-device-plugin", true
				}
			}
		}), want: plugin.Critical, says: []string{"CrashLoopBackOff in nvidia-device-plugin"}},
		{name: "of two pods, as in a rollout, the newer counts", snapshot: fleet(1, on("all", gpus(0, 0)), func(s *Snapshot) {
			s.Pods = append([]Pod{{Namespace: namespace, DaemonSet: "nvidia-driver-daemonset", Name: "new", Node: "gpu-01", Created: before(day), Since: before(day), Trouble: "CrashLoopBackOff in new", Crashing: true}}, s.Pods...)
		}), want: plugin.Critical, says: []string{"CrashLoopBackOff in new"}},
		{name: "a fresh node that nothing has recognised yet", snapshot: fleet(2, on("gpu-02", noResource, unlabel("nvidia.com/", "feature."), func(n *Node) { n.Recognised, n.Expected, n.Created = false, true, before(minutes(5)) })), want: plugin.OK, says: []string{"new node, expected to have GPUs"}},
		{name: "cordoned for 2 hours with GPUs gone: somebody works on it", snapshot: fleet(1, on("all", gpus(0, 0), cordonedFor(2*time.Hour))), want: plugin.Warning, says: []string{"0 of 4 nvidia.com/gpu offered, cordoned"}},
		{name: "cordoned for 10 minutes with GPUs gone", snapshot: fleet(1, on("all", gpus(0, 0), cordonedFor(minutes(10)))), want: plugin.OK},
		{name: "cordoned for 10 minutes, the driver has crashed for 2 days", snapshot: fleet(1, on("all", gpus(0, 0), cordonedFor(minutes(10))), ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr", 2*day)), want: plugin.Warning, says: []string{"0 of 4 nvidia.com/gpu offered, cordoned", "CrashLoopBackOff"}},
		{name: "cordoned for 8 days", snapshot: fleet(1, on("all", cordonedFor(8*day))), want: plugin.Warning, says: []string{"but not schedulable", "kubectl uncordon gpu-01, unless"}},
		{name: "cordoned for 8 days with a machine-config update pending", snapshot: fleet(1, on("all", cordonedFor(8*day), updating(8*day))), want: plugin.Warning, says: []string{"first run check_mcp"}},
		{name: "maintenance by a program", snapshot: fleet(1, on("all", gpus(0, 0), taint("medik8s.io/drain:NoSchedule", 2*day))), want: plugin.OK, says: []string{"set aside for maintenance", "taint medik8s.io/drain:NoSchedule"}, not: []string{"tolerated"}},
		{name: "maintenance that was forgotten", snapshot: fleet(1, on("all", gpus(0, 0), taint("medik8s.io/drain:NoSchedule", 9*day))), want: plugin.Warning, says: []string{"set aside for maintenance"}},
		{name: "maintenance since nobody knows when", snapshot: fleet(1, on("all", gpus(0, 0), taint("medik8s.io/drain:NoSchedule", day), ageless)), want: plugin.Warning, says: []string{"set aside for maintenance", "since when is not known, so it may have been forgotten"}},
		{name: "the same with --max-cordon off", snapshot: fleet(1, on("all", gpus(0, 0), taint("medik8s.io/drain:NoSchedule", day), ageless)), limits: func(l *Limits) { l.MaxCordon = plugin.NewTimeRange("off") }, want: plugin.OK},
		{name: "the same on a new node", snapshot: fleet(1, on("all", gpus(0, 0), taint("medik8s.io/drain:NoSchedule", day), ageless, func(n *Node) { n.Created = before(minutes(5)) })), want: plugin.OK},
		{name: "cordoned since nobody knows when", snapshot: fleet(1, on("all", func(n *Node) { n.Unschedulable = true })), want: plugin.Warning, says: []string{"but not schedulable", "since when is not known, so it may have been forgotten"}},
		{name: "a second taint beside the maintenance's, GPUs gone", snapshot: fleet(1, on("all", gpus(0, 0), taint("medik8s.io/drain:NoSchedule", day), taint(reserved, day)), gone("gpu-01")), want: plugin.Warning,
			says: []string{"set aside for maintenance", "and not after the maintenance either", "¶ taint " + reserved, "kubectl taint nodes gpu-01 ai4dd-a100-reserved:NoSchedule-"}, not: []string{"medik8s.io/drain:NoSchedule-"}},
		{name: "a second taint beside the maintenance's, pods still run", snapshot: fleet(1, on("all", taint("medik8s.io/drain:NoSchedule", day), taint(reserved, day))), want: plugin.Warning,
			says: []string{"but not for long", "taint " + reserved}, not: []string{"medik8s.io/drain:NoSchedule-"}},
		{name: "a removal without end", snapshot: fleet(2, on("gpu-02", gpus(0, 0), taint("ToBeDeletedByClusterAutoscaler=1795000000:NoSchedule", minutes(5)))), want: plugin.Warning,
			says: []string{"node gpu-02 ¶ is being removed and still there, 0 of 4"}, not: []string{"kubectl taint"}},
		{name: "a deletion that a finalizer holds", snapshot: fleet(2, on("gpu-02", func(n *Node) { n.Deleting, n.DeletedSince = true, before(9*day) })), want: plugin.Warning, says: []string{"is being removed and still there", "it is deleted", "finalizer"}},
		{name: "quarantined by NVSentinel", snapshot: fleet(1, on("all", gpus(8, 7), cordonedFor(day), label("k8saas.nvidia.com/cordon-reason", "xid"))), want: plugin.OK, says: []string{"label k8saas.nvidia.com/cordon-reason=xid"}},
		{name: "not Ready: the node's own check tells", snapshot: fleet(1, on("all", gpus(0, 0), func(n *Node) { n.Ready, n.ReadySince, n.NotReadyWhy = false, before(day), "Ready is Unknown" })), want: plugin.Warning, says: []string{"not Ready", "Ready is Unknown"}, not: []string{"offered"}},
		{name: "not Ready for 5 minutes", snapshot: fleet(1, on("all", func(n *Node) { n.Ready, n.ReadySince = false, before(minutes(5)) })), want: plugin.OK},
		{name: "about to be removed", snapshot: fleet(2, on("gpu-02", gpus(0, 0), taint("ToBeDeletedByClusterAutoscaler=1:NoSchedule", day))), want: plugin.OK, says: []string{"1 GPU node, 4 of 4 nvidia.com/gpu allocatable; 1 node is being removed: gpu-02"}},
		{name: "about to be removed, beside a fault", snapshot: fleet(2, on("gpu-01", gpus(4, 3)), on("gpu-02", taint("ToBeDeletedByClusterAutoscaler=1:NoSchedule", day))), want: plugin.Warning, says: []string{"OK ¶ node gpu-02 ¶ is being removed, so it is not judged"}},
		{name: "without operands on purpose", snapshot: fleet(1, on("all", noResource, label(deployOperands, "false"), unlabel("nvidia.com/gpu.count"))), want: plugin.OK, says: []string{"without GPU operands on purpose"}},
		{name: "a node that has lost its GPUs for good keeps a label, in a machine of another kind", snapshot: fleet(2, on("gpu-02", label(labelInstance, "bm-cpu"), noResource, discoveryGone, unlabel(deployPrefix, "feature."), label(labelPresent, "false"), func(n *Node) { n.Recognised = false })), want: plugin.OK, says: []string{"4 of 4"}},
		{name: "a taint of the node's own trouble while it is fresh", snapshot: fleet(1, on("all", func(n *Node) {
			fresh := noonMinus3d
			fresh.Time = before(minutes(3))
			n.Taints = []corev1.Taint{{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoSchedule, TimeAdded: &fresh}}
		})), want: plugin.OK},
	})
}

func rolledOut(name string, since time.Duration) func(*Snapshot) {
	return daemonSet(name, func(d *DaemonSet) { d.Rolled = before(since) })
}

// ending makes the DaemonSet's pods terminate.
func ending(daemonSet string, since time.Duration) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.Pods {
			if s.Pods[i].DaemonSet == daemonSet {
				s.Pods[i].Deleting, s.Pods[i].DeletedSince = true, before(since)
			}
		}
	}
}

// Offered against expected.
func TestJudgeNumbers(t *testing.T) {
	sharing := func(replicas string) func(*Node) { return label("nvidia.com/gpu.replicas", replicas) }
	table(t, []row{
		{name: "time-slicing", snapshot: fleet(1, on("all", sharing("4"), gpus(16, 16))), want: plugin.OK, says: []string{"16 of 16 nvidia.com/gpu allocatable"}},
		{name: "time-slicing, a board less", snapshot: fleet(1, on("all", sharing("4"), gpus(12, 12))), want: plugin.Warning, says: []string{"12 of 16 nvidia.com/gpu allocatable", "a GPU may be lost"}},
		{name: "MPS, renamed, beside a stale key", snapshot: fleet(1, on("all", sharing("8"), gpus(0, 0), alsoOffers("nvidia.com/gpu.shared", 32, 32))), want: plugin.OK, says: []string{"32 of 32 nvidia.com/gpu.shared"}},
		{name: "MIG single: the count is of MIG devices", snapshot: fleet(1, on("all", label(labelMIGMode, "single"), label("nvidia.com/gpu.count", "28"), gpus(28, 28))), want: plugin.OK, says: []string{"28 of 28"}},
		{name: "MIG single, shared", snapshot: fleet(1, on("all", label(labelMIGMode, "single"), label("nvidia.com/gpu.count", "28"), sharing("2"), gpus(56, 56))), want: plugin.OK},
		{name: "MIG mixed: one profile is short", snapshot: fleet(1, on("all", label(labelMIGMode, "mixed"), gpus(2, 2), label("nvidia.com/mig-1g.5gb.count", "7"), alsoOffers("nvidia.com/mig-1g.5gb", 7, 6))), want: plugin.Warning, says: []string{"2 of 2 nvidia.com/gpu, 6 of 7 nvidia.com/mig-1g.5gb allocatable, 1 unhealthy"}},
		{name: "MIG mixed, shared profiles", snapshot: fleet(1, on("all", label(labelMIGMode, "mixed"), sharing("0"), noResource, label("nvidia.com/mig-1g.5gb.count", "7"), label("nvidia.com/mig-1g.5gb.replicas", "3"), alsoOffers("nvidia.com/mig-1g.5gb.shared", 21, 21))), want: plugin.OK, says: []string{"21 of 21 nvidia.com/mig-1g.5gb.shared"}},
		{name: "replicas 0 tells nothing", snapshot: fleet(1, on("all", sharing("0"), gpus(1, 1))), want: plugin.OK},
		{name: "labels that are no numbers tell nothing", snapshot: fleet(1, on("all", label("nvidia.com/gpu.count", "many"), gpus(1, 1))), want: plugin.OK},
		{name: "an expected number finds a GPU that was lost before the plugin started", snapshot: fleet(1, on("all", label("nvidia.com/gpu.count", "3"), gpus(3, 3))), limits: func(l *Limits) { l.Expect = 4 }, want: plugin.Warning, says: []string{"3 of 4 nvidia.com/gpu allocatable", "a GPU may be lost"}},
		{name: "more than expected is no fault", snapshot: fleet(1), limits: func(l *Limits) { l.Expect = 2 }, want: plugin.OK},
		{name: "critical by the user's threshold", snapshot: fleet(1, on("all", gpus(4, 2))), limits: func(l *Limits) { l.Critical = plugin.NewRange("1") }, want: plugin.Critical},
		{name: "tolerated by the user's threshold", snapshot: fleet(1, on("all", gpus(4, 3))), limits: func(l *Limits) { l.Warning = plugin.NewRange("1") }, want: plugin.OK},
		{name: "network devices are no GPUs", snapshot: fleet(1, on("all", alsoOffers("nvidia.com/gpu.shared", 0, 0))), want: plugin.OK},
		{name: "the device plugin is switched off by label", snapshot: fleet(1, on("all", gpus(0, 0), label(deployPlugin, "false")), gone("gpu-01", "nvidia-device-plugin-daemonset")), want: plugin.Critical, says: []string{`nvidia.com/gpu.deploy.device-plugin="false" (wants "true")`, "unless it was switched off on purpose"}},
		{name: "no device plugin at all", snapshot: fleet(1, on("all", noResource), withoutDaemonSet("nvidia-device-plugin")), want: plugin.Critical, says: []string{"no device plugin DaemonSet exists"}},
		{name: "pods unread", snapshot: fleet(1, on("all", gpus(0, 0)), func(s *Snapshot) { s.Pods, s.PodsRead = nil, map[string]bool{} }), want: plugin.Critical, says: []string{"whether its pod does is not known, as pods were not read"}},
		{name: "a taint that concerns NFD alone is not the cause of a crash", snapshot: fleet(1, on("all", gpus(0, 0), taint("x:NoSchedule", day)), daemonSet("", tolerates(exists("x", ""))), daemonSet("nfd", func(d *DaemonSet) { d.Tolerations = nil }),
			gone("gpu-01", "nfd-worker"), ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr", day)), want: plugin.Critical, says: []string{"¶ nvidia-driver-daemonset: CrashLoopBackOff"}},
		{name: "a taint that concerns an exporter alone is not told as the cause", snapshot: fleet(1, on("all", gpus(0, 0), taint("x:NoSchedule", day), taint("y:NoSchedule", day)), daemonSet("", tolerates(exists("x", ""))),
			daemonSet("nvidia-dcgm", func(d *DaemonSet) { d.Tolerations = nil }), gone("gpu-01")), want: plugin.Critical, says: []string{"taint y:NoSchedule, there", "kubectl taint nodes gpu-01 y:NoSchedule-,"}, not: []string{"taints x"}},
		{name: "Pending", snapshot: fleet(1, on("all", gpus(0, 0)), ill("gpu-01", "nvidia-device-plugin-daemonset", "Pending, Unschedulable: 0/47 nodes are available: 1 Insufficient memory", 2*time.Hour)), want: plugin.Critical, says: []string{"Pending, Unschedulable: 0/47 nodes are available", "describe pod nvidia-device-plugin-daemonset-gpu-01"}},
		{name: "GPUs offered, but the driver's pod crashes", snapshot: fleet(1, ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr", 2*time.Hour)), want: plugin.Warning, says: []string{"nvidia-driver-daemonset: CrashLoopBackOff", "may lose its GPUs when it restarts"}},
		{name: "GPUs offered, an exporter crashes", snapshot: fleet(1, ill("gpu-01", "nvidia-dcgm-exporter", "CrashLoopBackOff in exporter", 2*time.Hour)), want: plugin.Warning, says: []string{"its GPUs are offered all the same"}},
		{name: "GPUs offered, a pod has just become not ready", snapshot: fleet(1, ill("gpu-01", "nvidia-dcgm-exporter", "exporter is not ready", minutes(5))), want: plugin.OK},
		{name: "the labels' discovery crashes", snapshot: fleet(1, on("all", discoveryGone), ill("gpu-01", "gpu-feature-discovery", "CrashLoopBackOff in gpu-feature-discovery", 2*time.Hour)), want: plugin.Warning, says: []string{"labels nvidia.com/gpu.product and nvidia.com/gpu.count missing, while 4 of 4", "gpu-feature-discovery: CrashLoopBackOff"}},
		{name: "no discovery at all", snapshot: fleet(1, on("all", discoveryGone), withoutDaemonSet("gpu-feature-discovery")), want: plugin.Warning, says: []string{"no feature discovery DaemonSet exists"}},
		{name: "the discovery runs, the labels do not come", snapshot: fleet(1, on("all", discoveryGone)), want: plugin.Warning, says: []string{"gpu-feature-discovery runs there, but its labels do not reach the node"}},
		{name: "a workload that the operator does not heed, as its sandbox workloads are off: the operands are those for containers", snapshot: fleet(1, on("all", discoveryGone, label(labelWorkload, "vm-vgpu"))), want: plugin.Warning, says: []string{"labels nvidia.com/gpu.product and nvidia.com/gpu.count missing"}},
		{name: "a label that the site requires", snapshot: fleet(2, on("gpu-02", label("nvidia.com/gpu.machine", "x"))), params: func(p *Params) { p.RequireLabels = []string{"nvidia.com/gpu.machine"} }, want: plugin.Warning, says: []string{"node gpu-01 ¶ label nvidia.com/gpu.machine missing"}, not: []string{"node gpu-02"}},
		{name: "no GPU node", snapshot: Snapshot{}, want: plugin.Unknown, says: []string{"has no GPU node", "--allow-empty"}},
		{name: "no GPU node, which is right", snapshot: Snapshot{}, limits: func(l *Limits) { l.AllowEmpty = true }, want: plugin.OK, says: []string{"0 GPU nodes"}, not: []string{"could not be read"}},
		{name: "the only nodes that match have lost their GPUs or are being removed: none is judged, so nothing is OK", snapshot: fleet(2, on("gpu-01", label(labelInstance, "bm-cpu"), noResource, discoveryGone, unlabel(deployPrefix, "feature."), label(labelPresent, "false"), func(n *Node) { n.Recognised = false }),
			on("gpu-02", func(n *Node) { n.Deleting, n.DeletedSince = true, noon.Add(-time.Minute) })), want: plugin.Unknown, says: []string{"has no GPU node", "2 nodes match a selector, but none has GPUs to judge", "gpu-01: has no GPU any more", "gpu-02: is being removed"}, not: []string{"no node matches"}},
		{name: "and where that is right", snapshot: fleet(1, on("all", func(n *Node) { n.Deleting, n.DeletedSince = true, noon.Add(-time.Minute) })), limits: func(l *Limits) { l.AllowEmpty = true }, want: plugin.OK, says: []string{"has no GPU node"}},
		{name: "Intel: the count is of all its resources, and all boards are xe", snapshot: intel("4", Resource{"gpu.intel.com/xe", 4, 4}), params: vendor("intel"), want: plugin.OK, says: []string{"4 of 4 gpu.intel.com/xe allocatable"}, not: []string{"i915"}},
		{name: "Intel: some i915, some xe", snapshot: intel("4", Resource{"gpu.intel.com/i915", 2, 2}, Resource{"gpu.intel.com/xe", 2, 2}), params: vendor("intel"), want: plugin.OK, says: []string{"2 of 2 gpu.intel.com/i915, 2 of 2 gpu.intel.com/xe"}},
		{name: "Intel: one of both is lost", snapshot: intel("4", Resource{"gpu.intel.com/i915", 2, 2}, Resource{"gpu.intel.com/xe", 1, 1}), params: vendor("intel"), want: plugin.Warning, says: []string{"2 of 3 gpu.intel.com/i915, 1 of 1 gpu.intel.com/xe"}},
		{name: "Intel: xe is gone", snapshot: intel("4", Resource{"gpu.intel.com/xe", 0, 0}), params: vendor("intel"), want: plugin.Critical, says: []string{"0 of 4 gpu.intel.com/xe offered"}},
		{name: "only MIG profiles are asked for: the count of whole GPUs is not theirs", snapshot: fleet(1, on("all", noResource, alsoOffers("nvidia.com/mig-1g.5gb", 28, 28))), params: func(p *Params) { p.Resources = []string{"nvidia.com/mig-*"} }, want: plugin.OK, says: []string{"28 of 28 nvidia.com/mig-1g.5gb"}},
		{name: "k3s gives all its nodes one instance type, which tells nothing of their GPUs", snapshot: fleet(2, on("all", label(labelInstance, "k3s")), on("gpu-02", gpus(0, 0), discoveryGone)), want: plugin.Critical, says: []string{"node gpu-02 ¶ 0 nvidia.com/gpu offered"}, not: []string{"0 of 4"}},
		{name: "nor are nodes without an instance type a class", snapshot: fleet(2, on("all", label(labelInstance, "")), on("gpu-02", gpus(0, 0), discoveryGone)), want: plugin.Critical, says: []string{"node gpu-02 ¶ 0 nvidia.com/gpu offered"}, not: []string{"0 of 4"}},
		{name: "GKE has no feature discovery: the default label is not required there", snapshot: cloud(), want: plugin.OK, says: []string{"4 of 4 nvidia.com/gpu"}, not: []string{"missing"}},
		{name: "GKE, and the site requires the label all the same", snapshot: cloud(), params: func(p *Params) { p.RequireLabels = []string{labelProduct} }, want: plugin.Warning, says: []string{"labels nvidia.com/gpu.product and nvidia.com/gpu.count missing, while 4 of 4"}},
		{name: "GKE without GPUs: no label is told beside the cause", snapshot: cloud(gpus(0, 0)), want: plugin.Critical, says: []string{"0 nvidia.com/gpu offered"}, not: []string{"missing"}},
		{name: "another node has the label, so there is a discovery somewhere", snapshot: func() Snapshot {
			s := cloud()
			s.Nodes = append(s.Nodes, s.Nodes[0])
			s.Nodes[1].Name, s.Nodes[1].Labels = "gpu-02", map[string]string{labelProduct: product}
			return s
		}(), want: plugin.Warning, says: []string{"node gpu-01 ¶ labels nvidia.com/gpu.product and nvidia.com/gpu.count missing"}},
		{name: "an AMD node", snapshot: amd(gpus(0, 0), alsoOffers("amd.com/gpu", 8, 7)), params: func(p *Params) { *p = p.filled(vendors["amd"]) }, want: plugin.Warning, says: []string{"7 of 8 amd.com/gpu allocatable", "has marked 1 unhealthy", "look for the GPU in the node's kernel log, then restart"}, not: []string{"missing", "XID", "Xid"}},
	})
}

// cloud is a node as GKE, EKS and AKS make it: a device plugin of theirs, no operator, no feature discovery.
func cloud(changes ...func(*Node)) Snapshot {
	return fleet(1, on("all", append(changes, unlabel("nvidia.com/", "feature."), label("cloud.google.com/gke-accelerator", "nvidia-tesla-a100"))...), func(s *Snapshot) {
		s.DaemonSets = []DaemonSet{{Namespace: namespace, Name: "nvidia-gpu-device-plugin", Role: rolePlugin, PodLabels: map[string]string{"k8s-app": "nvidia-gpu-device-plugin"}}}
		s.Pods = []Pod{{Namespace: namespace, DaemonSet: "nvidia-gpu-device-plugin", Node: "gpu-01", Ready: true, Created: before(day)}}
	})
}

func vendor(name string) func(*Params) {
	return func(p *Params) { *p = p.filled(vendors[name]) }
}

func intel(count string, resources ...Resource) Snapshot {
	return fleet(1, on("all", unlabel("nvidia.com/"), label("gpu.intel.com/device.count", count), label("gpu.intel.com/product", "Max_1550"), func(n *Node) { n.Resources = resources }), func(s *Snapshot) {
		s.DaemonSets = []DaemonSet{{Namespace: namespace, Name: "intel-gpu-plugin", Role: rolePlugin}}
		s.Pods = []Pod{{Namespace: namespace, DaemonSet: "intel-gpu-plugin", Node: "gpu-01", Ready: true, Created: before(day)}}
	})
}

func amd(changes ...func(*Node)) Snapshot {
	return fleet(1, on("all", append(changes, func(n *Node) { n.Resources = n.Resources[1:] }, unlabel("nvidia.com/"), label("amd.com/gpu.product-name", "MI300X"))...), func(s *Snapshot) {
		s.DaemonSets = []DaemonSet{{Namespace: namespace, Name: "cr-device-plugin", Role: rolePlugin, PodLabels: map[string]string{"app": "amd"}}}
		s.Pods = []Pod{{Namespace: namespace, DaemonSet: "cr-device-plugin", Node: "gpu-01", Ready: true, Created: before(day)}}
	})
}

// Dynamic resource allocation: the newest pool that is complete, and the taints of devices.
func TestJudgeDRA(t *testing.T) {
	pool := func(generation, count int64, list []Device) Slice {
		return Slice{Node: "gpu-01", Pool: "gpu-01", Generation: generation, Count: count, Devices: list}
	}
	tainted := devices(4)
	tainted[2].Taints = []DeviceTaint{{Text: "gpu.nvidia.com/xid=79:NoSchedule"}}
	lost := devices(1)
	lost[0].Taints = []DeviceTaint{{Text: "gpu.nvidia.com/gpu-lost=:NoExecute", Evicts: true}}
	table(t, []row{
		{name: "an old generation does not count", snapshot: dra(pool(4, 1, tainted), pool(3, 1, devices(4))), want: plugin.Warning, says: []string{"3 of 4 gpu.nvidia.com devices usable ¶  ¶ gpu-2 tainted gpu.nvidia.com/xid=79:NoSchedule"}},
		{name: "a pool of two slices", snapshot: dra(pool(4, 2, devices(4)), pool(4, 2, nil)), want: plugin.OK},
		{name: "a pool that is not complete", snapshot: dra(pool(4, 2, devices(4))), want: plugin.Critical, says: []string{"pool gpu-01 is not complete: 1 of 2 slices of generation 4"}},
		{name: "another node's slice", snapshot: dra(Slice{Node: "other", Pool: "other", Generation: 1, Count: 1, Devices: devices(4)}), want: plugin.Critical, says: []string{"no gpu.nvidia.com device is published"}},
		{name: "all devices lost", snapshot: dra(pool(1, 1, lost)), want: plugin.Critical, says: []string{"0 of 1 gpu.nvidia.com devices usable", "gpu-lost"}},
		{name: "fewer than expected", snapshot: dra(pool(1, 1, devices(3))), limits: func(l *Limits) { l.Expect = 4 }, want: plugin.Warning, says: []string{"3 of 4 gpu.nvidia.com devices usable"}},
		{name: "parts of a GPU that can be divided are not counted beside it", snapshot: dra(pool(1, 1, append(devices(2), Device{Name: "mig-0", Type: "mig", Parent: "GPU-1"}))), want: plugin.OK, says: []string{"2 of 2"}},
		{name: "MIG devices of a GPU that is divided for good are counted beside whole ones", snapshot: dra(pool(1, 1, append(devices(1), Device{Name: "mig-0", Type: "mig", Parent: "GPU-9"}, Device{Name: "mig-1", Type: "mig", Parent: "GPU-9", Taints: []DeviceTaint{{Text: "gpu.nvidia.com/xid=79:NoSchedule"}}}))), want: plugin.Warning,
			says: []string{"2 of 3", "mig-1 tainted gpu.nvidia.com/xid=79:NoSchedule"}},
		{name: "a pool that is not complete beside one that is", snapshot: dra(pool(4, 1, devices(4)), Slice{Name: "s2", Node: "gpu-01", Pool: "second", Generation: 2, Count: 2, Devices: devices(2)}), want: plugin.Warning,
			says: []string{"4 of 6 gpu.nvidia.com devices usable", "pool second is not complete: 1 of 2 slices of generation 2", "get resourceslices --field-selector spec.nodeName=gpu-01,spec.driver=gpu.nvidia.com"}},
		{name: "and none of its devices is known", snapshot: dra(pool(4, 1, devices(4)), Slice{Node: "gpu-01", Pool: "second", Generation: 2, Count: 2}), want: plugin.Warning, says: []string{"4 of 5 gpu.nvidia.com devices usable", "pool second is not complete"}},
		{name: "a tainted device: since when, in which slice, and what its effect is", snapshot: dra(func() Slice {
			s := pool(4, 1, devices(4))
			s.Name = "gpu-01-x7k2p"
			s.Devices[2].Taints = []DeviceTaint{{Text: "gpu.nvidia.com/xid=79:NoSchedule", Added: before(5 * time.Hour)}}
			return s
		}()), want: plugin.Warning, says: []string{"usable ¶ since 2026-12-02 07:00 UTC ¶ gpu-2 tainted", "no new pod gets a tainted device, those that use one already go on", "device gpu-2: slice gpu-01-x7k2p, pool gpu-01, generation 4"}},
		{name: "a device that evicts", snapshot: dra(func() Slice {
			s := pool(4, 1, devices(4))
			s.Devices[2].Taints = []DeviceTaint{{Text: "gpu.nvidia.com/gpu-lost=:NoExecute", Evicts: true}}
			return s
		}()), want: plugin.Warning, says: []string{"no new pod gets a tainted device, and pods that use one are evicted", "drain and reboot the node"}},
		{name: "a taint by a hand", snapshot: dra(func() Slice {
			s := pool(4, 1, devices(4))
			s.Name = "s"
			s.Devices[2].Taints = []DeviceTaint{{Text: "example.com/repair=:NoSchedule"}}
			return s
		}()), want: plugin.Warning, says: []string{"find who has tainted it: kubectl get resourceslice s -o yaml"}, not: []string{"Xid"}},
		{name: "the DRA driver runs and publishes nothing", snapshot: dra(), want: plugin.Critical, says: []string{"no gpu.nvidia.com device is published", "nvidia-dra-driver-kubelet-plugin runs there but has published no device", "restart the DRA driver"}, not: []string{"registered with the kubelet", "device plugin"}},
		{name: "a driver upgrade beside a DRA driver for compute domains", snapshot: fleet(1, on("all", gpus(0, 0), paused("paused-for-driver-upgrade", minutes(10)), label("nvidia.com/gpu-driver-upgrade-state", "pod-restart-required"), written("nvidia.com/gpu-driver-upgrade-state", minutes(10))), gone("gpu-01", "nvidia-device-plugin-daemonset"), func(s *Snapshot) {
			s.DaemonSets = append(s.DaemonSets, DaemonSet{Namespace: namespace, Name: "nvidia-dra-driver-gpu-kubelet-plugin", Role: rolePlugin, Tolerations: builtIn})
			s.Pods = append(s.Pods, Pod{Namespace: namespace, DaemonSet: "nvidia-dra-driver-gpu-kubelet-plugin", Node: "gpu-01", Ready: true})
		}), want: plugin.OK, says: []string{"driver upgrade in progress (state pod-restart-required), 0 of 4 nvidia.com/gpu offered"}, not: []string{"dynamic"}},
		{name: "slices unread", snapshot: func() Snapshot { s := dra(); s.SlicesRead = false; return s }(), want: plugin.Unknown, says: []string{"its ResourceSlices could not be read"}, not: []string{"no nvidia.com/gpu"}},
		{name: "a taint keeps the DRA driver away", snapshot: func() Snapshot {
			s := dra()
			on("all", taint(reserved, 21*day))(&s)
			s.Pods = nil
			return s
		}(), want: plugin.Critical, says: []string{"no gpu.nvidia.com device is published", "taint " + reserved}},
		{name: "the driver beside a device plugin, for other devices", snapshot: fleet(1, func(s *Snapshot) {
			s.DaemonSets = append(s.DaemonSets, DaemonSet{Namespace: namespace, Name: "nvidia-dra-driver-gpu-kubelet-plugin", Role: rolePlugin, Tolerations: builtIn})
			s.Pods = append(s.Pods, Pod{Namespace: namespace, DaemonSet: "nvidia-dra-driver-gpu-kubelet-plugin", Node: "gpu-01", Ready: true})
		}), want: plugin.OK, says: []string{"4 of 4 nvidia.com/gpu"}},
	})
}
