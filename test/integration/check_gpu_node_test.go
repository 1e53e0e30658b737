//go:build integration

package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overdue/test/realkube"
)

// gpuNodes is the shared server with a scenario of internal/gpu loaded, changed by pairs of old and new texts.
func gpuNodes(t *testing.T, file string, changes ...string) *realkube.Server {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "gpu", "testdata", file+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s := kubernetes(t, "healthy")
	s.LoadGPUs(t, strings.NewReplacer(changes...).Replace(string(text)))
	return s
}

// gpuIncident is the published one: wrk-98, its taint that kubectl set, and a machine-config update that is pending.
func gpuIncident(t *testing.T) *realkube.Server {
	t.Helper()
	s := gpuNodes(t, "02-incident-taint", "gpu-a02", "wrk-98", "gpu-a01", "wrk-97", "lab7-a100-reserved", "ai4dd-a100-reserved")
	const node = nodes + "/wrk-98?fieldManager="
	s.Patch(t, node+"kubectl-taint", `spec: {taints: [{key: nvidia.com/gpu.product, value: NVIDIA-A100-SXM4-40GB, effect: NoSchedule}]}`)
	s.Patch(t, node+"kubectl-taint", `spec: {taints: [{key: nvidia.com/gpu.product, value: NVIDIA-A100-SXM4-40GB, effect: NoSchedule}, {key: ai4dd-a100-reserved, value: "true", effect: NoSchedule}]}`)
	s.Patch(t, node+"machine-config-controller", `metadata: {annotations: {machineconfiguration.openshift.io/desiredConfig: rendered-worker-9b27}}`)
	return s
}

func gpu(t *testing.T, s *realkube.Server, account string, args ...string) (string, int, time.Duration) {
	t.Helper()
	return runPlugin(t, "check_gpu_node", append([]string{"--kubeconfig", s.Kubeconfig(t, account)}, args...)...)
}

// Every scenario in the real API server, 45 minutes after it was loaded, with all rights; and without any.
func TestGPUScenarios(t *testing.T) {
	for file, want := range map[string]struct {
		args string
		code int
		says string
	}{
		"01-healthy":           {"", 0, "[OK] - 1 GPU node, 4 of 4 nvidia.com/gpu allocatable"},
		"02-incident-taint":    {"", 2, "taint lab7-a100-reserved=true:NoSchedule, there for at least 45m"},
		"03-one-unhealthy-gpu": {"", 1, "node gpu-h01: 7 of 8 nvidia.com/gpu allocatable, 1 unhealthy"},
		"04-mig-mixed":         {"", 0, "2 of 2 nvidia.com/gpu, 7 of 7 nvidia.com/mig-1g.5gb, 2 of 2 nvidia.com/mig-3g.20gb allocatable"},
		"05-time-slicing":      {"", 0, "16 of 16 nvidia.com/gpu, 16 of 16 nvidia.com/gpu.shared allocatable"},
		"06-driver-upgrade":    {"--grace 1h --max-cordon off", 0, "node gpu-h02: driver upgrade in progress (state pod-restart-required)"},
		"07-cordoned":          {"--max-cordon 30d", 1, "node gpu-a07: 4 of 4 nvidia.com/gpu allocatable but not schedulable"},
		"08-label-missing":     {"", 1, "labels nvidia.com/gpu.product and nvidia.com/gpu.count missing, while 4 of 4"},
		"09-deploy-label-empty": {"", 2,
			`nvidia-device-plugin-daemonset is not on the node: label nvidia.com/gpu.deploy.device-plugin="" (wants "true")`},
		"10-never-discovered":  {"--expect-selector node.kubernetes.io/instance-type=bm-a100-4", 2, "node k8s-gpu-2: expected to have GPUs, but has no nvidia.com/gpu and no GPU label"},
		"11-mig-change-stuck":  {"", 2, "MIG change to all-1g.5gb pending, deploy labels are paused-for-mig-change"},
		"12-dra-resourceslice": {"", 1, "node dra-1: 3 of 4 gpu.nvidia.com devices usable"},
	} {
		t.Run(file, func(t *testing.T) {
			s := gpuNodes(t, file)
			args := append(strings.Fields(want.args), "--now", in(45*time.Minute))
			if out, code, _ := gpu(t, s, realkube.Full, args...); code != want.code || !strings.Contains(firstLine(out), want.says) {
				t.Errorf("exit %d, want %d with %q:\n%s", code, want.code, want.says, out)
			}
			if out, code, _ := gpu(t, s, realkube.None, args...); code != 3 || !strings.Contains(firstLine(out), "icinga/rbac/check-gpu-node.yaml") {
				t.Errorf("without rights: exit %d: %s", code, out)
			}
		})
	}
}

