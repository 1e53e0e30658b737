package gpu

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// Remedies cover all nodes that are told together, and say what else they end.
func TestJudgeRemedies(t *testing.T) {
	crash := func(node, count string) func(*Snapshot) {
		return ill(node, "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr ("+count+" restarts)", 2*day)
	}
	table(t, []row{
		{name: "pods with the same trouble are one finding, whatever their names and restarts", snapshot: fleet(3, on("all", gpus(0, 0)), crash("gpu-01", "11"), crash("gpu-02", "12"), crash("gpu-03", "2")), want: plugin.Critical,
			says: []string{"3 nodes: gpu-01, gpu-02 and gpu-03 ¶ 0 of 4", "nvidia-driver-daemonset: CrashLoopBackOff in nvidia-driver-ctr",
				"for n in gpu-01 gpu-02 gpu-03; do kubectl get pods -n nvidia-gpu-operator -o wide --field-selector spec.nodeName=$n; done"}, not: []string{"restarts)", "node gpu-01 ¶"}},
		{name: "of one node the pod and its restarts are told", snapshot: fleet(1, on("all", gpus(0, 0)), crash("gpu-01", "11")), want: plugin.Critical,
			says: []string{"(11 restarts)", "logs nvidia-driver-daemonset-gpu-01"}},
		{name: "the device plugin of several nodes", snapshot: fleet(2, on("all", gpus(4, 3))), want: plugin.Warning,
			says: []string{"2 nodes", "for n in gpu-01 gpu-02; do kubectl -n nvidia-gpu-operator delete pod -l app=nvidia-device-plugin-daemonset --field-selector spec.nodeName=$n; done"}},
		{name: "a new try of an upgrade evicts", snapshot: fleet(1, on("all", label("nvidia.com/gpu-driver-upgrade-state", upgradeFailed))), want: plugin.Warning,
			says: []string{"begin it anew, which evicts the nodes' GPU pods: kubectl label nodes gpu-01"}},
		{name: "a MIG change ends GPU pods", snapshot: fleet(1, on("all", label(labelMIGState, "failed"), label(labelMIGConfig, "all-1g.5gb"))), want: plugin.Warning,
			says: []string{"delete pod -l app=nvidia-mig-manager", "which ends all pods that use the node's GPUs"}},
		{name: "Karpenter's taint is Karpenter's to remove", snapshot: fleet(1, on("all", taint("karpenter.sh/unregistered:NoExecute", day))), want: plugin.Warning,
			says: []string{"see Karpenter, which removes karpenter.sh/unregistered:NoExecute"}, not: []string{"kubectl taint"}},
		{name: "the cloud's beside a person's", snapshot: fleet(1, on("all", taint("node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule", day), taint(reserved, day))), want: plugin.Warning,
			says: []string{"kubectl taint nodes gpu-01 ai4dd-a100-reserved:NoSchedule-, see the cloud controller manager"}, not: []string{"uninitialized:NoSchedule-"}},
		{name: "a role's taint is to stay", snapshot: fleet(1, on("all", taint("node-role.kubernetes.io/gpu:NoSchedule", day))), want: plugin.Warning,
			says: []string{"¶ tolerate node-role.kubernetes.io/gpu:NoSchedule in ClusterPolicy gpu-cluster-policy (it marks nodes on purpose: leave it there)"}, not: []string{"kubectl taint"}},
		{name: "so is the cloud's, of a spot node", snapshot: fleet(1, on("all", taint("kubernetes.azure.com/scalesetpriority=spot:NoSchedule", day), gpus(0, 0)), gone("gpu-01")), want: plugin.Critical,
			says: []string{"tolerate kubernetes.azure.com/scalesetpriority=spot:NoSchedule in"}, not: []string{"kubectl taint"}},
		{name: "and GKE's", snapshot: fleet(1, on("all", taint("cloud.google.com/gke-spot=true:NoSchedule", day))), want: plugin.Warning, says: []string{"tolerate cloud.google.com/gke-spot=true:NoSchedule in"}, not: []string{"kubectl taint"}},
		{name: "and the vendor's own, whoever sets it", snapshot: fleet(1, daemonSet("", tolerates()), on("all", taint("nvidia.com/gpu=present:NoSchedule", day), func(n *Node) { n.Annotations[annotationNFDTaints] = "nvidia.com/gpu=present:NoSchedule" })), want: plugin.Warning,
			says: []string{"tolerate nvidia.com/gpu=present:NoSchedule in ClusterPolicy"}, not: []string{"kubectl taint", "out of the NodeFeatureRule"}},
		{name: "a taint of most GPU nodes is the pool's", snapshot: fleet(4, on("gpu-01 gpu-02 gpu-03", taint("dedicated=ml:NoSchedule", day))), want: plugin.Warning, says: []string{"tolerate dedicated=ml:NoSchedule in ClusterPolicy"}, not: []string{"kubectl taint"}},
		{name: "a taint of half of them may be an oversight", snapshot: fleet(6, on("gpu-01 gpu-02 gpu-03", taint("dedicated=ml:NoSchedule", day))), want: plugin.Warning, says: []string{"kubectl taint nodes gpu-01 gpu-02 gpu-03 dedicated:NoSchedule-"}},
		{name: "a taint to stay beside a person's", snapshot: fleet(1, on("all", taint("node-role.kubernetes.io/gpu:NoSchedule", day), taint(reserved, day))), want: plugin.Warning,
			says: []string{"¶ kubectl taint nodes gpu-01 ai4dd-a100-reserved:NoSchedule-, tolerate node-role.kubernetes.io/gpu:NoSchedule in ClusterPolicy"}, not: []string{"gpu:NoSchedule-"}},
		{name: "Cluster API's", snapshot: fleet(1, on("all", taint("node.cluster.x-k8s.io/uninitialized:NoSchedule", day))), want: plugin.Warning, says: []string{"see the Cluster API's controllers, which remove node.cluster.x-k8s.io/uninitialized:NoSchedule"}, not: []string{"kubectl taint"}},
		{name: "a storage driver's", snapshot: fleet(1, on("all", taint("ebs.csi.aws.com/agent-not-ready:NoExecute", day))), want: plugin.Warning, says: []string{"see the storage driver's pod on the node, which removes ebs.csi.aws.com/agent-not-ready:NoExecute"}, not: []string{"kubectl taint"}},
		{name: "out-of-service is set by hand", snapshot: fleet(1, on("all", taint("node.kubernetes.io/out-of-service:NoExecute", day))), want: plugin.OK, says: []string{"set aside for maintenance"}},
	})
}

