package gpu

import (
	"testing"

	"overdue/internal/plugin"
)

// publishing is a fleet whose nodes publish so many devices each by ResourceSlices, all of one instance type.
func publishing(counts ...int) Snapshot {
	s := fleet(len(counts), on("all", noResource, unlabel("nvidia.com/gpu"), label(labelPresent, "true"), label(deployDRA, "true")))
	s.DaemonSets, s.Pods, s.SlicesRead = dra().DaemonSets, nil, true
	for i, count := range counts {
		name := s.Nodes[i].Name
		list := devices(count)
		for k := range list {
			list[k].Product = "NVIDIA H100"
		}
		s.Slices = append(s.Slices, Slice{Name: name, Node: name, Pool: name, Generation: 1, Count: 1, Devices: list})
		s.Pods = append(s.Pods, Pod{Namespace: namespace, DaemonSet: s.DaemonSets[0].Name, Name: "p-" + name, Node: name, Ready: true, Created: before(day), Since: before(day)})
	}
	return s
}

func also(s Snapshot, changes ...func(*Snapshot)) Snapshot {
	for _, change := range changes {
		change(&s)
	}
	return s
}

// device changes all devices that a node publishes.
func device(node string, change func(*Device)) func(*Snapshot) {
	return func(s *Snapshot) {
		for _, slice := range s.Slices {
			if slice.Node == node {
				for i := range slice.Devices {
					change(&slice.Devices[i])
				}
			}
		}
	}
}

// A GPU that was lost before the DRA driver started is published nowhere: only another word than the driver's finds it.
func TestJudgePeersOfDRA(t *testing.T) {
	const lost = "node gpu-03 ¶ 7 of 8 gpu.nvidia.com devices usable"
	table(t, []row{
		{name: "its peers publish 8", snapshot: publishing(8, 8, 7, 8), want: plugin.Warning,
			says: []string{lost, "has published fewer devices than there should be: a GPU may be lost", "expected: most nodes of node.kubernetes.io/instance-type=bm-a100-4 with NVIDIA H100 offer 8"}, not: []string{"gpu-01 ¶"}},
		{name: "one peer alone tells nothing", snapshot: publishing(8, 7), want: plugin.OK},
		{name: "more than the peers is no fault", snapshot: publishing(8, 8, 9), want: plugin.OK},
		{name: "another product", snapshot: also(publishing(8, 8, 7), device("gpu-03", func(d *Device) { d.Product = "NVIDIA L4" })), want: plugin.OK},
		{name: "an unknown one", snapshot: also(publishing(8, 8, 7), device("gpu-03", func(d *Device) { d.Product = "" })), want: plugin.OK},
		{name: "instance types that tell nothing", snapshot: also(publishing(8, 8, 7), on("all", label(labelInstance, "k3s"))), want: plugin.OK},
		{name: "divided", snapshot: also(publishing(8, 8, 7), device("gpu-03", func(d *Device) { d.Type = "mig" })), want: plugin.OK},
		{name: "AMD's, divided", snapshot: also(publishing(8, 8, 7), device("gpu-03", func(d *Device) { d.Type = "amdgpu-partition" })), want: plugin.OK},
		{name: "AMD's whole ones", snapshot: also(publishing(8, 8, 7), device("gpu-01", func(d *Device) { d.Type = "amdgpu" }), device("gpu-02", func(d *Device) { d.Type = "amdgpu" }), device("gpu-03", func(d *Device) { d.Type = "amdgpu" })), want: plugin.Warning, says: []string{lost}},
		{name: "a pool that is not complete is no peer", snapshot: also(publishing(8, 8, 7), func(s *Snapshot) { s.Slices[0].Count = 2 }, on("gpu-01", cordonedFor(minutes(5)))), want: plugin.Critical, says: []string{"node gpu-01"}, not: []string{"gpu-03"}},
		{name: "the user's number goes before the peers'", snapshot: publishing(8, 8, 7), limits: func(l *Limits) { l.Expect = 7 }, want: plugin.OK},
		{name: "NVSentinel's label", snapshot: also(publishing(7), on("all", label(labelExpected, "8"))), want: plugin.Warning, says: []string{"7 of 8 gpu.nvidia.com devices usable", "expected: label nvsentinel.dgxc.nvidia.com/gpu.count.expected=8"}},
		{name: "it counts no MIG devices", snapshot: also(publishing(7), on("all", label(labelExpected, "8")), device("gpu-01", func(d *Device) { d.Type = "mig" })), want: plugin.OK},
	})
}

