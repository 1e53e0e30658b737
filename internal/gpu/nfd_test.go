package gpu

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// A taint that every DaemonSet of the GPUs tolerates, but not NFD's worker, as its chart has no tolerations.
func TestJudgeNFDKeptAway(t *testing.T) {
	const dedicated = "dedicated=ml:NoSchedule"
	tolerant := func(s *Snapshot) {
		daemonSet("", tolerates(exists("dedicated", ""), exists("nvidia.com/gpu", "")))(s)
		daemonSet("nfd", func(d *DaemonSet) { d.Tolerations = nil })(s)
	}
	doomed := func(changes ...func(*Snapshot)) Snapshot {
		return fleet(1, append([]func(*Snapshot){tolerant, on("all", taint(dedicated, 30*day))}, changes...)...)
	}
	crash := []func(*Snapshot){on("all", gpus(0, 0)), gone("gpu-01", "nfd-worker"), ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr (41 restarts)", 2*day)}
	ignored := func(l *Limits) {
		p, _ := parseTaint("dedicated=ml")
		l.IgnoreTaints = []TaintPattern{p}
	}
	gke := cloud(taint("nvidia.com/gpu=present:NoSchedule", 30*day))
	gke.DaemonSets[0].Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	gke.DaemonSets = append(gke.DaemonSets, DaemonSet{Namespace: "node-feature-discovery", Name: "nfd-worker", Role: roleNFD})
	gke.PodsRead["node-feature-discovery"] = true
	table(t, []row{
		{name: "GKE: nothing on the node comes from NFD", snapshot: gke, want: plugin.OK, says: []string{"4 of 4"}},
		{name: "nor where the node was labelled by hand", snapshot: doomed(on("all", unlabel("feature.")), gone("gpu-01", "nfd-worker")), want: plugin.OK, says: []string{"4 of 4"}},
		{name: "its labels are there, and are not renewed", snapshot: doomed(gone("gpu-01", "nfd-worker")), want: plugin.Warning,
			says: []string{"node gpu-01 ¶ pods of nfd-worker kept away", "taint " + dedicated, "nothing renews its labels", "tolerate it in NFD's worker tolerations"}, not: []string{"not for long", "for good"}},
		{name: "so are those that a rule of the vendor's makes", snapshot: doomed(on("all", unlabel("feature."), label("intel.feature.node.kubernetes.io/gpu", "true")), gone("gpu-01", "nfd-worker")), want: plugin.Warning, says: []string{"pods of nfd-worker kept away"}},
		{name: "a pod on which no GPU depends beside it", snapshot: doomed(daemonSet("nvidia-dcgm-exporter", func(d *DaemonSet) { d.Tolerations = nil })), want: plugin.Warning,
			says: []string{"pods of nvidia-dcgm-exporter and nfd-worker kept away"}, not: []string{"not for long", "for good"}},
		{name: "the GPUs' own beside it", snapshot: doomed(daemonSet("nvidia", func(d *DaemonSet) { d.Tolerations = nil })), want: plugin.Warning,
			says: []string{"but not for long", "is not tolerated by 6 GPU DaemonSets and the NFD worker", "takes these GPUs away for good"}},
		{name: "it has nothing to do with a driver that crashes, and stops none of its pods from coming back", snapshot: doomed(crash...), want: plugin.Critical,
			says: []string{"¶ nvidia-driver-daemonset: CrashLoopBackOff"}, not: []string{"taint"}},
		{name: "nor are the GPUs gone on purpose", snapshot: doomed(crash...), limits: ignored, want: plugin.Critical, says: []string{"¶ nvidia-driver-daemonset: CrashLoopBackOff"}},
		{name: "a cloud's label, but the operator goes by NFD's, which are not there", snapshot: doomed(on("all", noResource, discoveryGone, unlabel("nvidia.com/", "feature."), label("cloud.google.com/gke-accelerator", "nvidia-tesla-a100")), gone("gpu-01"), gone("gpu-01", "nfd-worker")), want: plugin.Critical,
			says: []string{"taint " + dedicated, "is not tolerated by the NFD worker nfd-worker"}},
		{name: "and that may be on purpose", snapshot: doomed(on("all", noResource, discoveryGone, unlabel("nvidia.com/", "feature."), label("cloud.google.com/gke-accelerator", "nvidia-tesla-a100")), gone("gpu-01"), gone("gpu-01", "nfd-worker")), limits: ignored, want: plugin.OK, says: []string{"on purpose"}},
	})
}