// Of a DaemonSet that was inferred the namespace is not known, and none is made up.
func TestJudgeRemedyOfInferred(t *testing.T) {
	table(t, []row{{name: "with nodes and policies alone", snapshot: fleet(1, on("all", gpus(0, 0)), unread(Policy{Owner: Owner{"ClusterPolicy", "p"}})), want: plugin.Critical,
		says: []string{"kubectl get pods -A -o wide --field-selector spec.nodeName=gpu-01"}, not: []string{"-n gpu-operator"}}})
}

func TestDeletePods(t *testing.T) {
	driver := DaemonSet{Namespace: "n", Name: "nvidia-driver-daemonset", Role: roleDriver, PodLabels: map[string]string{"app": "d"}}
	if got, want := deletePods(&driver, []string{"a"}), "kubectl -n n delete pod -l app=d --field-selector spec.nodeName=a (this evicts all pods that use the node's GPUs)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	inferred := DaemonSet{Name: "gpu-feature-discovery", Role: roleLabels, Inferred: "inferred from the ClusterPolicy"}
	if got, want := deletePods(&inferred, []string{"a", "b"}), "delete the pod of gpu-feature-discovery on a b"; got != want {
		t.Errorf("a command without a namespace or selector: got %q, want %q", got, want)
	}
}

// updateWaits is a node on which a machine-config update has waited for 5 days.
func updateWaits(n *Node) {
	n.Annotations[mcoDesired] = "rendered-worker-b"
	n.Written[mcoDesired] = before(5 * day)
}