// amdPod is the pod of AMD's device plugin on the node.
func amdPod(node string) func(*Snapshot) {
	return func(s *Snapshot) {
		s.Pods = append(s.Pods, Pod{Namespace: namespace, DaemonSet: "cr-device-plugin", Name: "p", Node: node, Ready: true, Created: before(day), Since: before(day)})
	}
}

// Other vendors' product labels make peers as NVIDIA's does.
func TestJudgePeersOfOtherVendors(t *testing.T) {
	amds := func(changes ...func(*Snapshot)) Snapshot {
		s := fleet(4, on("all", unlabel("nvidia.com/"), label("amd.com/gpu.product-name", "MI300X"), func(n *Node) { n.Resources = []Resource{{"amd.com/gpu", 8, 8}} }), on("gpu-04", func(n *Node) { n.Resources[0] = Resource{"amd.com/gpu", 7, 7} }))
		s.DaemonSets, s.Pods = nil, nil
		return also(s, changes...)
	}
	intels := func(changes ...func(*Snapshot)) Snapshot {
		s := fleet(3)
		for i := range s.Nodes {
			count := []string{"4", "4", "3"}[i]
			name := s.Nodes[i].Name
			s.Nodes[i] = intel(count, Resource{"gpu.intel.com/i915", number(count), number(count)}).Nodes[0]
			s.Nodes[i].Name = name
		}
		s.DaemonSets, s.Pods = nil, nil
		return also(s, changes...)
	}
	shares := func(offered ...int64) func(*Snapshot) {
		return func(s *Snapshot) {
			for i, n := range offered {
				s.Nodes[i].Resources[0].Capacity, s.Nodes[i].Resources[0].Allocatable = n, n
			}
		}
	}
	table(t, []row{
		{name: "AMD, with a plugin", snapshot: amds(func(s *Snapshot) { s.DaemonSets = amd().DaemonSets }, amdPod("gpu-01"), amdPod("gpu-02"), amdPod("gpu-03"), amdPod("gpu-04")), params: vendor("amd"), want: plugin.Warning, says: []string{"a GPU may be lost", "look for the GPU in the node's kernel log, then restart the device plugin"}, not: []string{"nvidia-smi"}},
		{name: "AMD", snapshot: amds(), params: vendor("amd"), want: plugin.Warning, says: []string{"node gpu-04 ¶ 7 of 8 amd.com/gpu allocatable", "expected: most nodes of node.kubernetes.io/instance-type=bm-a100-4 with MI300X offer 8"}},
		{name: "AMD, without a required label", snapshot: amds(), params: func(p *Params) { p.RequireLabels = []string{none}; *p = p.filled(vendors["amd"]) }, want: plugin.Warning, says: []string{"7 of 8 amd.com/gpu allocatable"}},
		{name: "AMD, another product", snapshot: amds(on("gpu-04", label("amd.com/gpu.product-name", "MI210"))), params: vendor("amd"), want: plugin.OK},
		{name: "AMD, divided in another way", snapshot: amds(on("gpu-04", label(labelPartition, "cpx_nps4"), label(labelProfileAMD, "cpx"))), params: vendor("amd"), want: plugin.OK},
		{name: "Intel", snapshot: intels(), params: vendor("intel"), want: plugin.Warning, says: []string{"node gpu-03 ¶ 3 of 4 gpu.intel.com/i915 allocatable", "with Max_1550 offer 4"}},
		{name: "Intel, one that shares its GPUs with fewer pods than the others", snapshot: intels(shares(8, 8, 3)), params: vendor("intel"), want: plugin.OK},
		{name: "Intel, a GPU lost where all share alike", snapshot: intels(shares(40, 40, 30)), params: vendor("intel"), want: plugin.Warning, says: []string{"node gpu-03 ¶ 30 of 40 gpu.intel.com/i915 allocatable"}},
		{name: "Intel, none offered where others share", snapshot: intels(shares(40, 40, 0)), params: vendor("intel"), want: plugin.Critical, says: []string{"node gpu-03 ¶ 0 of 3 gpu.intel.com/i915 offered"}},
		{name: "Intel, another product", snapshot: intels(on("gpu-03", label("gpu.intel.com/product", "Flex_170"))), params: vendor("intel"), want: plugin.OK},
	})
}

