package machineconfig

import (
	"fmt"
	"strings"
	"testing"

	"overdue/internal/kube/kubetest"
)

// node is one of the workers, done with a configuration; of its annotations and its spec what is given.
func node(number int, config, annotations, spec string) string {
	return fmt.Sprintf(`
---
apiVersion: v1
kind: Node
metadata: {name: n-%[1]d, creationTimestamp: "2026-01-01T00:0%[1]d:00Z", labels: {node-role.kubernetes.io/worker: ""}, annotations: {machineconfiguration.openshift.io/currentConfig: %[2]s, machineconfiguration.openshift.io/desiredConfig: %[2]s, machineconfiguration.openshift.io/state: Done%[3]s}}
spec: {%[4]s}
status: {conditions: [{type: Ready, status: "True"}]}
`, number, config, annotations, spec)
}

// Of the configurations, rendered-a and rendered-b differ in SSH keys, rendered-older from both in the OS image, and rendered-same
// from rendered-a in the name.
const changesOfWorkers = `
---
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: rendered-older}, spec: {osImageURL: old, config: {passwd: {users: [{name: core, sshAuthorizedKeys: [a]}]}}}}
---
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: rendered-a}, spec: {osImageURL: img, config: {passwd: {users: [{name: core, sshAuthorizedKeys: [a]}]}}}}
---
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: rendered-same}, spec: {osImageURL: img, config: {passwd: {users: [{name: core, sshAuthorizedKeys: [a]}]}}}}
---
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: rendered-b}, spec: {osImageURL: img, config: {passwd: {users: [{name: core, sshAuthorizedKeys: [b]}]}}}}
---
{apiVersion: operator.openshift.io/v1, kind: MachineConfiguration, metadata: {name: cluster}, status: {nodeDisruptionPolicyStatus: {clusterPolicies: {sshkey: {actions: [{type: None}]}}}}}
`

const unschedulable = "unschedulable: true"

type beforeAsk struct {
	target string
	code   int
	says   string
}

func (a beforeAsk) check(t *testing.T, s *kubetest.Server) {
	t.Helper()
	if out, code := run(t, s, "--before-change", a.target, "--now", quarterPast, "-v"); code != a.code || !strings.Contains(out, a.says) {
		t.Errorf("%s: exit %d, want %d with %q:\n%s", a.target, code, a.code, a.says, out)
	}
}

