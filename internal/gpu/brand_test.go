package gpu

import (
	"fmt"
	"strings"
	"testing"
)

// NVIDIA's network operator offers devices and tolerates nvidia.com/gpu, but it brings no GPU (Mellanox/network-operator,
// manifests/state-rdma-shared-device-plugin and state-sriov-device-plugin).
func TestCheckPassesOverTheNetworkOperator(t *testing.T) {
	const nics = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: rdma-shared-dp-ds, namespace: nvidia-network-operator, ownerReferences: [{apiVersion: mellanox.com/v1alpha1, kind: NicClusterPolicy, name: nic-cluster-policy, uid: u, controller: true}]}
spec: {selector: {matchLabels: {a: b}}, template: {spec: {nodeSelector: {feature.node.kubernetes.io/pci-15b3.present: "true"}, tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}], volumes: [{name: v, hostPath: {path: /var/lib/kubelet/device-plugins}}],
  containers: [{name: rdma-shared-dp, image: "nvcr.io/nvidia/mellanox/k8s-rdma-shared-dev-plugin:v1"}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: sriov-device-plugin, namespace: nvidia-network-operator, ownerReferences: [{apiVersion: mellanox.com/v1alpha1, kind: NicClusterPolicy, name: nic-cluster-policy, uid: u, controller: true}]}
spec: {selector: {matchLabels: {a: b}}, template: {spec: {nodeSelector: {nvidia.com/gpu.present: "true"}, tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}], volumes: [{name: v, hostPath: {path: /var/lib/kubelet/device-plugins}}], containers: [{name: c}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: rdma-by-hand, namespace: kube-system}
spec: {selector: {matchLabels: {a: b}}, template: {spec: {tolerations: [{key: nvidia.com/gpu, operator: Exists}], volumes: [{name: v, hostPath: {path: /var/lib/kubelet/device-plugins}}], containers: [{name: c, image: "nvcr.io/nvidia/mellanox/k8s-rdma-shared-dev-plugin:v1"}]}}}
`
	out, code := run(t, serve(t, incident(t), nics), "-v")
	if code != 2 || !strings.Contains(firstLine(out), "by 9 GPU DaemonSets;") || strings.Contains(out, "rdma") || strings.Contains(out, "sriov") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// The plain manifests of other vendors' device plugins have neither selector nor the vendor's toleration.
func TestCheckFindsPlainDevicePlugins(t *testing.T) {
	const node = `
apiVersion: v1
kind: Node
metadata: {name: g, labels: {feature.node.kubernetes.io/amd-gpu: "true", intel.feature.node.kubernetes.io/gpu: "true"}}
spec: {taints: [{key: dedicated, value: ml, effect: NoSchedule}]}
status: {capacity: {amd.com/gpu: 8, gpu.intel.com/i915: 8}, allocatable: {amd.com/gpu: 8, gpu.intel.com/i915: 8}, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-01T00:00:00Z"}]}
`
	plugin := func(name, image, controller string) string {
		return `
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ` + name + `, namespace: kube-system, ownerReferences: [` + controller + `]}
spec: {selector: {matchLabels: {name: d}}, template: {spec: {tolerations: [{key: CriticalAddonsOnly, operator: Exists}], volumes: [{name: dp, hostPath: {path: /var/lib/kubelet/device-plugins}}], containers: [{name: c, image: "` + image + `"}]}}}
`
	}
	const operator = `{apiVersion: deviceplugin.intel.com/v1, kind: GpuDevicePlugin, name: gpu, uid: u, controller: true}`
	for _, r := range []struct {
		name, vendor, daemonSet string
		code                    int
		says                    string
	}{
		{"ROCm's k8s-ds-amdgpu-dp.yaml", "amd", plugin("amdgpu-device-plugin-daemonset", "rocm/k8s-device-plugin", ""), 1, "is not tolerated by DaemonSet amdgpu-device-plugin-daemonset"},
		{"by its image", "amd", plugin("dp", "docker.io/rocm/k8s-device-plugin:1.31", ""), 1, "is not tolerated by DaemonSet dp"},
		{"Intel's", "intel", plugin("intel-gpu-plugin", "intel/intel-gpu-plugin:0.36", ""), 1, "is not tolerated by DaemonSet intel-gpu-plugin"},
		{"Intel's, of its operator", "intel", plugin("intel-gpu-plugin-gpu", "intel/intel-gpu-plugin:0.36", operator), 1, "is not tolerated by DaemonSet intel-gpu-plugin-gpu"},
		{"Intel's for other devices", "intel", plugin("intel-qat-plugin", "intel/intel-qat-plugin:0.36", operator), 0, "taints not judged: no device plugin DaemonSet was found"},
		{"another vendor's", "amd", plugin("nvidia-gpu-device-plugin", "nvcr.io/nvidia/k8s-device-plugin", ""), 0, "taints not judged: no device plugin DaemonSet was found"},
		{"none at all", "amd", "", 0, "8 of 8 amd.com/gpu allocatable; taints not judged: no device plugin DaemonSet was found"},
	} {
		out, code := run(t, serve(t, node+r.daemonSet), "--vendor", r.vendor, "--require-label", "none")
		if code != r.code || !strings.Contains(firstLine(out), r.says) {
			t.Errorf("%s: exit %d, want %d with %q: %s", r.name, code, r.code, r.says, out)
		}
	}
}

// kube-system is where a cloud's device plugin is, and much that has nothing to do with GPUs: --namespace says where to look, not that
// everything there brings GPUs.
func TestCheckPassesOverOthersInANamespace(t *testing.T) {
	daemonSet := func(name, image, more string) string {
		return `
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ` + name + `, namespace: kube-system}
spec: {selector: {matchLabels: {name: ` + name + `}}, template: {spec: {` + more + `containers: [{name: c, image: "` + image + `"}]}}}
`
	}
	const (
		node = `
apiVersion: v1
kind: Node
metadata: {name: g, labels: {cloud.google.com/gke-accelerator: nvidia-tesla-a100}}
spec: {taints: [{key: dedicated, value: ml, effect: NoSchedule}]}
status: {capacity: {nvidia.com/gpu: 8}, allocatable: {nvidia.com/gpu: 8}, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-11-01T00:00:00Z"}]}
`
		kubelet    = `volumes: [{name: v, hostPath: {path: /var/lib/kubelet/device-plugins}}], `
		storage    = `volumes: [{name: v, hostPath: {path: /var/lib/kubelet/pods}}], `
		onGPUNodes = `nodeSelector: {cloud.google.com/gke-accelerator: nvidia-tesla-a100}, `
		tolerates  = `tolerations: [{operator: Exists}], `
	)
	others := daemonSet("csi-driver-node", "registry.example.org/csi-driver", "") + daemonSet("gpu-csi-driver", "registry.example.org/csi-driver", storage+onGPUNodes) +
		daemonSet("rdma-shared-device-plugin", "mellanox/k8s-rdma-shared-dev-plugin", kubelet) + daemonSet("device-plugin-daemonset", "public.example.org/xilinx_dcg/k8s-device-plugin", kubelet) +
		daemonSet("kube-proxy", "kube-proxy", "") + daemonSet("node-driver-installer", "house/driver-installer", "")
	plugin := daemonSet("nvidia-gpu-device-plugin", "gke/nvidia-gpu-device-plugin", kubelet+tolerates)
	for _, r := range []struct {
		name, daemonSets, args string
		code                   int
		says                   string
	}{
		{"a plugin that tolerates all, beside others", plugin + others, "--namespace kube-system", 0, "8 of 8 nvidia.com/gpu allocatable"},
		{"the same, found", plugin + others, "", 0, "8 of 8 nvidia.com/gpu allocatable"},
		{"others alone", others, "--namespace kube-system", 0, "taints not judged: no device plugin DaemonSet was found; no GPU DaemonSet in kube-system, is --namespace right?"},
		{"an installer of drivers by its vendor, which no label selects", plugin + others + daemonSet("nvidia-driver-installer", "gke/nvidia-driver-installer", ""), "--namespace kube-system", 1, "is not tolerated by DaemonSet nvidia-driver-installer"},
		{"an installer of drivers by the nodes that it selects", plugin + others + daemonSet("driver-installer", "house/driver-installer", onGPUNodes), "--namespace kube-system", 1, "is not tolerated by DaemonSet driver-installer"},
	} {
		out, code := run(t, serve(t, node+r.daemonSets), append(strings.Fields(r.args), "--no-pods", "--require-label", "none")...)
		if code != r.code || !strings.Contains(firstLine(out), r.says) || strings.Contains(out, "csi") || strings.Contains(out, "rdma") || strings.Contains(out, "kube-proxy") || strings.Contains(out, "node-driver") {
			t.Errorf("%s: exit %d, want %d with %q: %s", r.name, code, r.code, r.says, out)
		}
	}
}

// Other devices' plugins run on GPU nodes, and select them, but bring no GPU.
func TestCheckPassesOverOtherDevicePlugins(t *testing.T) {
	daemonSet := func(name, image, more string) string {
		return `
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ` + name + `, namespace: kube-system, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {selector: {matchLabels: {name: ` + name + `}}, template: {spec: {volumes: [{name: v, hostPath: {path: /var/lib/kubelet/device-plugins}}], ` + more + `, containers: [{name: c, image: "` + image + `"}]}}}
`
	}
	crashing := func(name string) string {
		return `
---
apiVersion: v1
kind: Pod
metadata: {name: ` + name + `-x, namespace: kube-system, labels: {name: ` + name + `}, creationTimestamp: "2026-01-01T00:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: ` + name + `, uid: u, controller: true}]}
spec: {nodeName: g, containers: [{name: c}]}
status: {phase: Running, conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-01-01T00:00:00Z"}], containerStatuses: [{name: c, ready: false, restartCount: 9, state: {waiting: {reason: CrashLoopBackOff}}}]}
`
	}
	node := func(taint string, gpus int) string {
		return fmt.Sprintf(`
apiVersion: v1
kind: Node
metadata: {name: g, creationTimestamp: "2026-01-01T00:00:00Z", labels: {nvidia.com/gpu.present: "true", nvidia.com/gpu.deploy.device-plugin: "true", node.kubernetes.io/instance-type: p5.48xlarge, topology.kubernetes.io/zone: z, gpu: "on"}}
spec: {taints: [%s]}
status: {capacity: {nvidia.com/gpu: %d}, allocatable: {nvidia.com/gpu: %d}, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}
`, taint, gpus, gpus)
	}
	labelled := func(node string) string {
		return strings.Replace(node, `gpu: "on"`, `node.kubernetes.io/gpu: "on"`, 1)
	}
	const (
		own      = "{key: nvidia.com/gpu, value: present, effect: NoSchedule}"
		selected = `nodeSelector: {nvidia.com/gpu.present: "true"}`
		byType   = `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: node.kubernetes.io/instance-type, operator: In, values: [p5.48xlarge]}]}]}}}`
		rdma     = "rdma-shared-dp-ds"
	)
	plugin := daemonSet("nvidia-device-plugin-daemonset", "nvidia/k8s-device-plugin", "tolerations: [{key: nvidia.com/gpu, operator: Exists}], nodeSelector: {nvidia.com/gpu.deploy.device-plugin: \"true\"}")
	mellanox := daemonSet(rdma, "mellanox/k8s-rdma-shared-dev-plugin", selected)
	elsewhere := daemonSet("nvidia-device-plugin-daemonset", "registry.rdma-cluster.example.com/sriov/nvidia/k8s-device-plugin:v0.17", selected)
	installer := daemonSet("driver-installer", "house/driver-installer", `nodeSelector: {node.kubernetes.io/gpu: "on"}`)
	hami := daemonSet("hami-device-plugin", "projecthami/hami:v2.7.0", `nodeSelector: {gpu: "on"}`)
	for _, r := range []struct {
		name, objects, args string
		code                int
		says                string
	}{
		{"RDMA's crashes", node("", 8) + plugin + mellanox + crashing(rdma), "", 1, "nvidia-device-plugin-daemonset should run there and has no pod; next"},
		{"RDMA's does not tolerate the GPUs' taint", node(own, 8) + plugin + mellanox, "--no-pods", 0, "8 of 8"},
		{"RDMA's is all that is left", node("", 0) + mellanox, "--no-pods", 2, "no device plugin DaemonSet exists"},
		{"EFA's, and GPU nodes told by their instance type", node(own, 8) + plugin + daemonSet("aws-efa-k8s-device-plugin-daemonset", "eks/aws-efa-k8s-device-plugin:v0.5", byType), "--no-pods --selector node.kubernetes.io/instance-type=p5.48xlarge", 0, "8 of 8"},
		{"anybody's, by the instance type", node(own, 8) + plugin + daemonSet("smarter-device-manager", "smarter/device-manager", byType), "--no-pods --selector node.kubernetes.io/instance-type=p5.48xlarge", 0, "8 of 8"},
		{"anybody's, by the zone", node(own, 8) + plugin + daemonSet("smarter-device-manager", "smarter/device-manager", `nodeSelector: {topology.kubernetes.io/zone: z}`), "--no-pods --selector topology.kubernetes.io/zone=z", 0, "8 of 8"},
		{"a site's own label in a domain of Kubernetes'", labelled(node(own, 8)) + plugin + installer, "--no-pods --selector node.kubernetes.io/gpu=on", 1, "is not tolerated by DaemonSet driver-installer"},
		{"NVIDIA's, from a registry with a network's name", node("", 0) + elsewhere, "--no-pods", 2, "nvidia-device-plugin-daemonset should run there"},
		{"the same, kept away", node(own, 8) + elsewhere, "--no-pods", 1, "is not tolerated by DaemonSet nvidia-device-plugin-daemonset"},
		{"by a label that means GPUs", node(own, 8) + daemonSet("house-dp", "house/dp", `nodeSelector: {gpu: "on"}`), "--no-pods --selector gpu=on", 1, "is not tolerated by DaemonSet house-dp"},
		{"HAMi's is one of GPUs, by a label of its own", node(own, 80) + hami, "--no-pods", 1, "is not tolerated by DaemonSet hami-device-plugin"},
		{"HAMi's tolerates the taint", node("", 80) + hami, "--no-pods", 0, "80 of 80 nvidia.com/gpu allocatable\n"},
	} {
		out, code := run(t, serve(t, r.objects), append(strings.Fields(r.args), "--require-label", "none")...)
		if code != r.code || !strings.Contains(firstLine(out)+"\n", r.says) || strings.Contains(out, rdma) {
			t.Errorf("%s: exit %d, want %d with %q: %s", r.name, code, r.code, r.says, out)
		}
	}
}
