package gpu

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// controlled are taints that a program sets again as soon as a person takes them off, by the beginning of the key, with what
// ends them (Kubernetes: reference/labels-annotations-taints; the cluster autoscaler's and Karpenter's documents).
var controlled = []struct{ prefix, end string }{
	{corev1.TaintNodeUnschedulable, "uncordon the node (kubectl uncordon)"},
	{corev1.TaintNodeNotReady, "make the node Ready, which removes"},
	{corev1.TaintNodeUnreachable, "bring the node's kubelet back, which removes"},
	{corev1.TaintNodeDiskPressure, "free space on the node's disk, which removes"},
	{corev1.TaintNodeMemoryPressure, "free memory on the node, which removes"},
	{corev1.TaintNodePIDPressure, "end processes on the node, which removes"},
	{corev1.TaintNodeNetworkUnavailable, "see the network plugin's pod on the node, which removes"},
	{"node.cloudprovider.kubernetes.io/", "see the cloud controller manager, which removes"},
	{"node.cilium.io/", "see Cilium's agent on the node, which removes"},
	{"karpenter.sh/", "see Karpenter, which removes"},
	{"ToBeDeletedByClusterAutoscaler", "see the cluster autoscaler, which removes"},
	{"DeletionCandidateOfClusterAutoscaler", "see the cluster autoscaler, which removes"},
	{"startup-taint.cluster-autoscaler.kubernetes.io/", "see the program that prepares new nodes, which removes"},
	{"ignore-taint.cluster-autoscaler.kubernetes.io/", "see the program that prepares new nodes, which removes"},
	{"node.cluster.x-k8s.io/", "see the Cluster API's controllers, which remove"},
	{"cni.istio.io/", "see Istio's CNI pod on the node, which removes"},
	{"readiness.k8s.io/", "see the node readiness controller, which removes"},
}

// agentNotReady ends the keys of taints that a storage driver (CSI) takes off once it runs: ebs.csi.aws.com/agent-not-ready.
const agentNotReady = "/agent-not-ready"

// ends says what takes off a taint that a controller sets; empty: a person may.
func ends(t corev1.Taint) string {
	for _, c := range controlled {
		switch {
		case !strings.HasPrefix(t.Key, c.prefix):
		case t.Key == corev1.TaintNodeUnschedulable:
			return c.end
		default:
			return c.end + " " + t.ToString()
		}
	}
	if strings.HasSuffix(t.Key, agentNotReady) {
		return "see the storage driver's pod on the node, which removes " + t.ToString()
	}
	return ""
}

// passes says whether a taint takes itself off: a program that does so has set it, within the grace as far as anything tells.
func (j *judgement) passes(v *view, t corev1.Taint) bool {
	since := v.TaintsWritten
	if t.TimeAdded != nil {
		since = t.TimeAdded.Time
	}
	return ends(t) != "" && j.young(since)
}