// The changes of all nodes that an action can set off are read, whatever was asked about.
func TestBeforeCheckChangesOfOthers(t *testing.T) {
	for _, c := range []struct {
		name, target string
		nodes        string
		asks         []beforeAsk
	}{
		{"a harmless change, and then one that reboots", "rendered-b", node(1, "rendered-a", "", unschedulable) + node(2, "rendered-older", "", "") + node(3, "rendered-older", "", ""), []beforeAsk{
			{"n-1", 2, "uncordon it        updates n-1 without a drain or reboot (next in line); then drains and reboots n-2, and 1 further node"}}},
		{"harmless changes only", "rendered-b", node(1, "rendered-a", "", unschedulable) + node(2, "rendered-b", "", "") + node(3, "rendered-b", "", ""), []beforeAsk{
			{"n-1", 1, "updates n-1 without a drain or reboot"}, {"pool/worker", 1, "updates its nodes without a drain or reboot"}, {"cluster", 1, "nodes_drained=0"}}},
		{"behind a node that is up to date", "rendered-b", node(1, "rendered-b", "", unschedulable) + node(2, "rendered-a", "", "") + node(3, "rendered-a", "", ""), []beforeAsk{
			{"n-1", 1, "uncordon it        updates n-2 without a drain or reboot, which is next in line"}, {"n-2", 1, "without a drain or reboot"}}},
		{"the pool's first node is harmless, its second is not", "rendered-b", node(1, "rendered-a", "", unschedulable) + node(2, "rendered-older", "", ""), []beforeAsk{
			{"pool/worker", 2, "drains and reboots its nodes [changed: OS image]"}, {"cluster", 2, "nodes_drained=1"}}},
		{"two configurations with the same contents", "rendered-same", node(1, "rendered-a", "", unschedulable), []beforeAsk{
			{"n-1", 1, "updates n-1 without a drain or reboot [nothing differs but the name]"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := workerServer(t, c.target, nil, c.nodes+changesOfWorkers)
			for _, ask := range c.asks {
				ask.check(t, s)
			}
		})
	}
}

// A rollout over many configurations costs a bounded number of them.
func TestBeforeCheckManyChanges(t *testing.T) {
	nodes := ""
	for i := range 20 {
		nodes += strings.Replace(node(1, fmt.Sprintf("rendered-%d", i), "", ""), "name: n-1,", fmt.Sprintf("name: m-%d,", i), 1)
		nodes += fmt.Sprintf("\n---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfig, metadata: {name: rendered-%d}, spec: {osImageURL: img, config: {passwd: {users: [{name: core, sshAuthorizedKeys: [z]}]}}}}\n", i)
	}
	s := workerServer(t, "rendered-b", map[string]string{"currentConfig": "rendered-b", "desiredConfig": "rendered-b", "state": stateDone}, nodes+changesOfWorkers)
	beforeAsk{"m-19", 1, "updates m-19 without a drain or reboot"}.check(t, s)
	read := 0
	for _, request := range s.Requests() {
		if strings.Contains(request, "/machineconfigs/rendered-") {
			read++
		}
	}
	if read > 7 { // the target, its metadata, and what five nodes run
		t.Errorf("%d MachineConfigs read", read)
	}
}

// A pool may be in image mode though no node runs an image yet, and an image may be built that nobody knows of but its MachineOSBuild.
func TestBeforeCheckImageMode(t *testing.T) {
	const (
		image    = ", machineconfiguration.openshift.io/currentImage: os@1, machineconfiguration.openshift.io/desiredImage: os@1"
		config   = "\n---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineOSConfig, metadata: {name: mosc, annotations: {machineconfiguration.openshift.io/current-machine-os-build: %s}}, spec: {machineConfigPool: {name: worker}}, status: {currentImagePullSpec: %q}}\n"
		building = `{type: Building, status: "True"}, {type: Succeeded, status: "False"}`
		done     = `{type: Building, status: "False"}, {type: Succeeded, status: "True"}`
		failed   = `{type: Failed, status: "True"}`
	)
	osConfig := func(build, image string) string { return fmt.Sprintf(config, build, image) }
	build := func(name, rendered, image, conditions string) string {
		return fmt.Sprintf("\n---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineOSBuild, metadata: {name: %s, creationTimestamp: '2026-12-01T03:00:00Z'}, spec: {machineOSConfig: {name: mosc}, machineConfig: {name: %s}}, status: {digestedImagePushSpec: %q, conditions: [%s]}}\n", name, rendered, image, conditions)
	}
	plain, cordoned, layered := node(1, "rendered-a", "", ""), node(1, "rendered-a", "", unschedulable), node(1, "rendered-a", image, "")
	for _, c := range []struct {
		name, objects string
		forbid        string
		asks          []beforeAsk
	}{
		{"not in image mode", plain, "", []beforeAsk{{"n-1", 0, "nothing is pending for it"}}},
		{"just put into it, and built", plain + osConfig("b1", "os@1") + build("b1", "rendered-a", "os@1", done), "", []beforeAsk{
			{"n-1", 2, "whatever you do, the MCO drains and reboots n-1 [the OS image changes]"}, {"pool/worker", 2, "drains and reboots its nodes"}, {"cluster", 2, "1 of 1 node outdated"}}},
		{"just put into it and built, and cordoned", cordoned + osConfig("b1", "os@1") + build("b1", "rendered-a", "os@1", done), "", []beforeAsk{
			{"n-1", 2, "uncordon it        drains and reboots n-1 (next in line)"}}},
		{"just put into it, and nothing is built", cordoned + osConfig("''", ""), "", []beforeAsk{
			{"n-1", 2, "uncordon it        drains nothing yet: the OS image is not built"}, {"pool/worker", 2, "OS image is being built, 1 outdated node waiting for it"}}},
		{"at its image", layered + osConfig("b1", "os@1") + build("b1", "rendered-a", "os@1", done), "", []beforeAsk{{"n-1", 0, "nothing is pending for it"}}},
		{"at its image, and another is built of the same configuration", layered + osConfig("b2", "os@1") + build("b1", "rendered-a", "os@1", done) + build("b2", "rendered-a", "", building), "", []beforeAsk{
			{"n-1", 2, "the OS image is being built"}, {"pool/worker", 2, "OS image is being built, 1 outdated node waiting for it"}}},
		{"at its image, and the new one is not taken over yet", layered + osConfig("b2", "os@1") + build("b1", "rendered-a", "os@1", done) + build("b2", "rendered-a", "os@2", done), "", []beforeAsk{{"n-1", 2, "the OS image is being built"}}},
		{"a note of a build that was for another configuration", layered + osConfig("b2", "os@1") + build("b1", "rendered-a", "os@1", done) + build("b2", "rendered-b", "", building), "", []beforeAsk{{"n-1", 0, "nothing is pending for it"}}},
		{"at its image, and the next could not be built", layered + osConfig("b2", "os@1") + build("b1", "rendered-a", "os@1", done) + build("b2", "rendered-a", "", failed), "", []beforeAsk{
			{"n-1", 1, "the OS image of pool worker could not be built"}, {"pool/worker", 1, "the build of its OS image failed (MachineOSBuild b2)"}}},
		{"the images may not be read", plain, "machineosconfigs", []beforeAsk{
			{"n-1", 1, "nothing is pending for it; but whether an OS image is pending is not known (machineosconfigs could not be listed)"}, {"pool/worker", 1, "is not known"}, {"cluster", 1, "is not known"}}},
		{"the builds may not be read", layered + osConfig("b1", "os@1"), "machineosbuilds", []beforeAsk{{"n-1", 1, "whether an OS image is being built for pool worker is not known"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := workerServer(t, "rendered-a", nil, c.objects+changesOfWorkers)
			if c.forbid != "" {
				s.Forbid("list", c.forbid+"."+group)
			}
			for _, ask := range c.asks {
				ask.check(t, s)
			}
		})
	}
}

// The labels that put a node into its pool were taken away in the midst of its drain. What it runs and shall run is compared all the same.
func TestBeforeCheckPoolless(t *testing.T) {
	for to, want := range map[string]beforeAsk{
		"rendered-older": {"n-2", 2, "the MCO drains and reboots n-2 [changed: OS image]"},
		"rendered-b":     {"n-2", 1, "the MCO updates n-2 without a drain or reboot"},
	} {
		moved := strings.NewReplacer(`node-role.kubernetes.io/worker: ""`, "", "desiredConfig: rendered-a", "desiredConfig: "+to, "state: Done", "state: Working").Replace(node(2, "rendered-a", "", unschedulable))
		want.check(t, workerServer(t, "rendered-a", nil, node(1, "rendered-a", "", "")+moved+changesOfWorkers))
	}
}

// A taint that a person set on an infrastructure node keeps pods out like any other.
func TestBeforeCheckInfraTaint(t *testing.T) {
	const drains = ", machineconfiguration.openshift.io/desiredDrain: drain-rendered-b, machineconfiguration.openshift.io/lastAppliedDrain: uncordon-rendered-a"
	draining := strings.Replace(node(2, "rendered-a", drains, unschedulable+`, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule, timeAdded: "2026-12-01T02:00:00Z"}]`),
		"desiredConfig: rendered-a, machineconfiguration.openshift.io/state: Done", "desiredConfig: rendered-b, machineconfiguration.openshift.io/state: Working", 1)
	for taint, code := range map[string]int{"node-role.kubernetes.io/infra": 2, "node.kubernetes.io/out-of-service": 2, "reserved": 2,
		"node-role.kubernetes.io/master": 1, "node.kubernetes.io/memory-pressure": 1, "node.cloudprovider.kubernetes.io/uninitialized": 1} {
		s := workerServer(t, "rendered-b", nil, node(1, "rendered-b", "", "taints: [{key: "+taint+", effect: NoSchedule}]")+draining+changesOfWorkers)
		says := "take away taint " + taint + ":NoSchedule"
		out, got := run(t, s, "--before-change", "n-1", "--now", quarterPast)
		if got != code || strings.Contains(out, says) != (code == 2) {
			t.Errorf("%s: exit %d, want %d:\n%s", taint, got, code, out)
		}
	}
}

// On a cluster without pools a name may be wrong as well.
func TestBeforeCheckNoPools(t *testing.T) {
	s := kubetest.New()
	t.Cleanup(s.Close)
	for _, declared := range []bool{false, true} {
		if declared {
			s.Declare(group+"/v1", "MachineConfigPool")
		}
		for target, want := range map[string]struct {
			code int
			says string
		}{
			"no-such-node": {3, "no node is named no-such-node"}, "pool/no-such": {3, "no pool is named no-such; the cluster has no MachineConfigPools"},
			"cluster": {0, "has no MachineConfigPools"}, "n-1": {0, "has no MachineConfigPools"},
		} {
			put(t, s, node(1, "a", "", ""))
			if out, code := run(t, s, "--before-change", target, "--no-pools", "ok"); code != want.code || !strings.Contains(out, want.says) {
				t.Errorf("%s: exit %d, want %d with %q:\n%s", target, code, want.code, want.says, out)
			}
		}
	}
}
