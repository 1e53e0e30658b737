package gpu

import (
	"testing"

	"overdue/internal/plugin"
)

// A GPU that was lost before the plugin started: label, capacity and allocatable all count it no more.
func TestJudgePeers(t *testing.T) {
	eight := on("all", gpus(8, 8), label("nvidia.com/gpu.count", "8"))
	lost := on("gpu-02", gpus(7, 7), label("nvidia.com/gpu.count", "7"))
	undivided := on("all", label(labelMIGMode, "single"), label(labelMIGConfig, "all-disabled"))
	table(t, []row{
		{name: "its peers offer 8", snapshot: fleet(3, eight, lost), want: plugin.Warning,
			says: []string{"node gpu-02 ¶ 7 of 8 nvidia.com/gpu allocatable", "registered fewer than there should be: a GPU may be lost", "expected: most nodes of node.kubernetes.io/instance-type=bm-a100-4 with NVIDIA-A100-SXM4-40GB offer 8"}, not: []string{"gpu-01 ¶"}},
		{name: "one peer alone tells nothing", snapshot: fleet(2, eight, lost), want: plugin.OK},
		{name: "nor do as many that have 7", snapshot: fleet(4, eight, lost, on("gpu-03", gpus(7, 7), label("nvidia.com/gpu.count", "7"))), want: plugin.OK},
		{name: "more than the peers is no fault", snapshot: fleet(3, on("gpu-02", gpus(8, 8), label("nvidia.com/gpu.count", "8"))), want: plugin.OK},
		{name: "another product", snapshot: fleet(3, eight, lost, on("gpu-02", label(labelProduct, "NVIDIA-A30"))), want: plugin.OK},
		{name: "another MIG profile", snapshot: fleet(3, eight, on("all", label(labelMIGMode, "single"), label(labelMIGConfig, "all-1g.5gb")), lost, on("gpu-02", label(labelMIGConfig, "all-7g.40gb"))), want: plugin.OK},
		{name: "MIG of an unknown profile", snapshot: fleet(3, eight, on("all", label(labelMIGMode, "single")), lost), want: plugin.OK},
		{name: "other sharing", snapshot: fleet(3, eight, lost, on("gpu-02", label(labelSharing, "none"))), want: plugin.OK},
		{name: "instance types that tell nothing", snapshot: fleet(3, eight, lost, on("all", label(labelInstance, "k3s"))), want: plugin.OK},
		{name: "another device plugin, which offers parts by the same name", snapshot: fleet(4, eight, lost, func(s *Snapshot) {
			s.DaemonSets = append(s.DaemonSets, DaemonSet{Namespace: "hami", Name: "hami-device-plugin", Role: rolePlugin, NodeSelector: map[string]string{"gpu": "on"}, Tolerations: builtIn})
		}, on("gpu-01 gpu-03 gpu-04", label("gpu", "on"), label(deployPlugin, "false"))), want: plugin.OK},
		{name: "the user's number goes before the peers'", snapshot: fleet(3, eight, lost), limits: func(l *Limits) { l.Expect = 7 }, want: plugin.OK},
		{name: "nor does a node count that has fewer on purpose, by NVSentinel's label set by hand", snapshot: fleet(3, eight, lost, on("gpu-02", label(labelExpected, "7"))), want: plugin.OK},
		{name: "NVSentinel's label", snapshot: fleet(1, on("all", label(labelExpected, "8"))), want: plugin.Warning, says: []string{"4 of 8 nvidia.com/gpu allocatable", "expected: label nvsentinel.dgxc.nvidia.com/gpu.count.expected=8"}},
		{name: "it counts whole GPUs, the resource their shares", snapshot: fleet(1, on("all", label(labelExpected, "4"), label("nvidia.com/gpu.replicas", "4"), gpus(16, 16))), want: plugin.OK, says: []string{"16 of 16"}},
		{name: "and no MIG devices", snapshot: fleet(1, on("all", label(labelExpected, "8"), label(labelMIGMode, "single"), label(labelProduct, product+"-MIG-3g.20gb"), gpus(4, 4))), want: plugin.OK},
		{name: "nor does it where a profile is wanted", snapshot: fleet(1, on("all", label(labelExpected, "8"), label(labelMIGMode, "single"), label(labelMIGConfig, "all-3g.20gb"), gpus(4, 4))), want: plugin.OK},
		{name: "it counts under the MIG strategy single while nothing is divided", snapshot: fleet(1, undivided, on("all", label(labelExpected, "8"))), want: plugin.Warning, says: []string{"4 of 8 nvidia.com/gpu allocatable", "expected: label nvsentinel"}},
		{name: "there too a node has fewer on purpose", snapshot: fleet(3, undivided, eight, lost, on("gpu-02", label(labelExpected, "7"))), want: plugin.OK},
		{name: "its peers there, of a model that cannot be divided", snapshot: fleet(3, eight, lost, on("all", label(labelMIGMode, "single"), label(labelMIGCapable, "false"))), want: plugin.Warning, says: []string{"7 of 8 nvidia.com/gpu allocatable"}},
		{name: "a number that is none", snapshot: fleet(1, on("all", label(labelExpected, "many"))), want: plugin.OK},
	})
}

