//go:build performance

// Package performance measures what the plugins cost on a cluster of 5,000 nodes, beside what people use instead.
package performance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"overdue/test/realkube"
)

const (
	nodes  = 5000
	rounds = 7
)

// The test binary runs itself for two other jobs, so that each is a process of its own.
const roleVariable = "OVERDUE_PERFORMANCE_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "measure":
		os.Exit(measure(os.Args[1:]))
	case "read":
		os.Exit(bareRead(os.Args[1], os.Args[2], os.Args[3]))
	}
	os.Exit(m.Run())
}

// cost is what one run of a command took.
type cost struct {
	Wall, CPU time.Duration
	RSS       int64 // KiB: of the largest process, if there are several
	Code      int
	Output    string
}

// candidate is a command to measure. Its output must contain want, as what was refused is cheap.
type candidate struct {
	name    string
	command []string
	want    string
}

func TestCost(t *testing.T) {
	s := realkube.Start(t)
	s.LoadScenario(t, "a")
	began := time.Now()
	s.FillNodes(t, nodes)
	t.Logf("%d nodes filled in after %v", nodes, time.Since(began).Round(time.Millisecond))
	s.PatchStatus(t, "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker", fmt.Sprintf(
		"status: {machineCount: %d, readyMachineCount: %d, updatedMachineCount: %[2]d}", nodes+44, nodes+43))

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config, token := s.Kubeconfig(t, realkube.Minimal), s.TokenFile(t, realkube.Minimal)
	candidates := []candidate{{"a process that does nothing", []string{"/bin/true"}, ""}}
	if plugin, err := filepath.Abs("../../bin/check_mcp"); err != nil {
		t.Fatal(err)
	} else if _, err := os.Stat(plugin); err == nil {
		candidates = append(candidates,
			candidate{"check_mcp, all its pools clean", []string{plugin, "--kubeconfig", config, "--pool", "master"}, "up to date"},
			candidate{"check_mcp", []string{plugin, "--kubeconfig", config}, "wrk-98"})
	} else {
		t.Errorf("no plugin to measure: %v", err)
	}
	candidates = append(candidates, candidate{"bare read (Go, protobuf, pages)",
		[]string{"/usr/bin/env", roleVariable + "=read", self, s.URL, token, s.CAFile}, fmt.Sprintf("%d nodes", nodes+47)})
	if _, err := exec.LookPath("curl"); err == nil {
		candidates = append(candidates, candidate{"curl > /dev/null (JSON)", shell(fmt.Sprintf(
			`curl -sS --fail --cacert %s -H "Authorization: Bearer $(cat %s)" %s/api/v1/nodes >/dev/null && echo done`, s.CAFile, token, s.URL)), "done"})
	}
	_, noKubectl := exec.LookPath("kubectl")
	_, noJq := exec.LookPath("jq")
	const script = "kubectl get nodes | jq"
	if noKubectl == nil && noJq == nil {
		candidates = append(candidates, candidate{script, shell(fmt.Sprintf(
			`kubectl --kubeconfig %s get nodes -o json | jq -r '.items[].metadata | .annotations as $a | select(
				$a["machineconfiguration.openshift.io/currentConfig"] == "rendered-worker-4f1c0a9e2d7b8365c1e0fa92d4b7e611") | .name'`, config)), "wrk-98"})
	} else {
		t.Logf("kubectl and jq are not measured: %v, %v", noKubectl, noJq)
	}

	home := t.TempDir()
	costs := map[string][]cost{}
	for round := range rounds + 1 { // all in turn, so that a slow minute of the machine touches each
		for _, c := range candidates {
			got := runMeasured(t, self, home, c.command)
			if !strings.Contains(got.Output, c.want) {
				t.Fatalf("%s: exit code %d, output without %q: %.500s", c.name, got.Code, c.want, got.Output)
			}
			if round > 0 { // the first fills caches
				costs[c.name] = append(costs[c.name], got)
			}
		}
	}

	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "median of %d\tseconds\tCPU seconds\tpeak MiB\t\n", rounds)
	medians := map[string]cost{}
	for _, c := range candidates {
		m := median(costs[c.name])
		medians[c.name] = m
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.0f\t\n", c.name, m.Wall.Seconds(), m.CPU.Seconds(), float64(m.RSS)/1024)
	}
	_ = w.Flush()
	t.Logf("%d nodes, user and system time, largest process:\n%s", nodes+47, &table)

	plugin, other := medians["check_mcp"], medians[script]
	if plugin.CPU > 0 && other.CPU > 0 && (plugin.CPU > other.CPU/4 || plugin.RSS > other.RSS/2) {
		t.Errorf("check_mcp costs %v and %d KiB, which is not a quarter of the CPU and half the memory of %s: %v and %d KiB",
			plugin.CPU, plugin.RSS, script, other.CPU, other.RSS)
	}
}

func shell(script string) []string { return []string{"/bin/sh", "-c", script} }

func median(costs []cost) cost {
	by := func(value func(cost) int64) int64 {
		var values []int64
		for _, c := range costs {
			values = append(values, value(c))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return cost{
		Wall: time.Duration(by(func(c cost) int64 { return int64(c.Wall) })),
		CPU:  time.Duration(by(func(c cost) int64 { return int64(c.CPU) })),
		RSS:  by(func(c cost) int64 { return c.RSS }),
	}
}

// runMeasured runs a command from a small process: Linux counts the memory of the process that starts another as the
// other's peak, and this one has grown large by now.
func runMeasured(t *testing.T, self, home string, command []string) cost {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), self, command...)
	cmd.Env = []string{roleVariable + "=measure", "PATH=" + os.Getenv("PATH"), "HOME=" + home}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v", command, err)
	}
	var c cost
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func measure(command []string) int {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	began := time.Now()
	out, err := cmd.CombinedOutput()
	c := cost{Wall: time.Since(began), Output: string(out)}
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c.Code = cmd.ProcessState.ExitCode()
	c.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	c.RSS = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := json.NewEncoder(os.Stdout).Encode(c); err != nil {
		return 1
	}
	return 0
}