// Whatever is to be done on a node on which a machine-config update waits, check_mcp comes first.
func TestJudgeRemediesMindTheMachineConfig(t *testing.T) {
	first := func(words string) []string {
		return []string{"¶ a machine-config update waits on this node", "¶ first run check_mcp, and only then: " + words, "rendered-worker-a, wanted rendered-worker-b"}
	}
	table(t, []row{
		{name: "a driver upgrade failed", snapshot: fleet(1, on("all", updateWaits, label("nvidia.com/gpu-driver-upgrade-state", upgradeFailed))), want: plugin.Warning, says: first("see the driver's pod, then begin it anew")},
		{name: "a MIG change failed", snapshot: fleet(1, on("all", updateWaits, label(labelMIGState, "failed"), label(labelMIGConfig, "all-1g.5gb"))), want: plugin.Warning, says: first("see the log of the MIG manager")},
		{name: "labels are missing", snapshot: fleet(1, on("all", updateWaits, discoveryGone, label(deployDiscovery, ""))), want: plugin.Warning, says: first("kubectl label nodes gpu-01")},
		{name: "a driver crashes while GPUs are offered", snapshot: fleet(1, on("all", updateWaits), ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr", 2*day)), want: plugin.Warning, says: first("kubectl -n nvidia-gpu-operator logs")},
		{name: "a maintenance was forgotten", snapshot: fleet(1, on("all", updateWaits, taint("medik8s.io/drain:NoSchedule", 9*day))), want: plugin.Warning, says: first("ask the program that put it there")},
		{name: "a second taint beside a maintenance's", snapshot: fleet(1, on("all", updateWaits, gpus(0, 0), taint("medik8s.io/drain:NoSchedule", day), taint(reserved, day)), gone("gpu-01")), want: plugin.Warning, says: first("kubectl taint nodes gpu-01 ai4dd-a100-reserved:NoSchedule-")},
		{name: "a maintenance that goes on needs nothing", snapshot: fleet(1, on("all", updateWaits, taint("medik8s.io/drain:NoSchedule", day))), want: plugin.OK, not: []string{"check_mcp"}},
	})
}

// A remedy is told of what is really there.
func TestJudgeRemediesFit(t *testing.T) {
	gaudi := fleet(1, on("all", taint("dedicated=ml:NoSchedule", 3*day), unlabel("nvidia.com/"), func(n *Node) { n.Resources = []Resource{{"habana.ai/gaudi", 8, 8}} }), func(s *Snapshot) {
		s.DaemonSets = []DaemonSet{{Namespace: namespace, Name: "habana-ai-device-plugin-daemonset", Role: rolePlugin, Owner: Owner{"ClusterPolicy", "habana"}}}
		s.Pods = []Pod{{Namespace: namespace, DaemonSet: "habana-ai-device-plugin-daemonset", Name: "x", Node: "gpu-01", Ready: true, Created: before(day)}}
	})
	deviceConfig := amd(gpus(0, 0), alsoOffers("amd.com/gpu", 8, 8), taint("dedicated=ml:NoSchedule", 3*day))
	deviceConfig.DaemonSets[0].Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	for _, name := range []string{"gpu-driver-metrics-exporter", "gpu-driver-device-config-manager"} {
		deviceConfig.DaemonSets = append(deviceConfig.DaemonSets, DaemonSet{Namespace: namespace, Name: name, Role: roleOf(name)})
	}
	drained := dra(Slice{Name: "s", Node: "gpu-01", Pool: "gpu-01", Generation: 1, Count: 1, Devices: devices(4)})
	taint("medik8s.io/drain:NoSchedule", minutes(5))(&drained.Nodes[0])
	going := dra(Slice{Name: "s", Node: "gpu-01", Pool: "gpu-01", Generation: 1, Count: 1, Devices: devices(4)})
	taint("karpenter.sh/disrupted:NoSchedule", 9*day)(&going.Nodes[0])
	table(t, []row{
		{name: "Gaudi's ClusterPolicy is not NVIDIA's", snapshot: gaudi, params: vendor("gaudi"), want: plugin.Warning, says: []string{"or tolerate it in ClusterPolicy habana"}, not: []string{"spec.daemonsets", "nvidia.com/gpu"}},
		{name: "a paused label goes back to what it was", snapshot: fleet(1, on("all", gpus(0, 0), paused("paused-for-driver-upgrade", 5*day), label(deployPrefix+"dcgm-exporter", "custom_paused-for-driver-upgrade"))), want: plugin.Critical,
			says: []string{"nvidia.com/gpu.deploy.device-plugin=true", "nvidia.com/gpu.deploy.dcgm-exporter=custom "}, not: []string{"dcgm-exporter=true"}},
		{name: "AMD's exporter of a DeviceConfig that is named gpu-driver is no driver", snapshot: deviceConfig, params: vendor("amd"), want: plugin.Warning, says: []string{"pods of gpu-driver-metrics-exporter and gpu-driver-device-config-manager kept away"}, not: []string{"for good"}},
		{name: "a DRA node in maintenance has its devices", snapshot: drained, want: plugin.OK, says: []string{"set aside for maintenance, 4 of 4 gpu.nvidia.com devices"}, not: []string{"no nvidia.com/gpu"}},
		{name: "and one that is being removed", snapshot: going, want: plugin.Warning, says: []string{"still there, 4 of 4 gpu.nvidia.com devices"}},
		{name: "of many nodes the command names some, and says that there are more", snapshot: fleet(8, on("all", gpus(0, 0))), want: plugin.Critical,
			says: []string{"for n in gpu-01 gpu-02 gpu-03 gpu-04 gpu-05; do kubectl", "; the same for 3 more (below)"}, not: []string{"…"}},
		{name: "of five all", snapshot: fleet(5, on("all", gpus(0, 0))), want: plugin.Critical, says: []string{"for n in gpu-01 gpu-02 gpu-03 gpu-04 gpu-05; do kubectl"}, not: []string{"the same for"}},
	})
}

// A key that no API server would take, for what a shell does with it.
func TestJudgeRemediesAreCopied(t *testing.T) {
	const evil = "a;$(reboot)"
	table(t, []row{
		{name: "a taint's key", snapshot: fleet(1, on("all", taint(evil+":NoSchedule", day))), want: plugin.Warning, says: []string{"¶ take off by hand " + evil + ":NoSchedule, which no command can name"}, not: []string{"kubectl taint"}},
		{name: "a taint's effect", snapshot: fleet(1, on("all", taint("a:NoExecute;reboot", day), taint("b:NoSchedule", day))), want: plugin.Warning, says: []string{"kubectl taint nodes gpu-01 b:NoSchedule-,"}, not: []string{"a:NoExecute;reboot-"}},
		{name: "a deploy label's key", snapshot: fleet(1, on("all", gpus(0, 0)), daemonSet("nvidia-device-plugin", func(d *DaemonSet) { d.NodeSelector = map[string]string{deployPrefix + evil: "true"} })), want: plugin.Critical, not: []string{"kubectl label"}},
		{name: "a paused label's key and value", snapshot: fleet(1, on("all", gpus(0, 0), paused("paused-for-driver-upgrade", 5*day), label(deployPrefix+evil, "paused-for-x"), label(deployPrefix+"b", "$(x)_paused-for-x"))), want: plugin.Critical,
			says: []string{"kubectl label nodes gpu-01 --overwrite nvidia.com/gpu.deploy.device-plugin=true"}, not: []string{evil + "=true", "b=$(x)"}},
		{name: "a DaemonSet's selector", snapshot: fleet(1, on("all", gpus(4, 3)), daemonSet("nvidia-device-plugin", func(d *DaemonSet) { d.PodLabels = map[string]string{"app": evil} })), want: plugin.Warning,
			says: []string{"delete the pod of nvidia-device-plugin-daemonset on gpu-01"}, not: []string{"kubectl"}},
	})
}
