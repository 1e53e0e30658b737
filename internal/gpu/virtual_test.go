package gpu

import (
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
)

// machines is a node whose GPUs are for virtual machines, with the operator's DaemonSets for both kinds, in the order in which the API
// sends them. It has the deploy labels of the operands that are given, and one resource.
func machines(workload, resource string, capacity, allocatable int64, deploys map[string]string, changes ...func(*Snapshot)) Snapshot {
	return fleet(1, append([]func(*Snapshot){on("all", discoveryGone, unlabel(deployPrefix), label(labelWorkload, workload), func(n *Node) {
		n.Resources = []Resource{{resource, capacity, allocatable}}
		for operand, value := range deploys {
			n.Labels[deployPrefix+operand] = value
		}
	}), func(s *Snapshot) {
		s.DaemonSets, s.Pods = nil, nil
		all := map[string]string{"nvidia-device-plugin-daemonset": "device-plugin", "nvidia-driver-daemonset": "driver", "nvidia-sandbox-device-plugin-daemonset": "sandbox-device-plugin",
			"nvidia-sandbox-validator": "sandbox-validator", "nvidia-vfio-manager": "vfio-manager", "nvidia-vgpu-device-manager": "vgpu-device-manager", "nvidia-vgpu-manager-daemonset": "vgpu-manager"}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			d := DaemonSet{Namespace: namespace, Name: name, Role: roleOf(name), Owner: Owner{"ClusterPolicy", "gpu-cluster-policy"},
				NodeSelector: map[string]string{deployPrefix + all[name]: "true"}, Tolerations: builtIn, PodLabels: map[string]string{"app": name}}
			s.DaemonSets = append(s.DaemonSets, d)
			if d.selects(&s.Nodes[0]) {
				s.Pods = append(s.Pods, Pod{Namespace: namespace, DaemonSet: name, Name: name + "-x", Node: "gpu-01", Created: before(30 * day), Ready: true, Since: before(30 * day)})
			}
		}
	}}, changes...)...)
}

// Nodes whose GPUs are for virtual machines have none of the container stack's deploy labels.
func TestJudgeVirtual(t *testing.T) {
	const vfio, grid = "nvidia.com/GA100_A100_SXM4_40GB", "nvidia.com/NVIDIA_A10-12Q"
	passthrough := func(plugin map[string]string, changes ...func(*Snapshot)) Snapshot {
		deploys := map[string]string{"vfio-manager": "true", "sandbox-validator": "true"}
		maps.Copy(deploys, plugin)
		return machines("vm-passthrough", vfio, 0, 0, deploys, changes...)
	}
	vgpu := func(state string, plugin string, since time.Duration, changes ...func(*Snapshot)) Snapshot {
		return machines("vm-vgpu", grid, 8, 0, map[string]string{"vgpu-manager": "true", "vgpu-device-manager": "true", "sandbox-device-plugin": plugin, "sandbox-validator": plugin},
			append([]func(*Snapshot){on("all", label(labelVGPUState, state), label(labelVGPUTypes, "A10-12Q"), written(labelVGPUState, since), written(deployPrefix+"sandbox-device-plugin", since))}, changes...)...)
	}
	const change, upgrade = "paused-for-vgpu-change", "paused-for-driver-upgrade"
	startContainers := "kubectl label nodes gpu-01 --overwrite nvidia.com/gpu.deploy.device-plugin=true"
	table(t, []row{
		{name: "passthrough: the label of the plugin for virtual machines is empty", snapshot: passthrough(map[string]string{"sandbox-device-plugin": ""}), want: plugin.Critical,
			says: []string{`¶ nvidia-sandbox-device-plugin-daemonset is not on the node: label nvidia.com/gpu.deploy.sandbox-device-plugin="" (wants "true")`, "--overwrite nvidia.com/gpu.deploy.sandbox-device-plugin=true"}, not: []string{startContainers}},
		{name: "passthrough: it is switched off", snapshot: passthrough(map[string]string{"sandbox-device-plugin": "false"}), want: plugin.Critical,
			says: []string{`label nvidia.com/gpu.deploy.sandbox-device-plugin="false"`, "unless it was switched off on purpose"}, not: []string{startContainers}},
		{name: "passthrough: it is not set", snapshot: passthrough(nil), want: plugin.Critical, says: []string{"label nvidia.com/gpu.deploy.sandbox-device-plugin is not set"}, not: []string{startContainers}},
		{name: "passthrough: only the plugin for containers exists", snapshot: passthrough(nil, withoutDaemonSet("nvidia-sandbox-device-plugin")), want: plugin.Critical,
			says: []string{"¶ no device plugin DaemonSet for virtual machines exists (nvidia.com/gpu.workload.config=vm-passthrough)"}, not: []string{startContainers}},
		{name: "passthrough: the driver manager has paused the sandbox operands", snapshot: passthrough(map[string]string{"sandbox-device-plugin": upgrade, "sandbox-validator": upgrade}, on("all", written(deployPrefix+"sandbox-device-plugin", minutes(1)))),
			want: plugin.OK, says: []string{"2 deploy labels are paused-for-driver-upgrade", "at least since 2026-12-02 11:59"}},
		{name: "and after the grace", snapshot: passthrough(map[string]string{"sandbox-device-plugin": upgrade, "sandbox-validator": upgrade}, on("all", written(deployPrefix+"sandbox-device-plugin", minutes(40)))),
			want: plugin.Critical, says: []string{"2 deploy labels are paused-for-driver-upgrade, and nothing goes on that would set them back", "sandbox-device-plugin=true"}},
		{name: "a vGPU change, a minute", snapshot: vgpu("pending", change, minutes(1)), want: plugin.OK, says: []string{"vGPU change to A10-12Q pending, deploy labels are paused-for-vgpu-change", "at least since 2026-12-02 11:59"}},
		{name: "a vGPU change, 5 days", snapshot: vgpu("pending", change, 5*day), want: plugin.Critical, says: []string{"vGPU change to A10-12Q pending", "see the log of the vGPU device manager, then restart its pod: kubectl -n nvidia-gpu-operator delete pod -l app=nvidia-vgpu-device-manager"}, not: []string{"--overwrite"}},
		{name: "a vGPU change that failed", snapshot: vgpu("failed", "true", day), want: plugin.Critical, says: []string{"the vGPU change to A10-12Q failed"}},
		{name: "and with GPUs offered", snapshot: vgpu("failed", "true", day, on("all", func(n *Node) { n.Resources = []Resource{{grid, 8, 8}} })), want: plugin.Warning, says: []string{"vGPU change to A10-12Q failed"}},
	})
}

// The times of the deploy labels that are paused are read, whichever they are.
func TestPausedLabelsAreDated(t *testing.T) {
	o := options{vendor: "nvidia"}
	r, err := o.reader()
	if err != nil {
		t.Fatal(err)
	}
	at := metav1.NewTime(before(minutes(1)))
	const key = deployPrefix + "sandbox-device-plugin"
	n := r.reduceNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{key: "paused-for-vgpu-change", labelVGPUState: "pending"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Time: &at, FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:metadata":{"f:labels":{"f:` + key + `":{},"f:` + labelVGPUState + `":{}}}}`)}}}}})
	for _, key := range []string{key, labelVGPUState} {
		if got := n.Written[key]; !got.Equal(at.Time) {
			t.Errorf("%s: %v", key, got)
		}
	}
}
