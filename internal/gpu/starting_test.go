package gpu

import (
	"testing"
	"time"

	"overdue/internal/plugin"
)

// readySince makes the DaemonSet's pod on the node ready for so long.
func readySince(node, daemonSet string, ago time.Duration) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.Pods {
			if p := &s.Pods[i]; p.Node == node && p.DaemonSet == daemonSet {
				p.Since = before(ago)
			}
		}
	}
}

// The plugin's own start, and what goes before it.
func TestJudgeStarting(t *testing.T) {
	const dp = "nvidia-device-plugin-daemonset"
	const mps = "nvidia-device-plugin-mps-control-daemon"
	shared := func(s *Snapshot) {
		s.DaemonSets = append(s.DaemonSets, DaemonSet{Namespace: namespace, Name: mps, Role: roleOf(mps), NodeSelector: map[string]string{deployPlugin: "true", "nvidia.com/mps.capable": "true"}, Tolerations: builtIn})
		s.Pods = append(s.Pods, Pod{Namespace: namespace, DaemonSet: mps, Name: "mps", Node: "gpu-01", Created: before(day), Since: before(day), Ready: true})
	}
	capable := on("gpu-01", label("nvidia.com/mps.capable", "true"))
	crash := ill("gpu-01", mps, "CrashLoopBackOff in mps-control-daemon-ctr (99 restarts)", day)
	unhealthy := []string{"marked", "restart the device plugin:"}
	table(t, []row{
		{name: "the plugin's pod is ready for 8 seconds, capacity is left from the one before", snapshot: fleet(2, on("gpu-02", gpus(4, 0)), readySince("gpu-02", dp, 8*time.Second)), want: plugin.Critical,
			says: []string{"0 of 4", "¶ nvidia-device-plugin-daemonset has just started there and is not registered with the kubelet yet", "look again in 5 minutes", "kubectl -n nvidia-gpu-operator logs nvidia-device-plugin-daemonset-gpu-02"}, not: unhealthy},
		{name: "the same with nothing left", snapshot: fleet(2, on("gpu-02", gpus(0, 0)), readySince("gpu-02", dp, 8*time.Second)), want: plugin.Critical, says: []string{"has just started there"}, not: unhealthy},
		{name: "on two nodes", snapshot: fleet(2, on("all", gpus(0, 0)), readySince("gpu-01", dp, 8*time.Second), readySince("gpu-02", dp, minutes(2))), want: plugin.Critical, says: []string{"2 nodes", "kubectl -n nvidia-gpu-operator logs -l app=nvidia-device-plugin-daemonset --prefix"}, not: unhealthy},
		{name: "ready for 6 minutes, all are unhealthy", snapshot: fleet(2, on("gpu-02", gpus(4, 0)), readySince("gpu-02", dp, minutes(6))), want: plugin.Critical, says: []string{"has marked 4 unhealthy"}},
		{name: "ready for 8 seconds, one is unhealthy: it is registered", snapshot: fleet(2, on("gpu-02", gpus(4, 3)), readySince("gpu-02", dp, 8*time.Second)), want: plugin.Warning, says: []string{"has marked 1 unhealthy"}},
		{name: "ready since next year", snapshot: fleet(2, on("gpu-02", gpus(4, 0)), readySince("gpu-02", dp, -365*day)), want: plugin.Critical, says: []string{"has marked 4 unhealthy"}},
		{name: "GPUs are shared by MPS, and its control daemon crashes", snapshot: fleet(1, on("all", gpus(0, 0)), shared, capable, crash), want: plugin.Critical,
			says: []string{"¶ nvidia-device-plugin-mps-control-daemon: CrashLoopBackOff in mps-control-daemon-ctr (99 restarts)", "logs mps --all-containers --previous"}, not: []string{"registered with the kubelet;"}},
		{name: "--ignore-taint, which all tolerate but the MPS daemon, is not why a driver crashes", snapshot: fleet(1, on("all", gpus(0, 0), taint(reserved, day)), daemonSet("", tolerates(exists("ai4dd-a100-reserved", ""), builtIn[0])), shared, gone("gpu-01", mps), capable, ill("gpu-01", "nvidia-driver-daemonset", "CrashLoopBackOff in nvidia-driver-ctr", day)), limits: ignore("ai4dd-a100-reserved"), want: plugin.Critical, says: []string{"CrashLoopBackOff in nvidia-driver-ctr"}, not: []string{"on purpose"}},
		{name: "while the GPUs are offered still", snapshot: fleet(1, shared, capable, crash), want: plugin.Warning, says: []string{"nvidia-device-plugin-mps-control-daemon: CrashLoopBackOff", "may lose its GPUs when it restarts"}},
		{name: "a node without MPS is none that lacks the daemon", snapshot: fleet(2, shared, capable), want: plugin.OK},
		{name: "and without GPUs its cause is another", snapshot: fleet(2, shared, capable, on("gpu-02", gpus(0, 0))), want: plugin.Critical, says: []string{"node gpu-02 ¶ 0 of 4", "is not registered with the kubelet"}, not: []string{"mps"}},
	})
}
