package gpu

import (
	"testing"

	"overdue/internal/plugin"
)

// Taints that come and go by themselves, and those of nodes that are about to go.
func TestJudgePassingTaints(t *testing.T) {
	const cilium = "node.cilium.io/agent-not-ready:NoSchedule"
	table(t, []row{
		{name: "a spot instance ends in two minutes (AWS node termination handler)", snapshot: fleet(2, on("gpu-02", taint("aws-node-termination-handler/spot-itn=1:NoSchedule", minutes(1)))), want: plugin.OK, says: []string{"1 GPU node, 4 of 4"}, not: []string{"kubectl taint"}},
		{name: "or is to be replaced", snapshot: fleet(2, on("gpu-02", taint("aws-node-termination-handler/rebalance-recommendation=1:NoSchedule", minutes(1)))), want: plugin.OK, says: []string{"1 GPU node, 4 of 4"}},
		{name: "and is still there", snapshot: fleet(2, on("gpu-02", taint("aws-node-termination-handler/spot-itn=1:NoSchedule", 9*day))), want: plugin.Warning, says: []string{"is being removed and still there", "taint aws-node-termination-handler/spot-itn=1:NoSchedule"}},
		{name: "Karpenter before 1.0", snapshot: fleet(2, on("gpu-02", taint("karpenter.sh/disruption=disrupting:NoSchedule", minutes(1)))), want: plugin.OK, says: []string{"1 GPU node, 4 of 4"}},
		{name: "Cilium's agents are renewed on all nodes", snapshot: fleet(3, on("all", taint(cilium, minutes(1)))), want: plugin.OK, says: []string{"12 of 12"}},
		{name: "a node restarts: the program that takes the taint off is not up yet", snapshot: fleet(2, on("gpu-02", taint("readiness.k8s.io/network:NoSchedule", minutes(2)), added(minutes(2)))), want: plugin.OK},
		{name: "its agent does not come back", snapshot: fleet(3, on("gpu-02", taint(cilium, 2*day))), want: plugin.Warning, says: []string{"but not for long", "see Cilium's agent on the node"}},
		{name: "since nobody knows when", snapshot: fleet(3, on("gpu-02", taint(cilium, day), ageless)), want: plugin.Warning, says: []string{"see Cilium's agent on the node"}},
		{name: "a person's taint does not pass", snapshot: fleet(3, on("gpu-02", taint(reserved, minutes(1)))), want: plugin.Warning, says: []string{"but not for long"}},
		{name: "a person's beside it is told alone", snapshot: fleet(3, on("gpu-02", taint(cilium, minutes(1)), taint(reserved, minutes(1)))), want: plugin.Warning, says: []string{"¶ taint " + reserved + ", there for at least 1m"}, not: []string{"cilium"}},
		{name: "without GPUs it is the cause", snapshot: fleet(3, on("gpu-02", gpus(0, 0), taint(cilium, minutes(1))), gone("gpu-02")), want: plugin.Critical, says: []string{"taint " + cilium}},
	})
}