// A node that nothing recognises any more is dropped only if nothing else speaks for its GPUs, and is named then.
func TestJudgeUnrecognisedWithoutAKey(t *testing.T) {
	lost := on("gpu-02", noResource, discoveryGone, unlabel(deployPrefix, "feature."), label(labelPresent, "false"), written(labelPresent, day), func(n *Node) { n.Recognised = false })
	kind := func(nodes, value string) func(*Snapshot) { return on(nodes, label(labelInstance, value)) }
	withoutSlice := func(s *Snapshot) { s.Slices = s.Slices[:1] }
	const says = "node gpu-02 ¶ no longer recognised as a GPU node (nvidia.com/gpu.present=false), "
	left := []string{"; 1 node has only a label left: gpu-02"}
	table(t, []row{
		{name: "its plugin never registered; others of its instance type offer GPUs", snapshot: also(fleet(3, lost), gone("gpu-02")), want: plugin.Critical, says: []string{says + "no nvidia.com/gpu resource at all, 4 expected", "if its GPUs were taken out: kubectl label nodes gpu-02 nvidia.com/gpu.present-"}},
		{name: "others are divided in several ways, which tells no number", snapshot: also(fleet(3, lost, on("gpu-03", label(labelProduct, product+"-SHARED"), label("nvidia.com/gpu.replicas", "4"), gpus(16, 16))), gone("gpu-02")), want: plugin.Critical, says: []string{says}},
		{name: "NVIDIA/gpu-operator#580 with DRA, which never has a key: others of its instance type publish devices", snapshot: also(publishing(8, 8), lost, withoutSlice), want: plugin.Critical, says: []string{says + "no nvidia.com/gpu resource at all"}},
		{name: "with DRA, and no other of its instance type is well", snapshot: also(publishing(8, 8, 0), lost, func(s *Snapshot) { s.Slices = nil }), want: plugin.Critical, says: []string{says}},
		{name: "its devices are still published", snapshot: also(publishing(8, 8), lost, kind("gpu-02", "")), want: plugin.Critical, says: []string{says + "8 of 8 gpu.nvidia.com devices allocatable"}},
		{name: "no other has its instance type", snapshot: also(fleet(2, lost, kind("gpu-02", "bm-cpu")), gone("gpu-02")), want: plugin.OK, says: append(left, "1 GPU node, 4 of 4")},
		{name: "instance types that tell nothing", snapshot: also(fleet(2, lost, kind("all", "k3s")), gone("gpu-02")), want: plugin.OK, says: left},
		{name: "nor do they where feature discovery still counts its GPUs", snapshot: also(fleet(2, lost, kind("all", "k3s"), on("gpu-02", label("nvidia.com/gpu.count", "4"))), gone("gpu-02")), want: plugin.Critical, says: []string{says + "no nvidia.com/gpu resource at all, 4 expected"}},
		{name: "nor where a DaemonSet is still meant for it", snapshot: also(fleet(2, lost, kind("all", "k3s"), on("gpu-02", label(deployDriver, "true"))), gone("gpu-02")), want: plugin.Critical, says: []string{says}},
		{name: "which none is that somebody has switched off", snapshot: also(fleet(2, lost, kind("all", "k3s"), on("gpu-02", label(deployOperands, "false"))), gone("gpu-02")), want: plugin.OK, says: left},
		{name: "DRA without instance types: nothing tells the node from those with GPUs", snapshot: also(publishing(8, 8), lost, withoutSlice, on("all", unlabel(labelInstance))), want: plugin.Critical, says: []string{says}},
		{name: "another instance type beside DRA", snapshot: also(publishing(8, 8), lost, withoutSlice, kind("gpu-02", "bm-cpu")), want: plugin.OK, says: left},
		{name: "beside a fault, which hides what is told where all is well", snapshot: also(fleet(2, lost, kind("gpu-02", "bm-cpu"), on("gpu-01", gpus(4, 3))), gone("gpu-02")), want: plugin.Warning, says: []string{"OK ¶ node gpu-02 ¶ only a label is left, so it is not judged"}},
		{name: "several of them", snapshot: fleet(3, lost, on("gpu-03", noResource, discoveryGone, unlabel(deployPrefix, "feature."), label(labelPresent, "false"), func(n *Node) { n.Recognised = false }), kind("gpu-02 gpu-03", "")), want: plugin.OK, says: []string{"; 2 nodes have only a label left: gpu-02 and gpu-03"}},
	})
}

