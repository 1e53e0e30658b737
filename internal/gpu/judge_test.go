package gpu

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

type row struct {
	name     string // with the report or incident it comes from
	snapshot Snapshot
	params   func(*Params)
	limits   func(*Limits)
	want     plugin.State
	says     []string
	not      []string
}

func (r row) check(t *testing.T) {
	t.Helper()
	l, p := limits(), Params{}
	if r.limits != nil {
		r.limits(&l)
	}
	if r.params != nil {
		r.params(&p)
	}
	if p.Driver == "" { // else another vendor has filled it, and has no label where it has none
		p = p.filled(vendors["nvidia"])
	}
	v := Judge(r.snapshot, p, l, noon)
	judgetest.Want{State: r.want, Says: r.says, Not: r.not}.Check(t, v.Findings, v.Summary)
}

func table(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, r.check)
	}
}

const reserved = "ai4dd-a100-reserved=true:NoSchedule"

// The published incident and what surrounds it.
func TestJudgeIncident(t *testing.T) {
	lost := []func(*Snapshot){on("gpu-02", taint(reserved, 21*day), gpus(0, 0), discoveryGone), gone("gpu-02")}
	policy := Policy{Owner: Owner{"ClusterPolicy", "gpu-cluster-policy"}, Tolerations: []corev1.Toleration{equal("nvidia.com/gpu.product", product)}}
	table(t, []row{
		{name: "all is well", snapshot: fleet(3), want: plugin.OK, says: []string{"3 GPU nodes, 12 of 12 nvidia.com/gpu allocatable"}},
		{name: "incident 1, the first three weeks: the taint is there, the pods still run", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day))), want: plugin.Warning,
			says: []string{"WARNING ¶ node gpu-02 ¶ 4 of 4 nvidia.com/gpu allocatable, but not for long", "taint " + reserved + ", there for at least 21d", "is not tolerated by 7 GPU DaemonSets: their pods still run, but will not come back",
				"the next driver upgrade, rollout or eviction takes these GPUs away for good", "kubectl taint nodes gpu-02 ai4dd-a100-reserved:NoSchedule-"}, not: []string{"missing", "check_mcp"}},
		{name: "incident 1: some of the pods have gone", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day)), gone("gpu-02", "nvidia-mig-manager")), want: plugin.Warning,
			says: []string{"6 of their pods still run and will not come back, 1 is gone already"}, not: []string{"has no pod"}},
		{name: "incident 1: the GPUs are gone", snapshot: fleet(3, lost...), want: plugin.Critical,
			says: []string{"CRITICAL ¶ node gpu-02 ¶ 0 of 4 nvidia.com/gpu offered, labels nvidia.com/gpu.product and nvidia.com/gpu.count missing", "taint " + reserved + ", there for at least 21d",
				"is not tolerated by 7 GPU DaemonSets", "billing", "kubectl taint nodes gpu-02 ai4dd-a100-reserved:NoSchedule-, or tolerate it in ClusterPolicy gpu-cluster-policy"},
			not: []string{"check_mcp", "gpu-01 ¶"}},
		{name: "incident 1: and a machine-config update is pending, which the removal of the taint set off", snapshot: fleet(3, append(lost, on("gpu-02", func(n *Node) { n.Annotations[mcoDesired] = "rendered-worker-b" }))...), want: plugin.Critical,
			says: []string{"0 of 4 nvidia.com/gpu offered", "taint " + reserved + ", there for at least 21d", "¶ a machine-config update waits on this node: once it goes on, as a change here may let it, the Machine Config Operator drains and reboots the node; nobody can use",
				"¶ first run check_mcp, and only then: kubectl taint nodes gpu-02", "rendered-worker-a, wanted rendered-worker-b"}, not: []string{"making the node ready"}},
		{name: "incident 1: two such nodes are told as one", snapshot: fleet(2, on("all", taint(reserved, 21*day), gpus(0, 0), func(n *Node) { n.Annotations[mcoDesired] = "rendered-worker-b" }), gone("gpu-01"), gone("gpu-02")), want: plugin.Critical,
			says: []string{"2 nodes: gpu-01 and gpu-02 ¶", "waits on each of these nodes", "first run check_mcp, and only then: kubectl taint nodes gpu-01 gpu-02"}},
		{name: "incident 1 earlier: the taint is there, the pods still run, and the update is pending since 20 days", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day), written(mcoDesired, 20*day), func(n *Node) { n.Annotations[mcoDesired] = "rendered-worker-b" })), want: plugin.Warning,
			says: []string{"but not for long", "a machine-config update waits on this node", "first run check_mcp, and only then: kubectl taint nodes gpu-02", "so since 2026-11-12 12:00 UTC at the latest"}},
		{name: "incident 1 earlier, and the update is just begun: what the taint will cost is told within the grace too", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day), written(mcoDesired, minutes(5)), func(n *Node) { n.Annotations[mcoDesired] = "rendered-worker-b" })), want: plugin.Warning,
			says: []string{"but not for long", "first run check_mcp"}},
		{name: "a new node's taints may be those of its start", snapshot: fleet(3, on("gpu-02", taint("node.cilium.io/agent-not-ready:NoSchedule", minutes(5)), func(n *Node) { n.Created, n.ReadySince = before(minutes(6)), before(minutes(5)) })), want: plugin.OK},
		{name: "incident 1: the node waits for its turn in the pool", snapshot: fleet(3, append(lost, on("gpu-02", taint("UpdateInProgress:PreferNoSchedule", 21*day)))...), want: plugin.Critical,
			says: []string{"a machine-config update waits on this node", "first run check_mcp"}, not: []string{"taint UpdateInProgress"}},
		{name: "incident 1: cordoned as well", snapshot: fleet(3, append(lost, on("gpu-02", cordonedFor(20*day)))...), want: plugin.Critical, says: []string{"0 of 4", "kubectl taint nodes"}},
		{name: "incident 1 with a role that lists nodes and nvidia.com only (the site's own)", snapshot: fleet(3, append(lost, unread(policy))...), want: plugin.Critical,
			says: []string{"0 of 4 nvidia.com/gpu offered", "is not tolerated by 7 GPU DaemonSets (inferred from the ClusterPolicy)", "kubectl taint nodes gpu-02"}},
		{name: "the early finding with that role", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day)), unread(policy)), want: plugin.Warning,
			says: []string{"inferred from the ClusterPolicy", "whether their pods still run is not known"}},
		{name: "a taint that the ClusterPolicy tolerates, with that role", snapshot: fleet(3, on("gpu-02", taint("nvidia.com/gpu.product="+product+":NoSchedule", 21*day)), unread(policy)), want: plugin.OK},
		{name: "without tolerations of its own the operator's built-in one counts", snapshot: fleet(1, on("all", taint("nvidia.com/gpu=present:NoSchedule", day)), unread(Policy{Owner: policy.Owner})), want: plugin.OK},
		{name: "and in a NVIDIADriver always", snapshot: fleet(1, on("all", taint("nvidia.com/gpu=present:NoSchedule", day)), unread(Policy{Owner: policy.Owner, UsesDrivers: true}, Policy{Owner: Owner{"NVIDIADriver", "default"}, Tolerations: []corev1.Toleration{exists("x", "")}})), want: plugin.OK},
		{name: "the driver's tolerations are in a NVIDIADriver, which may not be read", snapshot: fleet(1, unread(Policy{Owner: policy.Owner, UsesDrivers: true})), want: plugin.OK, says: []string{"taints not judged for the driver, as no NVIDIADriver could be read"}},
		{name: "an operand that the ClusterPolicy disables is not counted", snapshot: fleet(3, append(lost, unread(Policy{Owner: policy.Owner, Disabled: map[string]bool{"mig-manager": true}}))...), want: plugin.Critical,
			says: []string{"is not tolerated by 6 GPU DaemonSets"}},
		{name: "incident 1 with the right to list nodes alone", snapshot: fleet(3, append(lost, unread())...), want: plugin.Critical,
			says: []string{"0 of 4 nvidia.com/gpu offered", "perhaps taint " + reserved}, not: []string{"kubectl taint"}},
		{name: "a taint alone is no finding where nothing is known of tolerations", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day)), unread()), want: plugin.OK,
			says: []string{"12 of 12 nvidia.com/gpu allocatable; taints not judged, as the GPU DaemonSets could not be read"}},
		{name: "seven nodes with the same cause are one line", snapshot: fleet(16, on("gpu-01 gpu-02 gpu-03 gpu-04 gpu-05 gpu-06 gpu-07", taint(reserved, 21*day), gpus(0, 0)), gone("gpu-01"), gone("gpu-02"), gone("gpu-03"), gone("gpu-04"), gone("gpu-05"), gone("gpu-06"), gone("gpu-07")), want: plugin.Critical,
			says: []string{"CRITICAL ¶ 7 nodes: gpu-01, gpu-02, gpu-03 and 4 more ¶ 0 of 4", "kubectl taint nodes gpu-01 gpu-02 gpu-03 gpu-04 gpu-05 ai4dd", "; the same for 2 more (below)"}, not: []string{"node gpu-01 ¶"}},
		{name: "the same taint of another age is the same cause, told for the oldest", snapshot: fleet(2, on("gpu-01", taint(reserved, 3*day)), on("gpu-02", taint(reserved, 21*day))), want: plugin.Warning,
			says: []string{"2 nodes: gpu-01 and gpu-02 ¶", "there for at least 21d", "nodes: gpu-01 for 3d, gpu-02 for 21d"}, not: []string{"at least 3d"}},
		{name: "another taint is another cause", snapshot: fleet(2, on("gpu-01", taint("a:NoSchedule", 3*day)), on("gpu-02", taint(reserved, 3*day))), want: plugin.Warning,
			says: []string{"node gpu-01 ¶", "node gpu-02 ¶"}},
		{name: "a deliberately dark node", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day))), limits: ignore("ai4dd-a100-reserved"), want: plugin.OK},
		{name: "and without GPUs", snapshot: fleet(3, lost...), limits: ignore("ai4dd-a100-reserved=true:NoSchedule"), want: plugin.OK, says: []string{"0 of 4 nvidia.com/gpu offered, on purpose"}},
		{name: "an ignored taint does not hide a GPU that is lost for another reason", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day), gpus(4, 3))), limits: ignore("ai4dd-a100-reserved"), want: plugin.Warning,
			says: []string{"3 of 4 nvidia.com/gpu allocatable, 1 unhealthy", "marked 1 unhealthy"}, not: []string{"on purpose"}},
		{name: "nor pods that run past it and crash", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day), gpus(0, 0)), ill("gpu-02", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr", day)), limits: ignore("ai4dd-a100-reserved"), want: plugin.Critical,
			says: []string{"CrashLoopBackOff in nvidia-driver-ctr"}, not: []string{"on purpose"}},
		{name: "with pods unknown a taint is not blamed for a part of the GPUs", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day), gpus(4, 3)), func(s *Snapshot) { s.Pods, s.PodsRead = nil, map[string]bool{} }), want: plugin.Warning,
			says: []string{"3 of 4 nvidia.com/gpu allocatable, 1 unhealthy", "whether its pod does is not known"}, not: []string{"nobody can use these GPUs"}},
		{name: "another value than the one that is ignored", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day))), limits: ignore("ai4dd-a100-reserved=false"), want: plugin.Warning},
		{name: "another effect than the one that is ignored", snapshot: fleet(3, on("gpu-02", taint(reserved, 21*day))), limits: ignore("ai4dd-a100-reserved:NoExecute"), want: plugin.Warning},
		{name: "PreferNoSchedule keeps nothing away", snapshot: fleet(1, on("all", taint("a:PreferNoSchedule", day))), want: plugin.OK},
		{name: "a cordon is tolerated by every DaemonSet", snapshot: fleet(1, on("all", taint("node.kubernetes.io/unschedulable:NoSchedule", day), cordonedFor(day))), want: plugin.OK,
			says: []string{"4 of 4 nvidia.com/gpu allocatable but not schedulable"}, not: []string{"tolerated"}},
		{name: "all taints are told, not the first", snapshot: fleet(1, on("all", taint("a=1:NoSchedule", day), taint("b=2:NoExecute", day))), want: plugin.Warning,
			says: []string{"taints a=1:NoSchedule and b=2:NoExecute", "kubectl taint nodes gpu-01 a:NoSchedule- b:NoExecute-"}},
		{name: "the exact age of a taint that carries its own time", snapshot: fleet(1, on("all", func(n *Node) {
			n.Taints = []corev1.Taint{{Key: "a", Effect: corev1.TaintEffectNoSchedule, TimeAdded: &noonMinus3d}}
		})), want: plugin.Warning, says: []string{"taint a:NoSchedule, there for 3d (since 2026-11-29 12:00 UTC)"}, not: []string{"at least"}},
		{name: "of taints of several ages the youngest counts: before it, not all were there", snapshot: fleet(1, on("all", taint("a:NoSchedule", 21*day), added(3*day), taint("b:NoSchedule", 21*day))), want: plugin.Warning,
			says: []string{"taints a:NoSchedule and b:NoSchedule, there for 3d (since 2026-11-29 12:00 UTC), are"}, not: []string{"21d"}},
		{name: "the list is younger than the one that has its own time", snapshot: fleet(1, on("all", taint("a:NoSchedule", day), added(21*day), taint("b:NoSchedule", day))), want: plugin.Warning, says: []string{"there for at least 1d"}, not: []string{"21d"}},
		{name: "of one of them nothing is known", snapshot: fleet(1, on("all", taint("a:NoSchedule", day), added(21*day), taint("b:NoSchedule", day), ageless)), want: plugin.Warning, says: []string{"taints a:NoSchedule and b:NoSchedule are not tolerated"}, not: []string{"21d"}},
		{name: "NFD sets the taint: to remove it by hand does not last", snapshot: fleet(1, on("all", taint("model=a100:NoSchedule", day), func(n *Node) { n.Annotations[annotationNFDTaints] = "model=a100:NoSchedule" })), want: plugin.Warning,
			says: []string{"take model=a100:NoSchedule out of the NodeFeatureRule"}, not: []string{"kubectl taint"}},
	})
}

