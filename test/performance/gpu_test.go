//go:build performance

package performance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"overdue/test/realkube"
)

const (
	gpuNodes = 500      // of all nodes
	mostRSS  = 64 << 10 // KiB
)

// What check_gpu_node costs where a tenth of the nodes has GPUs.
func TestGPUCost(t *testing.T) {
	text, err := os.ReadFile("../../internal/gpu/testdata/01-healthy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := realkube.Start(t)
	began := time.Now()
	s.FillNodes(t, nodes-gpuNodes)
	s.FillGPUs(t, gpuNodes, string(text), "gpu-a01")
	s.Patch(t, "/api/v1/nodes/gpu-00042", `spec: {taints: [{key: reserved, effect: NoSchedule}]}`)
	t.Logf("%d nodes, %d of them with GPUs, filled in after %v", nodes, gpuNodes, time.Since(began).Round(time.Millisecond))

	plugin, err := filepath.Abs("../../bin/check_gpu_node")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, home, now := s.Kubeconfig(t, realkube.Full), t.TempDir(), time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "median of %d\tseconds\tCPU seconds\tpeak MiB\t\n", rounds)
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"check_gpu_node", "node gpu-00042: 4 of 4 nvidia.com/gpu allocatable, but not for long: taint reserved:NoSchedule", nil},
		{"with --no-pods", "node gpu-00042: 4 of 4 nvidia.com/gpu allocatable, but not for long", []string{"--no-pods"}},
		{"one node", "1 GPU node, 4 of 4", []string{"--node", "gpu-00041"}},
	} {
		var costs []cost
		for range rounds {
			got := runMeasured(t, self, home, append([]string{plugin, "--kubeconfig", config, "--now", now}, c.args...))
			if !strings.Contains(got.Output, c.want) {
				t.Fatalf("%s: exit code %d, output without %q: %.500s", c.name, got.Code, c.want, got.Output)
			}
			costs = append(costs, got)
		}
		m := median(costs)
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.0f\t\n", c.name, m.Wall.Seconds(), m.CPU.Seconds(), float64(m.RSS)/1024)
		for _, got := range costs {
			if got.RSS > mostRSS {
				t.Errorf("%s: %d KiB at its peak, more than %d", c.name, got.RSS, mostRSS)
			}
		}
	}
	_ = w.Flush()
	t.Logf("%d nodes, %d of them with GPUs:\n%s", nodes, gpuNodes, &table)
}
