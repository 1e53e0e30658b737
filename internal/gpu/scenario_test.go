package gpu

import (
	"strings"
	"testing"
)

// The twelve recorded scenarios, each against what its header says that a check must say and must not say.
var scenarios = []struct {
	file, args string
	code       int
	says, not  []string
}{
	{file: "01-healthy.yaml", code: 0, says: []string{"1 GPU node, 4 of 4 nvidia.com/gpu allocatable"}, not: []string{"validator", "not "}},
	{file: "02-incident-taint.yaml", code: 2, says: []string{"node gpu-a02: 0 nvidia.com/gpu offered", "labels nvidia.com/gpu.product and nvidia.com/gpu.count missing",
		"taint lab7-a100-reserved=true:NoSchedule, there for at least 172d (since 2026-06-01 10:00 UTC), is not tolerated by 9 GPU DaemonSets",
		"kubectl taint nodes gpu-a02 lab7-a100-reserved:NoSchedule-", "ClusterPolicy gpu-cluster-policy spec.daemonsets.tolerations",
		"last written by kubectl-taint", "registered once", "GPU nodes with taint lab7-a100-reserved:NoSchedule: 1 of 2"}, not: []string{"taint nvidia.com/gpu.product", "node gpu-a01", "check_mcp"}},
	{file: "03-one-unhealthy-gpu.yaml", code: 1, says: []string{"node gpu-h01: 7 of 8 nvidia.com/gpu allocatable, 1 unhealthy", "restart the device plugin: kubectl -n nvidia-gpu-operator delete pod -l app=nvidia-device-plugin-daemonset --field-selector spec.nodeName=gpu-h01"}},
	{file: "03-one-unhealthy-gpu.yaml", args: "-c 0", code: 2, says: []string{"7 of 8 nvidia.com/gpu"}},
	{file: "03-one-unhealthy-gpu.yaml", args: "-w 1", code: 0, says: []string{"7 of 8 nvidia.com/gpu"}},
	{file: "04-mig-mixed.yaml", code: 0, says: []string{"2 of 2 nvidia.com/gpu, 7 of 7 nvidia.com/mig-1g.5gb, 2 of 2 nvidia.com/mig-3g.20gb"}, not: []string{"2 of 4", "mig-2g.10gb"}},
	{file: "05-time-slicing.yaml", args: "-v", code: 0, says: []string{"gpu-a04: 16 of 16 nvidia.com/gpu allocatable", "gpu-a05: 16 of 16 nvidia.com/gpu.shared allocatable"}, not: []string{"0 nvidia.com/gpu", "gpu.count"}},
	{file: "06-driver-upgrade.yaml", code: 0, says: []string{"node gpu-h02: driver upgrade in progress (state pod-restart-required)", "for at least 8m"}, not: []string{"CRITICAL", "missing:", "gpu-h03"}},
	{file: "06-driver-upgrade.yaml", args: "--now 2026-11-20T13:00:00Z", code: 1, says: []string{"node gpu-h02: 0 nvidia.com/gpu offered", "cordoned", "driver upgrade in progress (state pod-restart-required)", "nvidia-driver-ctr is not ready", "for at least 3h 8m"}, not: []string{"gpu-h03"}},
	{file: "07-cordoned.yaml", args: "--max-cordon off", code: 0, says: []string{"2 nodes: gpu-a06 and gpu-a07: 4 of 4 nvidia.com/gpu allocatable but not schedulable", "gpu-a06 for 2h, gpu-a07 for 45d"}, not: []string{"unschedulable:", "at least"}},
	{file: "07-cordoned.yaml", args: "--max-cordon 7d", code: 1, says: []string{"node gpu-a07: 4 of 4 nvidia.com/gpu allocatable but not schedulable, for 45d ", `[OK] node gpu-a06`}, not: []string{"unschedulable:"}},
	{file: "08-label-missing.yaml", code: 1, says: []string{"node gpu-a08: labels nvidia.com/gpu.product and nvidia.com/gpu.count missing, while 4 of 4 nvidia.com/gpu allocatable",
		`gpu-feature-discovery does not run there because of label nvidia.com/gpu.deploy.gpu-feature-discovery="false"`, "billing"}, not: []string{"0 nvidia.com/gpu"}},
	{file: "08-label-missing.yaml", args: "--require-label none", code: 0, says: []string{"4 of 4"}},
	{file: "09-deploy-label-empty.yaml", code: 2, says: []string{"node gpu-v01: no nvidia.com/gpu resource at all", `nvidia-device-plugin-daemonset is not on the node: label nvidia.com/gpu.deploy.device-plugin="" (wants "true")`, "no device plugin has registered"}, not: []string{"taint"}},
	{file: "10-never-discovered.yaml", args: "--expect-selector node.kubernetes.io/instance-type=bm-a100-4", code: 2, says: []string{"node k8s-gpu-2: expected to have GPUs, but has no nvidia.com/gpu and no GPU label",
		"taint dedicated=research:NoSchedule, there for at least 4d", "keeps the NFD worker (gpu-operator-node-feature-discovery-worker) off", "offer 4"}, not: []string{"node k8s-gpu-1"}},
	{file: "10-never-discovered.yaml", code: 0, says: []string{"1 GPU node, 4 of 4"}, not: []string{"k8s-gpu-2"}},
	{file: "10-never-discovered.yaml", args: "--expect-selector node.kubernetes.io/instance-type=bm-a100-44", code: 0, says: []string{"1 GPU node, 4 of 4", "; no node matches --expect-selector node.kubernetes.io/instance-type=bm-a100-44"}},
	{file: "10-never-discovered.yaml", args: "--node k8s-gpu-1 --expect-selector node.kubernetes.io/instance-type=bm-a100-44", code: 0, says: []string{"1 GPU node, 4 of 4"}, not: []string{"no node matches"}},
	{file: "10-never-discovered.yaml", args: "--node k8s-gpu-2", code: 2, says: []string{"node k8s-gpu-2: expected to have GPUs"}},
	{file: "11-mig-change-stuck.yaml", code: 2, says: []string{"node gpu-a09: 0 nvidia.com/gpu offered", "for at least 3d (since 2026-11-17 10:00 UTC)", "MIG change to all-1g.5gb pending, deploy labels are paused-for-mig-change", "delete pod -l app=nvidia-mig-manager"}},
	{file: "11-mig-change-stuck.yaml", args: "--now 2026-11-17T10:20:00Z", code: 0, says: []string{"MIG change to all-1g.5gb pending"}},
	{file: "12-dra-resourceslice.yaml", code: 1, says: []string{"node dra-1: 3 of 4 gpu.nvidia.com devices usable", "for 5h (since 2026-11-20 05:00 UTC)", "gpu-2 tainted gpu.nvidia.com/xid=79:NoSchedule", "slice dra-1-gpu.nvidia.com-x7k2p, pool dra-1, generation 4"}, not: []string{"gpu.count", "gpu.product", "of 8"}},
}

func TestScenarios(t *testing.T) {
	for _, r := range scenarios {
		t.Run(strings.TrimSuffix(r.file, ".yaml")+" "+r.args, func(t *testing.T) {
			out, code := run(t, serve(t, scenarioText(t, r.file)), strings.Fields(r.args)...)
			told, _, _ := strings.Cut(out, "\n|")
			if code != r.code {
				t.Errorf("exit %d, want %d", code, r.code)
			}
			for _, s := range r.says {
				if !strings.Contains(told, s) {
					t.Errorf("does not say %q", s)
				}
			}
			for _, s := range r.not {
				if strings.Contains(told, s) {
					t.Errorf("must not say %q", s)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
