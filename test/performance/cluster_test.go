//go:build performance

package performance

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"overdue/test/realkube"
)

const (
	present = "nvidia.com/gpu.present=true"
	oldName = "rendered-worker-4f1c0a9e2d7b8365c1e0fa92d4b7e611" // the config that wrk-98 still has
)

// cluster measures check_mcp and check_gpu_node on a real API server that grows, and at last gets pods.
func cluster(t *testing.T) {
	s := realkube.Start(t)
	s.LoadScenario(t, "a")
	for i := 90; i <= 99; i++ { // the GPU nodes of the incident, but the one that waits: others come
		if i != 98 {
			s.Delete(t, fmt.Sprintf("/api/v1/nodes/wrk-%d", i))
		}
	}
	s.Patch(t, "/api/v1/nodes/wrk-98", `metadata: {labels: {nvidia.com/gpu.present: null, nvidia.com/gpu.product: null, nvidia.com/gpu.count: null, feature.node.kubernetes.io/pci-10de.present: null}}`)
	s.PatchStatus(t, "/api/v1/nodes/wrk-98", "{status: {capacity: {nvidia.com/gpu: null}, allocatable: {nvidia.com/gpu: null}}}")
	gpuNode, err := os.ReadFile("../../internal/gpu/testdata/01-healthy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server := endpoint{s.URL, s.CAFile, s.TokenFile(t, realkube.Full)}
	const base = 38 // nodes that are left of the incident
	for _, n := range *sizes {
		gpus := max(9, n/10)
		s.FillGPUs(t, gpus, string(gpuNode), "gpu-a01")
		if n > base+gpus {
			s.FillNodes(t, n-base-gpus)
		}
		s.PatchStatus(t, "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker", fmt.Sprintf(
			"status: {machineCount: %d, readyMachineCount: %d, updatedMachineCount: %[2]d}", n-3, n-4))
		pools(t, server, n)
		outdated(t, server, n)
		gpuNodes(t, server, n, gpus, "check_gpu_node", "")
		if n < 5000 {
			continue
		}
		for _, count := range *pods {
			began := time.Now()
			s.FillPods(t, count)
			t.Logf("%d pods filled in after %v", count, time.Since(began).Round(time.Second))
			change(t, server, count)
		}
		if len(*pods) > 0 {
			gpuNodes(t, server, n, gpus, "check_gpu_node, beside "+thousands(slices.Max(*pods))+" pods", "check_gpu_node: 5,000 nodes")
		}
	}
}

// kubePlugin leaves time for a busy machine.
func kubePlugin(name string, e endpoint, more ...string) []string {
	return append([]string{plugin(name), "--server", e.url, "--ca-file", e.authority, "--token-file", e.token, "-t", "300"}, more...)
}

func pools(t *testing.T, server endpoint, n int) {
	const group = "machineconfiguration.openshift.io"
	contest{name: "check_mcp, every pool clean", size: n, unit: "nodes", healthy: true, others: []contender{
		kubectl(t, "", 0, get{"machineconfigpools", `.items[] | select(.metadata.name == "master" and any(.status.conditions[]; .type == "Updated" and .status != "True")) | .metadata.name`}),
		python(`[p["metadata"]["name"] for p in get("/apis/`+group+`/v1/machineconfigpools")["items"] if p["metadata"]["name"] == "master" and any(c["type"] == "Updated" and c["status"] != "True" for c in p["status"]["conditions"])]`, "[]", 0),
	}}.hold(t, contender{name: "check_mcp", want: "up to date", command: func(e endpoint) []string {
		return kubePlugin("check_mcp", e, "--pool", "master")
	}}, server)
}

func outdated(t *testing.T, server endpoint, n int) {
	contest{name: "check_mcp, one pool not clean", size: n, unit: "nodes", others: []contender{
		kubectl(t, "wrk-98", 3, get{"nodes", `.items[].metadata | select(.annotations["machineconfiguration.openshift.io/currentConfig"] == "` + oldName + `") | .name`}),
		python(`[n["metadata"]["name"] for n in get("/api/v1/nodes")["items"] if n["metadata"]["annotations"].get("machineconfiguration.openshift.io/currentConfig") == "`+oldName+`"]`, "wrk-98", 2),
	}}.hold(t, contender{name: "check_mcp", want: "wrk-98", command: func(e endpoint) []string { return kubePlugin("check_mcp", e) }}, server)
}

// gpuNodes gives the others a selector and a namespace, as a user who knows the operator would.
func gpuNodes(t *testing.T, server endpoint, n, gpus int, name, like string) {
	contest{name: name, size: n, unit: "nodes", like: like, healthy: true, others: []contender{
		kubectl(t, "0\n0", 2,
			get{"nodes -l " + present, `[.items[].status | select(.allocatable["nvidia.com/gpu"] != .capacity["nvidia.com/gpu"])] | length`},
			get{"pods -n nvidia-gpu-operator", `[.items[].status | select(.phase != "Succeeded" and any(.conditions[]; .type == "Ready" and .status != "True"))] | length`}),
		python(`sum(n["status"]["allocatable"].get("nvidia.com/gpu") != n["status"]["capacity"].get("nvidia.com/gpu") for n in get("/api/v1/nodes?labelSelector=nvidia.com%2Fgpu.present%3Dtrue")["items"]),`+
			`sum(any(c["type"] == "Ready" and c["status"] != "True" for c in p["status"]["conditions"]) for p in get("/api/v1/namespaces/nvidia-gpu-operator/pods")["items"] if p["status"]["phase"] != "Succeeded")`, "0 0", 2),
	}}.hold(t, contender{name: "check_gpu_node", want: fmt.Sprintf("%d GPU nodes", gpus), command: func(e endpoint) []string {
		return kubePlugin("check_gpu_node", e)
	}}, server)
}

// change is the question before a node is touched, for which only its pods are read.
func change(t *testing.T, server endpoint, n int) {
	const node = "node-00042"
	contest{name: "check_mcp --before-change NODE", size: n, unit: "pods", like: "check_mcp, one pool not clean: 5,000 nodes", others: []contender{
		kubectl(t, "30", 1+22*n/150_000, get{"pods -A", `[.items[] | select(.spec.nodeName == "` + node + `")] | length`}),
		python(`sum(p["spec"].get("nodeName") == "`+node+`" for p in get("/api/v1/pods")["items"])`, "30", 1+15*n/150_000), // 7, and what the API server takes to answer in one piece
	}}.hold(t, contender{name: "check_mcp --before-change " + node, want: node, command: func(e endpoint) []string {
		return kubePlugin("check_mcp", e, "--before-change", node)
	}}, server)
}