// The label switches the operator's operands off, and nobody else's.
func TestJudgeOperandsOff(t *testing.T) {
	own := func(s *Snapshot) {
		s.DaemonSets = append(s.DaemonSets, DaemonSet{Namespace: "kube-system", Name: "nvidia-device-plugin-own", Role: rolePlugin, NodeSelector: map[string]string{"own": "true"}, Tolerations: builtIn})
		s.PodsRead["kube-system"] = true
		s.Pods = append(s.Pods, Pod{Namespace: "kube-system", DaemonSet: "nvidia-device-plugin-own", Name: "own-x", Node: "gpu-02", Created: before(day), Since: before(day), Trouble: "CrashLoopBackOff in plugin (200 restarts)", Crashing: true})
	}
	off := on("gpu-02", unlabel(deployPrefix), label(deployOperands, "false"), gpus(4, 0))
	gpuLost := device("gpu-01", func(d *Device) {
		d.Taints = []DeviceTaint{{Text: "gpu.nvidia.com/gpu-lost=:NoExecute", Evicts: true}}
	})
	table(t, []row{
		{name: "the site's own device plugin selects the node and crashes", snapshot: fleet(2, off, on("gpu-02", label("own", "true")), gone("gpu-02"), own), want: plugin.Critical, says: []string{"node gpu-02 ¶ 0 of 4 nvidia.com/gpu offered", "¶ nvidia-device-plugin-own: CrashLoopBackOff"}, not: []string{"on purpose"}},
		{name: "it does not select this one", snapshot: fleet(2, off, gone("gpu-02"), own), want: plugin.OK, says: []string{"without GPU operands on purpose"}},
		{name: "DaemonSets unread, and something is registered", snapshot: fleet(2, off, unread()), want: plugin.Critical, says: []string{"node gpu-02 ¶ 0 of 4 nvidia.com/gpu offered"}},
		{name: "DaemonSets unread, and nothing is", snapshot: fleet(2, off, on("gpu-02", gpus(0, 0)), unread()), want: plugin.OK, says: []string{"without GPU operands on purpose"}},
		{name: "DRA: all devices are lost", snapshot: also(publishing(4), gpuLost, on("all", label(deployOperands, "false"))), want: plugin.Critical, says: []string{"0 of 4 gpu.nvidia.com devices usable", "gpu-lost"}, not: []string{"on purpose"}},
		{name: "DRA by a driver of the site's own", snapshot: also(publishing(4), gpuLost, on("all", unlabel(deployPrefix), label(deployOperands, "false")), daemonSet("", func(d *DaemonSet) { d.NodeSelector = nil })), want: plugin.Critical, says: []string{"0 of 4 gpu.nvidia.com devices usable"}},
	})
}