// What the others of an instance type offer says nothing of a node whose GPUs may be divided or shared in another way.
func TestJudgePeersOfOneKind(t *testing.T) {
	lost := on("gpu-02", gpus(0, 0), discoveryGone)
	profile := func(nodes, value string) func(*Snapshot) { return on(nodes, label(labelMIGConfig, value)) }
	mixed := on("gpu-01", label(labelMIGMode, "mixed"), noResource, alsoOffers("nvidia.com/mig-1g.5gb", 28, 28), label("nvidia.com/mig-1g.5gb.count", "28"))
	single := on("gpu-01", label(labelMIGMode, "single"), label(labelProduct, product+"-MIG-1g.5gb"), gpus(28, 28), label("nvidia.com/gpu.count", "28"))
	shared := on("gpu-01", label(labelProduct, product+"-SHARED"), label("nvidia.com/gpu.replicas", "4"), gpus(16, 16))
	unknown := func(name string, s Snapshot) row {
		return row{name: name, snapshot: s, want: plugin.Critical, says: []string{"node gpu-02 ¶ 0 nvidia.com/gpu offered"}, not: []string{" 0 of"}}
	}
	table(t, []row{
		{name: "undivided, all of them", snapshot: fleet(3, lost), want: plugin.Critical, says: []string{"node gpu-02 ¶ 0 of 4 nvidia.com/gpu offered"}},
		{name: "all-disabled is as good as none", snapshot: fleet(2, lost, profile("gpu-01", "all-disabled")), want: plugin.Critical, says: []string{"0 of 4 nvidia.com/gpu offered"}},
		unknown("the peer is divided, mixed", fleet(2, lost, mixed, profile("gpu-01", "all-1g.5gb"))),
		unknown("mixed, and so was the node: no whole GPUs were offered there", fleet(2, lost, mixed, profile("all", "all-1g.5gb"))),
		unknown("by hand, mixed", fleet(2, lost, mixed)),
		unknown("the peer is divided, single", fleet(2, lost, single, profile("gpu-01", "all-1g.5gb"))),
		unknown("by hand, single", fleet(2, lost, single)),
		{name: "single, of the same profile", snapshot: fleet(2, lost, single, profile("all", "all-1g.5gb")), want: plugin.Critical, says: []string{"0 of 28 nvidia.com/gpu offered"}},
		unknown("single, of another profile", fleet(2, lost, single, profile("gpu-01", "all-1g.5gb"), profile("gpu-02", "all-7g.40gb"))),
		unknown("the peer's profile is being changed", fleet(2, lost, profile("all", "all-1g.5gb"), on("gpu-01", label(labelMIGState, "pending")))),
		unknown("the peer's GPUs are shared by a configuration of its own", fleet(2, lost, shared, on("gpu-01", label(labelSharing, "shared-4")))),
		{name: "shared by the same one", snapshot: fleet(2, lost, shared, on("all", label(labelSharing, "shared-4"))), want: plugin.Critical, says: []string{"0 of 16 nvidia.com/gpu offered"}},
		unknown("some peers share, some do not", fleet(3, lost, shared)),
		{name: "of one peer feature discovery says nothing", snapshot: fleet(3, lost, on("gpu-01", discoveryGone)), want: plugin.Critical, says: []string{"node gpu-02 ¶ 0 of 4 nvidia.com/gpu offered"}},
		unknown("the peer's GPUs are for virtual machines", fleet(2, lost, on("gpu-01", label(labelWorkload, "vm-passthrough")))),
		{name: "container is the default", snapshot: fleet(2, lost, on("gpu-01", label(labelWorkload, "container"))), want: plugin.Critical, says: []string{"0 of 4 nvidia.com/gpu offered"}},
		{name: "most are divided by hand, in whatever way: nobody knows what the others should offer", snapshot: fleet(3, on("gpu-01 gpu-03", label("nvidia.com/gpu.count", "0"), noResource, alsoOffers("nvidia.com/mig-1g.5gb", 28, 28))), want: plugin.OK, not: []string{"of 28 nvidia.com/gpu"}},
	})
}

// AMD's partitions: a node of eight boards offers 64 in CPX.
func TestJudgePeersOfAMD(t *testing.T) {
	nodes := func(changes ...func(*Snapshot)) Snapshot {
		s := fleet(2, on("all", unlabel("nvidia.com/"), label(labelInstance, "mi300x-8")), on("gpu-01", func(n *Node) { n.Resources = []Resource{{"amd.com/gpu", 64, 64}} }), on("gpu-02", func(n *Node) { n.Resources = []Resource{{"amd.com/gpu", 0, 0}} }))
		s.DaemonSets, s.Pods = nil, nil
		for _, change := range changes {
			change(&s)
		}
		return s
	}
	const profile, partition = "dcm.amd.com/gpu-config-profile", "amd.com/gpu.compute-memory-partition"
	table(t, []row{
		{name: "nothing tells them apart", snapshot: nodes(), params: vendor("amd"), want: plugin.Critical, says: []string{"0 of 64 amd.com/gpu offered"}},
		{name: "the peer has a profile", snapshot: nodes(on("gpu-01", label(profile, "cpx"))), params: vendor("amd"), want: plugin.Critical, says: []string{"0 amd.com/gpu offered"}},
		{name: "both have", snapshot: nodes(on("all", label(profile, "cpx"))), params: vendor("amd"), want: plugin.Critical, says: []string{"0 of 64 amd.com/gpu offered"}},
		{name: "the peer is divided by hand", snapshot: nodes(on("gpu-01", label(partition, "cpx_nps4"))), params: vendor("amd"), want: plugin.Critical, says: []string{"0 amd.com/gpu offered"}},
		{name: "the peer is undivided", snapshot: nodes(on("gpu-01", label(partition, "spx_nps1"), func(n *Node) { n.Resources[0] = Resource{"amd.com/gpu", 8, 8} })), params: vendor("amd"), want: plugin.Critical, says: []string{"0 of 8 amd.com/gpu offered"}},
		{name: "the peer offers partitions", snapshot: nodes(on("all", label(profile, "cpx")), on("gpu-01", func(n *Node) { n.Resources[0] = Resource{"amd.com/cpx_nps4", 64, 64} })), params: vendor("amd"), want: plugin.Critical, says: []string{"0 amd.com/gpu offered"}},
	})
}
