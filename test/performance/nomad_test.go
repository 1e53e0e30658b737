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

	"overdue/internal/nomad/nomadtest"
)

// What check_nomad_evals costs beside a history of closed evaluations, and when very many are open; beside what a person would
// write, which reads the whole list.
func TestNomadCost(t *testing.T) {
	plugin, err := filepath.Abs("../../bin/check_nomad_evals")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "median of 3\tseconds\tCPU seconds\tpeak MiB\tMB read\t\n")
	for _, c := range []struct {
		count  int
		status string
		script bool // so large a list is not for scripts
		want   string
	}{
		{23_000, "complete", true, "[OK]"},
		{100_000, "complete", true, "[OK]"},
		{1_000_000, "complete", false, "[OK]"},
		{200_000, "blocked", true, "200000 evaluations"},
	} {
		s := nomadtest.New()
		s.Many(c.count, c.status, time.Now().Add(-time.Hour))
		list := s.URL() + "/v1/evaluations?namespace=*"
		commands := []candidate{{"check_nomad_evals", []string{plugin, "--address", s.URL(), "-t", "60"}, c.want}}
		if c.script {
			commands = append(commands,
				candidate{"curl | jq", shell(fmt.Sprintf(`curl -sS --fail '%s' | jq '[.[] | select(.Status == "pending" or .Status == "blocked")] | length'`, list)), ""},
				candidate{"python3, json", []string{"/usr/bin/env", "python3", "-c", `import json, sys, urllib.request
print(sum(e["Status"] in ("pending", "blocked") for e in json.load(urllib.request.urlopen(sys.argv[1]))))`, list}, ""})
		}
		for _, candidate := range commands {
			var costs []cost
			var read int64
			for range 3 {
				before := s.Sent()
				got := runMeasured(t, self, home, candidate.command)
				if !strings.Contains(got.Output, candidate.want) {
					t.Fatalf("%s: exit code %d, output without %q: %.500s", candidate.name, got.Code, candidate.want, got.Output)
				}
				read = s.Sent() - before
				costs = append(costs, got)
			}
			m := median(costs)
			fmt.Fprintf(w, "%d %s: %s\t%.3f\t%.3f\t%.0f\t%.3f\t\n", c.count, c.status, candidate.name,
				m.Wall.Seconds(), m.CPU.Seconds(), float64(m.RSS)/1024, float64(read)/1e6)
		}
		s.Close()
	}
	_ = w.Flush()
	t.Logf("\n%s", &table)
}
