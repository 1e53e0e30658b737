//go:build integration && linux

package integration

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"overdue/test/realicinga"
)

const graphiteModule = "/usr/share/icingaweb2/modules/graphite"

// graphite lets the node write to a sink of Graphite's line protocol: when it has connected, and the metrics that have come.
func graphite(t *testing.T, n *realicinga.Node) (connected chan struct{}, arrived func() []string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var mu sync.Mutex
	var metrics []string
	connected = make(chan struct{})
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		close(connected)
		defer connection.Close()
		for lines := bufio.NewScanner(connection); lines.Scan(); {
			metric, _, _ := strings.Cut(lines.Text(), " ")
			mu.Lock()
			metrics = append(metrics, metric)
			mu.Unlock()
		}
	}()
	n.Write(t, "features/graphite.conf", fmt.Sprintf(`object GraphiteWriter "graphite" {
  host = "127.0.0.1"
  port = "%d"
  enable_send_thresholds = true
}
`, listener.Addr().(*net.TCPAddr).Port))
	return connected, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(metrics)
	}
}

// Icinga Web's own module makes charts of what the real Icinga sends: each point is in one, beside its thresholds, and there is one
// for each pool and environment.
func TestIcingaWebDrawsTheCharts(t *testing.T) {
	php := realicinga.Find(t, "php", "php-cli")
	if _, err := os.Stat(graphiteModule); err != nil {
		if os.Getenv(realicinga.RequiredVariable) != "" {
			t.Fatal("Debian: icingaweb2-module-graphite: ", err)
		}
		t.Skip("Debian: icingaweb2-module-graphite: ", err)
	}
	recordings, err := filepath.Abs("../../demo/recordings")
	if err != nil {
		t.Fatal(err)
	}
	n := icinga(t)
	hosts := "object Host \"site\" {\n  check_command = \"dummy\"\n  enable_active_checks = false\n}\n"
	services := map[string]string{
		"overdue-mcp":          `vars.mcp_replay = "DIR/mcp-blocked.yaml"`,
		"overdue-gpu-node":     `vars.gpu_node_replay = "DIR/gpu-incident.yaml"`,
		"overdue-prewarm-pool": "vars.prewarm_pool_replay = \"DIR/prewarm-missing.yaml\"\n  vars.prewarm_pool_nomad_address = \"http://10.0.0.1:4646\"\n  enable_event_handler = false",
		"overdue-nomad-evals":  "vars.nomad_evals_replay = \"DIR/nomad-incident.yaml\"\n  vars.nomad_evals_address = [ \"http://10.0.0.1:4646\", \"http://10.0.0.2:4646\", \"http://10.0.0.3:4646\" ]",
	}
	for template, vars := range services {
		hosts += fmt.Sprintf("object Service \"as %s\" {\n  import %[1]q\n  host_name = \"site\"\n  %s\n}\n", template, strings.ReplaceAll(vars, "DIR", recordings))
	}
	n.Write(t, "zones.d/localhost/hosts.conf", hosts)
	connected, arrived := graphite(t, n)
	n.Start(t)
	select { // ten seconds after its start; it keeps nothing until then
	case <-connected:
	case <-time.After(time.Minute):
		t.Fatal("Icinga does not connect to the sink")
	}
	points := 0 // that are numbers, which are all of these
	for template := range services {
		points += len(n.Check(t, "site!as "+template).Result.Points)
	}
	var values, all []string
	realicinga.Await(t, fmt.Sprintf("%d metrics", points), func() error {
		values, all = nil, arrived()
		for _, metric := range all {
			if strings.Contains(metric, ".perfdata.") && strings.HasSuffix(metric, ".value") {
				values = append(values, metric)
			}
		}
		if len(values) != points || points == 0 {
			return realicinga.Not("%d", len(values))
		}
		return nil
	})

	command := exec.CommandContext(t.Context(), php, "graphite.php", graphiteModule, shipped+"graphite", "site")
	command.Stdin = strings.NewReader(strings.Join(all, "\n"))
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	drawn := map[string]int{}
	titles := map[string]string{}
	for line := range strings.Lines(string(out)) {
		chart := strings.Split(strings.TrimSpace(line), "\t")
		if len(chart) != 4 {
			t.Fatalf("%q\n%s", chart, out)
		}
		if titles[chart[2]] != "" {
			t.Errorf("two charts are called %q", chart[2])
		}
		titles[chart[2]] = chart[3]
		for metric := range strings.SplitSeq(chart[3], " ") {
			drawn[metric]++
		}
	}
	for _, metric := range values {
		if drawn[metric] != 1 {
			t.Errorf("%s is in %d charts", metric, drawn[metric])
		}
	}
	for title, metrics := range map[string][]string{
		"Pool worker, outdated nodes wait":     {"mcp.perfdata.worker_pending.value", "mcp.perfdata.worker_pending.warn", "mcp.perfdata.worker_pending.crit"},
		"Pool master, slowest node in work":    {"mcp.perfdata.master_in_work.value", "mcp.perfdata.master_in_work.crit"},
		"GPUs missing on one node":             {"gpu_node.perfdata.gpus_missing_on_one_node.value", "gpu_node.perfdata.gpus_missing_on_one_node.warn"},
		"Oldest lost job":                      {"nomad_evals.perfdata.jobs_lost_oldest.value", "nomad_evals.perfdata.jobs_lost_oldest.crit"},
		"Environment 29, idle runners missing": {"prewarm_pool.perfdata.environment_29_missing_percent.crit"},
		"Environment 31, runners":              {"environment_31_size.value", "environment_31_idle.value", "environment_31_used.value"},
		"Idle runners missing, worst pool":     {"prewarm_pool.perfdata.missing_percent.value"},
	} {
		for _, metric := range metrics {
			if !strings.Contains(titles[title]+" ", metric+" ") {
				t.Errorf("the chart %q has no %s: %q", title, metric, titles[title])
			}
		}
	}
	if t.Failed() {
		t.Logf("the charts:\n%s", out)
	}
}
