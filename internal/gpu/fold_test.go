package gpu

import (
	"testing"

	"overdue/internal/plugin"
)

// Nodes with the same cause are one finding, however many GPUs they have.
func TestJudgeFolds(t *testing.T) {
	sized := func(n int64, count string) []func(*Node) {
		return []func(*Node){gpus(n, n), label("nvidia.com/gpu.count", count)}
	}
	crash := ill("gpu-01", "gpu-feature-discovery", "CrashLoopBackOff in gpu-feature-discovery (7 restarts)", 2*day)
	table(t, []row{
		{name: "one taint on nodes of two sizes", snapshot: fleet(8, on("gpu-02", label("nvidia.com/gpu.count", "8")), on("gpu-01 gpu-02", gpus(0, 0), taint(reserved, 21*day)), gone("gpu-01"), gone("gpu-02")), want: plugin.Critical,
			says: []string{"CRITICAL ¶ 2 nodes: gpu-01 and gpu-02 ¶ together 0 of 12 nvidia.com/gpu offered", "gpu-01: 0 of 4 nvidia.com/gpu offered; gpu-02: 0 of 8 nvidia.com/gpu offered", "kubectl taint nodes gpu-01 gpu-02"}, not: []string{"node gpu-01 ¶", "¶ 0 of"}},
		{name: "the same while their pods run", snapshot: fleet(8, on("gpu-02", sized(8, "8")...), on("gpu-01 gpu-02", taint(reserved, 21*day))), want: plugin.Warning,
			says: []string{"2 nodes: gpu-01 and gpu-02 ¶ together 12 of 12 nvidia.com/gpu allocatable, but not for long"}},
		{name: "unhealthy GPUs", snapshot: fleet(2, on("gpu-01", gpus(4, 3)), on("gpu-02", gpus(4, 2))), want: plugin.Warning,
			says: []string{"2 nodes: gpu-01 and gpu-02 ¶ together 5 of 8 nvidia.com/gpu allocatable, 3 unhealthy", "has marked together 3 unhealthy"}},
		{name: "one of another cause stays apart", snapshot: fleet(3, on("gpu-01", gpus(4, 3)), on("gpu-02", gpus(0, 0))), want: plugin.Critical, says: []string{"node gpu-01 ¶ 3 of 4", "node gpu-02 ¶ 0 of 4"}, not: []string{"together"}},
		{name: "a feature discovery that crashes is told once", snapshot: fleet(1, on("all", discoveryGone), crash), want: plugin.Warning,
			says: []string{"labels nvidia.com/gpu.product and nvidia.com/gpu.count missing, while 4 of 4", "gpu-feature-discovery: CrashLoopBackOff"}, not: []string{"its GPUs are offered all the same"}},
		{name: "what else is ill is told beside it", snapshot: fleet(1, on("all", discoveryGone), crash, ill("gpu-01", "nvidia-dcgm-exporter", "CrashLoopBackOff in exporter", day)), want: plugin.Warning,
			says: []string{"nvidia-dcgm-exporter: CrashLoopBackOff"}, not: []string{"not well"}},
	})
}

func TestSum(t *testing.T) {
	for _, r := range []struct {
		texts []string
		want  string
	}{
		{[]string{"7 of 8 a, 1 unhealthy", "6 of 8 a, 2 unhealthy"}, "together 13 of 16 a, 3 unhealthy"},
		{[]string{"no mig-1g.5gb at all, 4 expected", "no mig-1g.5gb at all, 8 expected"}, "no mig-1g.5gb at all, together 12 expected"},
		{[]string{"0 of 4 a", "0 of 4 a"}, "0 of 4 a"},
		{[]string{"a", "0 of 4"}, "a"}, // of other shapes: not folded, and no panic
		{[]string{"0 of 4", "a"}, "together 0 of 4"},
	} {
		if got := sum(r.texts); got != r.want {
			t.Errorf("%q: %q, want %q", r.texts, got, r.want)
		}
	}
}
