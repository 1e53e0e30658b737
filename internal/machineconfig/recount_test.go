package machineconfig

import (
	"os"
	"path/filepath"
	"testing"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

// The counts that the rules yield from the nodes must be those that the MCO wrote into the pools.
func TestRecount(t *testing.T) {
	recount := func(t *testing.T, s Snapshot) {
		t.Helper()
		m := members(s.Pools, s.Nodes)
		for _, p := range s.Pools {
			r := newRollout(p, m.of[p.Name], poolImages{})
			ready, degraded := r.counts()
			got := []int{len(r.nodes), ready, len(r.updated), r.unavailable(), degraded}
			want := []int{p.Machines, p.Ready, p.Updated, p.Unavailable, p.Degraded}
			for i, name := range []string{"machines", "ready", "updated", "unavailable", "degraded"} {
				if got[i] != want[i] {
					t.Errorf("%s: %s is %d by the nodes, %d in the status", p.Name, name, got[i], want[i])
				}
			}
		}
	}
	for _, name := range []string{"a-pending-blocked-by-cordon", "b-pending-taint-only", "c-draining", "d-paused-pending", "e-degraded", "f-unrelated-notready",
		"h-render-degraded", "i-all-updated-two-cordoned", "j-custom-pool"} {
		t.Run(name, func(t *testing.T) { recount(t, scenario(t, name)) })
	}
	t.Run("two cordoned", func(t *testing.T) { recount(t, controller(t, "incident-two-cordoned", "")) })
	t.Run("blocked", func(t *testing.T) {
		recount(t, controller(t, "pending-blocked-two-cordoned", "pending-blocked-two-cordoned-nodes.json"))
	})
	t.Run("drain", func(t *testing.T) { recount(t, drainHeldByBudget(t)) })
	for _, name := range []string{"4.14.1-paused-worker-pool", "4.16.0-compact", "no-version-upgrading", "ocpbugs-60768"} {
		t.Run(name, func(t *testing.T) { recount(t, realDump(t, name)) })
	}
}

// realDump is of a real OpenShift cluster. Those files are another project's and stay outside this repository.
func realDump(t *testing.T, name string) Snapshot {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "shared", "samples", "kubernetes", "real-openshift")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the dumps of real clusters are not here: " + err.Error())
	}
	s := Snapshot{Pools: loadPools(t, filepath.Join(dir, name+"-mcp.yaml"))}
	if nodes := filepath.Join(dir, name+"-node.yaml"); exists(nodes) {
		s.NodesRead, s.Nodes = true, loadNodes(t, s.Pools, nodes)
	}
	return s
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func TestJudgeRealClusters(t *testing.T) {
	for _, r := range []struct {
		name, now string
		want      plugin.State
		says      []string
	}{
		{"4.14.1-paused-worker-pool", "2024-02-07T17:00:00Z", plugin.OK, []string{"paused, nothing pending"}},
		{"4.14.1-workers-started-updating-multiple-pools", "2024-02-07T17:00:00Z", plugin.OK, []string{"updating, 0/2 done, ip-10-0-4-159.us-east-2.compute.internal draining"}},
		{"4.15.0-ec2-unavailable-mco-20m", "2024-02-07T17:00:00Z", plugin.OK, nil},
		{"4.16.0-compact", "2024-08-05T17:00:00Z", plugin.OK, nil},
		{"no-version-upgrading", "2024-12-10T18:50:00Z", plugin.OK, []string{"updating, 0/3 done"}},
		{"ocpbugs-60768", "2025-08-19T21:20:00Z", plugin.Critical, []string{"1 of 3 nodes degraded", "ci-op-pw3ghqzh-bb5c4-pdhfc-master-1: ", "reaches its registry or mirror"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			v := Judge(realDump(t, r.name), everyPool, defaults(), at(t, r.now))
			judgetest.Want{State: r.want, Says: r.says}.Check(t, v.Findings, "")
		})
	}
}
