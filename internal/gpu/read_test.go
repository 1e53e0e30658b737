package gpu

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pods as the API sends them, in words.
func TestTroubleOfPods(t *testing.T) {
	for _, r := range []struct{ status, says string }{
		{`{conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: 0/3 nodes}]}`, "Pending, Unschedulable: 0/3 nodes"},
		{`{phase: Pending, initContainerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: {running: {}}}]}`, "Init:1/2, waits in b"},
		{`{phase: Pending, initContainerStatuses: [{name: a, restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}}]}`, "Init:CrashLoopBackOff in a (3 restarts)"},
		{`{phase: Pending, initContainerStatuses: [{name: a, restartCount: 1, state: {terminated: {exitCode: 1, reason: Error}}}]}`, "Init:Error in a (1 restart)"},
		{`{phase: Running, containerStatuses: [{name: c, restartCount: 12, state: {waiting: {reason: CrashLoopBackOff}}}]}`, "CrashLoopBackOff in c (12 restarts)"},
		{`{phase: Running, containerStatuses: [{name: b, ready: true, state: {running: {}}}, {name: c, state: {running: {}}}]}`, "c is not ready"},
		{`{phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ContainerCreating}}}]}`, "c is not ready"},
		{`{phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ImagePullBackOff}}}]}`, "ImagePullBackOff in c"},
		{`{phase: Failed, reason: UnexpectedAdmissionError}`, "Failed, UnexpectedAdmissionError"},
		{`{}`, "Pending"},
	} {
		text := incident(t) + fmt.Sprintf(`
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: nvidia-gpu-operator, labels: {app: nvidia-dcgm}, creationTimestamp: "2026-11-20T09:59:00Z", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: nvidia-dcgm, uid: u, controller: true}]}
spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [wrk-97]}]}]}}}, containers: [{name: c}]}
status: %s
`, r.status)
		s := serve(t, text)
		var pods []Pod
		for _, d := range podsOf(t, s) {
			if d.Name == "p" {
				pods = append(pods, d)
			}
		}
		if len(pods) != 1 || pods[0].Trouble != r.says || pods[0].Node != "wrk-97" {
			t.Errorf("%s: %+v, want %q", r.status, pods, r.says)
		}
	}
}

// Labels that NFD and the operator have given up no longer mean "has GPUs"; a device taint with effect None only informs.
func TestReductions(t *testing.T) {
	lost := strings.NewReplacer("nvidia.com/gpu.present: \"true\"", "nvidia.com/gpu.present: \"false\"", "pci-10de.present", "pci-0302.present").Replace(scenarioText(t, "09-deploy-label-empty.yaml"))
	if out, code := run(t, serve(t, lost)); code != 2 || !strings.Contains(firstLine(out), "no longer recognised as a GPU node (nvidia.com/gpu.present=false)") || !strings.Contains(firstLine(out), "pci-0302.present is there") {
		t.Errorf("exit %d: %s", code, out)
	}
	informed := strings.Replace(scenarioText(t, "12-dra-resourceslice.yaml"), `value: "79", effect: NoSchedule`, `value: "79", effect: None`, 1)
	if out, code := run(t, serve(t, informed)); code != 0 || !strings.Contains(firstLine(out), "4 of 4 gpu.nvidia.com devices") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, _ := run(t, serve(t, scenarioText(t, "03-one-unhealthy-gpu.yaml"))); !strings.Contains(out, " gpus_unhealthy=1;") || !strings.Contains(out, " gpus_capacity=8;") {
		t.Errorf("%s", out)
	}
}

// A rollout begins with the write of the pod template; what the controller writes into the status does not begin it anew.
func TestRolloutOfDaemonSets(t *testing.T) {
	created, template, status := before(9*day), before(2*day), before(time.Minute)
	o := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "d", CreationTimestamp: metav1.NewTime(created)}}
	if got := reduceDaemonSet(o).Rolled; !got.Equal(created) {
		t.Errorf("new: %v", got)
	}
	entry := func(at time.Time, subresource, fields string) metav1.ManagedFieldsEntry {
		when := metav1.NewTime(at)
		return metav1.ManagedFieldsEntry{Time: &when, Subresource: subresource, FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
	}
	o.ManagedFields = []metav1.ManagedFieldsEntry{entry(template, "", `{"f:spec":{"f:template":{}}}`), entry(status, "status", `{"f:status":{"f:template":{}}}`)}
	o.Spec.UpdateStrategy.Type = "OnDelete"
	if d := reduceDaemonSet(o); !d.Rolled.Equal(template) || !d.OnDelete {
		t.Errorf("changed: %v, on delete: %t", d.Rolled, d.OnDelete)
	}
}

// The API dates a deletion to the end of the time that the pod has to end by itself. The DaemonSet controller marks pods with their revision.
func TestDeletionOfPods(t *testing.T) {
	at, seconds, yes := metav1.NewTime(noon), int64(30), true
	o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", DeletionTimestamp: &at, DeletionGracePeriodSeconds: &seconds,
		Labels:          map[string]string{"controller-revision-hash": "5d8f"},
		OwnerReferences: []metav1.OwnerReference{{Kind: "DaemonSet", Name: "d", Controller: &yes}}}}
	if p, ok := reducePod(o); !ok || p.Revision != "5d8f" || !p.Deleting || !p.DeletedSince.Equal(before(30*time.Second)) {
		t.Errorf("%+v", p)
	}
}

// The DRA driver's chart can publish compute domains alone: its pod then has no container for GPUs.
func TestRoleOfDRADrivers(t *testing.T) {
	driver := func(containers ...string) *appsv1.DaemonSet {
		o := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "nvidia-dra-driver-gpu-kubelet-plugin"}}
		for _, name := range containers {
			o.Spec.Template.Spec.Containers = append(o.Spec.Template.Spec.Containers, corev1.Container{Name: name})
		}
		return o
	}
	if d := reduceDaemonSet(driver("compute-domains")); d.Role != roleAuxiliary {
		t.Errorf("compute domains alone: role %d", d.Role)
	}
	for _, containers := range [][]string{{"compute-domains", "gpus"}, {"gpus"}, nil} {
		if d := reduceDaemonSet(driver(containers...)); d.Role != rolePlugin {
			t.Errorf("%q: role %d", containers, d.Role)
		}
	}
}
