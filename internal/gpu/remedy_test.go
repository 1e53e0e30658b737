package gpu

import (
	"testing"

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
