// Command demo shows the plugins at work without a cluster: it runs the real binaries on recordings of answers that real
// servers gave (demo/recordings). `make demo` builds them first.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var scenes = []struct {
	about string
	args  []string
}{
	{"A node is outdated and cordoned. Its pool has waited for three weeks, and nothing alerted:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-blocked.yaml"}},
	{"The same three weeks earlier: would it have alarmed after 31 minutes?",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-blocked.yaml", "--now", "2026-12-01 05:56"}},
	{"Before you touch that node: what would it set off?",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-before.yaml", "--before-change", "wrk-98"}},
	{"And if it had the taint alone? The taint is not what holds the update:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-before-taint.yaml", "--before-change", "wrk-98"}},
	{"Before you apply a MachineConfig to the workers:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-before.yaml", "--before-change", "pool/worker", "--window", "sat 22:00-sun 04:00"}},
	{"The whole cluster on one screen, before anything is changed:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-before.yaml", "--before-change", "cluster"}},
	{"The published line of the incident (READY 42, UPDATED 44): nothing is left to reboot, but the next change will not start:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-incident.yaml"}},
	{"A PodDisruptionBudget holds a drain:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-drain.yaml"}},
	{"Somebody paused the pool, and forgot:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-paused.yaml"}},
	{"A pool that moves along is well, however long it takes:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-moving.yaml"}},
	{"A taint that was left over from a demo day has cost a node its GPUs, and every dashboard is green:",
		[]string{"check_gpu_node", "--replay", "demo/recordings/gpu-incident.yaml"}},
	{"It could have been known while its pods still ran:",
		[]string{"check_gpu_node", "--replay", "demo/recordings/gpu-early.yaml"}},
	{"The same incident, seen by an account that may list nodes and nvidia.com resources only:",
		[]string{"check_gpu_node", "--replay", "demo/recordings/gpu-reduced.yaml"}},
	{"Nomad's leader was killed four times while clients dispatched jobs. No metric and no list of evaluations shows what was lost:",
		[]string{"check_nomad_evals", "--replay", "demo/recordings/nomad-incident.yaml", "--address", "http://10.0.0.1:4646", "--address", "http://10.0.0.2:4646", "--address", "http://10.0.0.3:4646"}},
	{"Somebody paused Nomad's evaluation broker. Every gauge of it reads 0:",
		[]string{"check_nomad_evals", "--replay", "demo/recordings/nomad-paused.yaml"}},
	{"Many kinds of trouble at once, the worst first:",
		[]string{"check_nomad_evals", "--replay", "demo/recordings/nomad-kinds.yaml"}},
	{"Poseidon's pools of idle runners, while all is well:",
		[]string{"check_prewarm_pool", "--replay", "demo/recordings/prewarm-healthy.yaml", "--nomad-address", "http://10.0.0.1:4646"}},
	{"One of them has run dry. Are its runners missing, or merely forgotten?",
		[]string{"check_prewarm_pool", "--replay", "demo/recordings/prewarm-missing.yaml", "--nomad-address", "http://10.0.0.1:4646"}},
	{"Here Nomad runs them: events were lost while its servers rebooted, and a resync would end the used runners for nothing:",
		[]string{"check_prewarm_pool", "--replay", "demo/recordings/prewarm-lost.yaml", "--nomad-address", "http://10.0.0.1:4646"}},
	{"Poseidon says that all is well, and gives out runners that are gone:",
		[]string{"check_prewarm_pool", "--replay", "demo/recordings/prewarm-stale.yaml", "--nomad-address", "http://10.0.0.1:4646"}},
	{"All pools at once: no pool's problem:",
		[]string{"check_prewarm_pool", "--replay", "demo/recordings/prewarm-outage.yaml", "--nomad-address", "http://10.0.0.1:4646"}},
	{"And a healthy cluster, for which one request is enough:",
		[]string{"check_mcp", "--replay", "demo/recordings/mcp-healthy.yaml"}},
}

func main() {
	for _, scene := range scenes {
		show(scene.about, scene.args, nil)
	}
	if err := resync(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
	fmt.Println("\nWhat each verdict means and what to do: docs/. On your own cluster: the same programs, in bin/; each has --help.")
}

// show runs a plugin, with variables added to its environment, and prints what it says.
func show(about string, args, env []string) {
	fmt.Printf("\n# %s\n$ %s\n", about, commandLine(args))
	command := exec.Command(filepath.Join("bin", args[0]), args[1:]...)
	command.Env = append(os.Environ(), env...)
	out, err := command.Output()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v (run `make demo`)\n", err)
		os.Exit(1)
	}
	text, perfdata, measured := strings.Cut(string(out), "\n|")
	fmt.Println(strings.TrimSuffix(text, "\n"))
	if measured {
		fmt.Printf("| … %d points of performance data\n", len(strings.Fields(perfdata)))
	}
	fmt.Printf("exit code %d\n", code)
}

func commandLine(args []string) string {
	var quoted []string
	for _, arg := range args {
		if strings.Contains(arg, " ") {
			arg = "'" + arg + "'"
		}
		quoted = append(quoted, arg)
	}
	return strings.Join(quoted, " ")
}