// The incident with the rights of the role file, and with those of a site that lets its monitoring list nodes and nvidia.com only.
func TestGPUIncident(t *testing.T) {
	s := gpuIncident(t)
	for account, by := range map[string]string{realkube.Full: "9 GPU DaemonSets;", realkube.Minimal: "9 GPU DaemonSets (inferred from the ClusterPolicy);"} {
		out, code, _ := gpu(t, s, account, "--now", in(21*24*time.Hour))
		for _, part := range []string{"[CRITICAL] - node wrk-98: 0 nvidia.com/gpu offered, labels nvidia.com/gpu.product and nvidia.com/gpu.count missing",
			"taint ai4dd-a100-reserved=true:NoSchedule, there for at least 2", " is not tolerated by " + by, "first run check_mcp", "and only then: kubectl taint nodes wrk-98 ai4dd-a100-reserved:NoSchedule-"} {
			if !strings.Contains(firstLine(out), part) {
				t.Errorf("%s: no %q", account, part)
			}
		}
		if code != 2 || !strings.Contains(out, "last written by kubectl-taint") {
			t.Errorf("%s: exit %d: %s", account, code, out)
		}
	}
	// Once the taint is gone it is no longer the cause.
	s.Patch(t, nodes+"/wrk-98", `spec: {taints: [{key: nvidia.com/gpu.product, value: NVIDIA-A100-SXM4-40GB, effect: NoSchedule}]}`)
	if out, code, _ := gpu(t, s, realkube.Full, "--now", in(time.Hour)); code != 2 || strings.Contains(out, "taint") {
		t.Errorf("without the taint: exit %d: %s", code, out)
	}
}

// Three weeks earlier: the taint is there, and the pods still run.
func TestGPUEarly(t *testing.T) {
	s := gpuNodes(t, "01-healthy", "gpu-a01", "wrk-98")
	s.Patch(t, nodes+"/wrk-98?fieldManager=kubectl-taint", `spec: {taints: [{key: ai4dd-a100-reserved, value: "true", effect: NoSchedule}]}`)
	for account, says := range map[string]string{realkube.Full: "9 GPU DaemonSets: their pods still run, but will not come back", realkube.Minimal: "9 GPU DaemonSets (inferred from the ClusterPolicy): whether their pods still run is not known"} {
		out, code, _ := gpu(t, s, account, "--now", in(time.Hour))
		if code != 1 || !strings.Contains(firstLine(out), says) || !strings.Contains(firstLine(out), "4 of 4 nvidia.com/gpu allocatable, but not for long") {
			t.Errorf("%s: exit %d: %s", account, code, out)
		}
	}
}

// Rights in the GPU namespaces only, which are then named.
func TestGPURightsInNamespaces(t *testing.T) {
	s := gpuIncident(t)
	const rbac = "/apis/rbac.authorization.k8s.io/v1/"
	t.Cleanup(func() {
		s.Delete(t, rbac+"clusterrolebindings/few")
		s.Delete(t, rbac+"namespaces/nvidia-gpu-operator/rolebindings/few")
	})
	s.Apply(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: few}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: icinga-check-gpu-node-reduced}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: `+realkube.None+`}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: few, namespace: nvidia-gpu-operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: icinga-check-gpu-node}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: `+realkube.None+`}]
`)
	// The server's authorizer learns of a binding a moment after it is made.
	granted := func(path string) bool {
		status, _ := s.Do(t, realkube.None, http.MethodGet, path, nil)
		return status == http.StatusOK
	}
	for deadline := time.Now().Add(10 * time.Second); !granted(nodes) || !granted("/api/v1/namespaces/nvidia-gpu-operator/pods"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the rights are not granted")
		}
	}
	for args, says := range map[string]string{"": "(inferred from the ClusterPolicy)", "--namespace nvidia-gpu-operator": "by 9 GPU DaemonSets;"} {
		out, code, _ := gpu(t, s, realkube.None, append(strings.Fields(args), "--now", in(time.Hour))...)
		if code != 2 || !strings.Contains(firstLine(out), says) {
			t.Errorf("%q: exit %d, want %q: %s", args, code, says, out)
		}
	}
}

func TestGPUOutages(t *testing.T) {
	s := gpuIncident(t)
	s.Freeze(t)
	out, code, took := gpu(t, s, realkube.Full, "--timeout", "2s")
	if code != 3 || took > 3*time.Second || !strings.Contains(firstLine(out), "no result after 2s") || !strings.Contains(firstLine(out), "nodes") {
		t.Errorf("frozen: exit %d after %v: %s", code, took, out)
	}
	s.Thaw(t)
	s.Stop(t)
	out, code, took = gpu(t, s, realkube.Full)
	if code != 3 || took > 5*time.Second || !strings.Contains(firstLine(out), "refused") {
		t.Errorf("stopped: exit %d after %v: %s", code, took, out)
	}
	s.Restart(t)
	if out, code, _ := gpu(t, s, realkube.Full); code != 2 {
		t.Errorf("restarted: exit %d: %s", code, out)
	}
}

// A recording judges like the run that made it, and holds no secret.
func TestGPURecording(t *testing.T) {
	s := gpuIncident(t)
	file := filepath.Join(t.TempDir(), "case.yaml")
	live, code, _ := gpu(t, s, realkube.Full, "--record", file)
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), s.Token(t, realkube.Full)) || strings.Contains(string(text), "Bearer") {
		t.Fatalf("%v, %d bytes: the token is in the recording", err, len(text))
	}
	replayed, again, _ := runPlugin(t, "check_gpu_node", "--replay", file)
	if code != again || live != replayed {
		t.Errorf("live, exit %d:\n%s\nreplayed, exit %d:\n%s", code, live, again, replayed)
	}
}