func ignore(text string) func(*Limits) {
	return func(l *Limits) {
		p, err := parseTaint(text)
		if err != nil {
			panic(err)
		}
		l.IgnoreTaints = append(l.IgnoreTaints, p)
	}
}

// Tolerations that were meant for the taint and do not help.
func TestJudgeTolerationMistakes(t *testing.T) {
	on2 := on("all", taint(reserved, day))
	table(t, []row{
		{name: "Equal without a value", snapshot: fleet(1, on2, daemonSet("", tolerates(equal("ai4dd-a100-reserved", "")))), want: plugin.Warning,
			says: []string{`has operator Equal and no value, the taint's is "true": operator Exists is meant`}},
		{name: "another value", snapshot: fleet(1, on2, daemonSet("", tolerates(equal("ai4dd-a100-reserved", "yes")))), want: plugin.Warning, says: []string{`is for value "yes", the taint's is "true"`}},
		{name: "another effect", snapshot: fleet(1, on2, daemonSet("", tolerates(exists("ai4dd-a100-reserved", corev1.TaintEffectNoExecute)))), want: plugin.Warning,
			says: []string{"is for effect NoExecute only, the taint's is NoSchedule"}},
		{name: "any effect is right", snapshot: fleet(1, on2, daemonSet("", tolerates(exists("ai4dd-a100-reserved", "")))), want: plugin.OK},
		{name: "in the ClusterPolicy but not in the NVIDIADriver", snapshot: fleet(1, on2, daemonSet("", tolerates(exists("ai4dd-a100-reserved", ""))),
			daemonSet("nvidia-driver", func(d *DaemonSet) { d.Owner, d.Tolerations = Owner{"NVIDIADriver", "default"}, builtIn })), want: plugin.Warning,
			says: []string{"is not tolerated by DaemonSet nvidia-driver-daemonset", "is tolerated in ClusterPolicy gpu-cluster-policy spec.daemonsets.tolerations, but not in NVIDIADriver default spec.tolerations", "which is added to the operator's own list"}},
		{name: "the ClusterPolicy's list replaces the built-in one", snapshot: fleet(1, on("all", taint("nvidia.com/gpu=present:NoSchedule", day)), daemonSet("", tolerates(exists("other", "")))), want: plugin.Warning,
			says: []string{"taint nvidia.com/gpu=present:NoSchedule", "which replaces the operator's own list: repeat nvidia.com/gpu there"}},
		{name: "in the host's network a DaemonSet tolerates network-unavailable", snapshot: fleet(1, on("all", taint("node.kubernetes.io/network-unavailable:NoSchedule", day)), daemonSet("", func(d *DaemonSet) { d.HostNetwork = true })), want: plugin.OK},
		{name: "else it does not", snapshot: fleet(1, on("all", taint("node.kubernetes.io/network-unavailable:NoSchedule", day))), want: plugin.Warning,
			says: []string{"see the network plugin's pod on the node, which removes node.kubernetes.io/network-unavailable:NoSchedule"}, not: []string{"kubectl taint"}},
	})
}

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }
