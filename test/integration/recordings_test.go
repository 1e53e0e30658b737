//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"overdue/test/realkube"
)

// TestWriteRecordings makes the recordings that `make demo` and the command's golden tests judge: answers of the real server
// to the real binary, about nodes that a person, the MCO's controller and its daemon seem to have changed. OVERDUE_RECORDINGS
// names the directory; `make recordings` sets it. The time that demo/main.go gives with --now has to follow.
func TestWriteRecordings(t *testing.T) {
	recordings(t)
	record := func(name string, s *realkube.Server, after time.Duration) {
		t.Helper()
		out, code, _ := mcp(t, s, realkube.Full, "--record", recording(t, "mcp-"+name), "--now", in(after))
		t.Logf("%s: exit %d\n%s", name, code, out)
	}
	as := func(s *realkube.Server, manager, path, patch string) {
		s.Patch(t, path+"?fieldManager="+manager, patch)
	}
	cordon := func(s *realkube.Server, manager string, names ...string) {
		for _, name := range names {
			as(s, manager, nodes+"/"+name, `spec: {unschedulable: false}`)
			as(s, manager, nodes+"/"+name, `spec: {unschedulable: true}`)
		}
	}
	annotations := func(config string) string {
		return fmt.Sprintf(`metadata: {annotations: {%[1]scurrentConfig: %[2]s, %[1]sdesiredConfig: %[2]s}}`, "machineconfiguration.openshift.io/", config)
	}

	s := kubernetes(t, "healthy")
	record("healthy", s, 3*time.Hour)

	s = kubernetes(t, "incident")
	cordon(s, "kubectl", "wrk-71", "wrk-98")
	record("incident", s, 70*time.Hour)

	s = kubernetes(t, "a-pending-blocked-by-cordon")
	cordon(s, "kubectl", "wrk-98")
	record("blocked", s, 511*time.Hour)

	s = kubernetes(t, "d-paused-pending")
	as(s, "kubectl-edit", pools+"/worker", `spec: {paused: false}`)
	as(s, "kubectl-edit", pools+"/worker", `spec: {paused: true}`)
	s.PatchStatus(t, pools+"/worker", `status: {observedGeneration: 3}`)
	record("paused", s, 50*time.Hour)

	s = kubernetes(t, "healthy")
	s.LoadScenarioAged(t, "e-degraded", time.Minute)
	record("degraded", s, 90*time.Minute)
	record("unrelated", kubernetes(t, "f-unrelated-notready"), 45*time.Minute)
	record("render", kubernetes(t, "h-render-degraded"), 45*time.Minute)

	s = kubernetes(t, "c-draining")
	s.Apply(t, budgetThatHolds)
	t.Cleanup(func() { removeBudget(t, s) })
	record("drain", s, 75*time.Minute)

	removeBudget(t, s)
	s = kubernetes(t, "c-draining")
	for i := range 31 {
		as(s, "machine-config-daemon", fmt.Sprintf("%s/wrk-%d", nodes, 60+i), annotations(oldConfig))
	}
	s.PatchStatus(t, pools+"/worker", `status: {readyMachineCount: 12, updatedMachineCount: 12}`)
	record("moving", s, 4*time.Minute)
}

// One recording answers for the node, the pool and the cluster, as it was made with all three questions.
func TestWriteRecordingsBeforeAChange(t *testing.T) {
	recordings(t)
	s := beforeTheChange(t)
	addOpenShift(t, s, degradedIngress)
	t.Cleanup(func() { s.Delete(t, pendingPod) })
	record := func(name string, args ...string) {
		t.Helper()
		out, code, _ := mcp(t, s, realkube.Full, append(args, "--record", recording(t, "mcp-"+name), "--now", in(511*time.Hour))...)
		t.Logf("%s: exit %d\n%s", name, code, out)
	}
	record("before", "--before-change", "wrk-98,pool/worker,cluster")
	s.Patch(t, nodes+"/wrk-98", "spec: {unschedulable: false}")
	record("before-taint", "--before-change", "wrk-98")
}

// recordings is the directory for them. Where none is wanted the test ends.
func recordings(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("OVERDUE_RECORDINGS")
	if dir == "" {
		t.Skip("OVERDUE_RECORDINGS is not set: nothing is to be recorded")
	}
	return dir
}

// recording is the file of a recording, which is no longer there.
func recording(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(recordings(t), name+".yaml")
	if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return file
}

func TestWriteRecordingsOfGPUs(t *testing.T) {
	recordings(t)
	record := func(name string, s *realkube.Server, account string, after time.Duration, args ...string) {
		t.Helper()
		out, code, _ := gpu(t, s, account, append(args, "--record", recording(t, "gpu-"+name), "--now", in(after))...)
		t.Logf("%s: exit %d\n%s", name, code, out)
	}
	const day = 24 * time.Hour
	record("healthy", gpuNodes(t, "01-healthy"), realkube.Full, 3*time.Hour)

	s := gpuNodes(t, "01-healthy", "gpu-a01", "wrk-98")
	s.Patch(t, nodes+"/wrk-98?fieldManager=kubectl-taint", `spec: {taints: [{key: ai4dd-a100-reserved, value: "true", effect: NoSchedule}]}`)
	record("early", s, realkube.Full, 20*day)

	s = gpuIncident(t)
	record("incident", s, realkube.Full, 21*day)
	record("reduced", s, realkube.Minimal, 21*day)

	record("unhealthy", gpuNodes(t, "03-one-unhealthy-gpu"), realkube.Full, 3*time.Hour)
	record("label-empty", gpuNodes(t, "09-deploy-label-empty"), realkube.Full, 3*time.Hour)
	record("undiscovered", gpuNodes(t, "10-never-discovered"), realkube.Full, 4*day, "--expect-selector", "node.kubernetes.io/instance-type=bm-a100-4")
	record("mig-stuck", gpuNodes(t, "11-mig-change-stuck"), realkube.Full, 3*day)
	record("devices", gpuNodes(t, "12-dra-resourceslice"), realkube.Full, 3*time.Hour)
}
