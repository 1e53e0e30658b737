package machineconfig

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

// Nodes that are asked about together are also judged together, and each once.
func TestBeforeTogether(t *testing.T) {
	two := fleet(5, on("w-01 w-02", cordoned(time.Hour, "oc")), on("w-03", outdated))
	published := controller(t, "pending-blocked-two-cordoned", "pending-blocked-two-cordoned-nodes.json")
	for _, r := range []struct {
		name     string
		snapshot Snapshot
		targets  string
		want     judgetest.Want
	}{
		{"each cordon alone holds it", two, "w-01 w-02", judgetest.Want{State: critical,
			Says: []string{"uncordon it → drains nothing more now: 1 unavailable, maxUnavailable 1, and w-03 is next", "nothing is pending for it; pool worker has an update outstanding for 1 other node", "nodes w-01 and w-02 ¶ making all of them ready drains and, unless the change needs none, reboots w-03, which is next in line"}}},
		{"one of the two", two, "w-01", judgetest.Want{State: warning, Says: []string{"drains nothing more now"}, Not: []string{"all of them"}}},
		{"what waits is cordoned too", fleet(5, on("w-01 w-03", cordoned(time.Hour, "oc")), on("w-03", outdated)), "w-01", judgetest.Want{State: warning, Says: []string{"drains nothing yet: w-03 is still cordoned"}}},
		{"one cordoned and one drifted", fleet(5, on("w-01", cordoned(time.Hour, "oc")), on("w-02", drifted), on("w-03", outdated)), "w-01 w-02", judgetest.Want{State: critical, Says: []string{"nodes w-01 and w-02 ¶ making all of them ready drains and, unless the change needs none, reboots w-03"}}},
		{"the same one twice", two, "w-01 w-01", judgetest.Want{State: warning, Not: []string{"all of them"}}},
		{"the MCO's own controller: two cordoned, one of them outdated", published, "wrk-71 wrk-98", judgetest.Want{State: critical, Says: []string{"nodes wrk-71 and wrk-98 ¶ making all of them ready drains and"}}},
		{"the cluster first, then its pool", two, "cluster pool/worker", judgetest.Want{State: critical}},
		{"a master and the arbiters", controlPlane(on("master-0 arbiter-2", cordoned(time.Hour, "oc")), on("master-1", outdated)), "master-0 pool/arbiter", judgetest.Want{State: critical,
			Says: []string{"nodes master-0 and arbiter-2 ¶ making all of them ready drains and, unless the change needs none, reboots master-1"}}},
		{"nothing pending", fleet(5, on("w-01 w-02", cordoned(time.Hour, "oc"))), "w-01 w-02", judgetest.Want{State: warning, Not: []string{"all of them"}}},
		{"behind a third", fleet(5, on("w-01 w-02 w-04", cordoned(time.Hour, "oc")), on("w-03", outdated)), "w-01 w-02", judgetest.Want{State: warning, Not: []string{"all of them"}}},
		{"a rollout runs", fleet(5, on("w-01 w-02", cordoned(time.Hour, "oc")), on("w-03", outdated), on("w-04", rebooting(time.Minute))), "w-01 w-02", judgetest.Want{State: critical, Says: []string{"making all of them ready once w-04 is done, drains and"}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			var targets []Target
			if err := (targetsValue{&targets}).Set(r.targets); err != nil {
				t.Fatal(err)
			}
			v := Foresee(foreseen(r.snapshot), targets, defaults(), noon)
			r.want.Check(t, v.Findings, v.Summary)
			subjects := map[string]bool{}
			for _, f := range v.Findings {
				if subjects[f.Subject] {
					t.Errorf("%s is told twice", f.Subject)
				}
				subjects[f.Subject] = true
			}
		})
	}
}

// beyond is a cluster of which the first hundred nodes are well.
func beyond(s Snapshot) Snapshot {
	hundred := fleet(100)
	s.Nodes, s.Pools = append(hundred.Nodes, s.Nodes...), append(hundred.Pools, s.Pools...)
	return s
}

// However many nodes are asked about, each is told, and those beyond the first hundred not taken for harmless.
func TestBeforeManyNodes(t *testing.T) {
	ask := func(p Prospect) (Verdict, int) {
		var targets []Target
		for _, n := range p.Nodes {
			targets = append(targets, Target{targetNode, n.Name})
		}
		v := Foresee(p, targets, defaults(), noon)
		short := 0
		for _, f := range v.Findings {
			for _, row := range f.Table {
				if row[0] == "touch it" {
					short++
				}
			}
		}
		return v, short
	}
	for _, r := range []struct {
		name  string
		nodes Snapshot
		of    string
		want  judgetest.Want
	}{
		{"well", fleet(103), "node w-103", judgetest.Want{State: plugin.OK, Says: []string{"nothing is pending for it"}}},
		{"up to date, and another is outdated", fleet(103, on("w-103", cordoned(time.Hour, "oc")), on("w-50", outdated)), "node w-103", judgetest.Want{State: critical, Says: []string{"touching it can have w-50 drained", "ask for it by itself"}}},
		{"outdated itself, and no other is", fleet(103, on("w-103", outdated, cordoned(time.Hour, "oc"))), "node w-103", judgetest.Want{State: critical, Says: []string{"once it is ready and its turn comes, the MCO drains"}}},
		{"a master, and the arbiter waits for it", beyond(controlPlane(on("master-0", cordoned(time.Hour, "oc")), on("arbiter-2", outdated))), "node master-0", judgetest.Want{State: critical,
			Says: []string{"touching it can have arbiter-2 drained", "check_mcp --before-change arbiter-2"}, Not: []string{"holds back a drain"}}},
		{"an arbiter, and a master waits for it", beyond(controlPlane(on("arbiter-2", cordoned(time.Hour, "oc")), on("master-1", outdated))), "node arbiter-2", judgetest.Want{State: critical,
			Says: []string{"touching it can have master-1 drained"}, Not: []string{"holds back a drain"}}},
		{"paused, and another is outdated", fleet(103, on("w-103", cordoned(time.Hour, "oc")), on("w-50", outdated), paused("oc")), "node w-103", judgetest.Want{State: warning, Says: []string{"pool worker has an update outstanding for 1 other node"}, Not: []string{"drained", "holds back"}}},
		{"the masters are paused, and the arbiter waits for one", beyond(controlPlane(worker(func(p *Pool) { p.Paused = true }), on("master-0", cordoned(time.Hour, "oc")), on("arbiter-2", outdated))), "node master-0", judgetest.Want{State: critical, Says: []string{"touching it can have arbiter-2 drained"}}},
		{"on Windows, where none of its pods can run", fleet(103, on("w-50", draining(2*time.Hour)), on("w-103", func(n *Node) { n.Windows, n.Labels = true, nil })), "node w-103", judgetest.Want{State: warning, Says: []string{"the MCO drains nothing there"}, Not: []string{"w-50"}}},
		{"a drain elsewhere hangs", fleet(103, on("w-50", draining(2*time.Hour)), on("w-103", taint(taintOf))), "node w-103", judgetest.Want{State: critical, Says: []string{"the drain of w-50 hangs"}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			v, short := ask(foreseen(r.nodes))
			found := slices.DeleteFunc(v.Findings, func(f plugin.Finding) bool { return f.Subject != r.of })
			beyond := 3
			if r.nodes.Nodes[102].Windows {
				beyond-- // there is nothing to tell
			}
			if r.want.Check(t, found, ""); len(found) != 1 || short != beyond {
				t.Errorf("told %d times; %d in short", len(found), short)
			}
		})
	}
}

// What all nodes have in common is worked out once for all that are asked about: allocations tell it without a clock.
func TestBeforeManyNodesIsLinear(t *testing.T) {
	p := foreseen(fleet(300, on("all", outdated, cordoned(time.Hour, "oc"))))
	spent := func(asked int) float64 {
		var targets []Target
		for _, n := range p.Nodes[:asked] {
			targets = append(targets, Target{targetNode, n.Name})
		}
		return testing.AllocsPerRun(1, func() { Foresee(p, targets, defaults(), noon) })
	}
	if hundred, all := spent(100), spent(300); all > hundred+200*100 {
		t.Errorf("200 further nodes cost %.0f allocations, a hundred %.0f", all-hundred, hundred)
	}
}

// Telling which pool each node is in takes room for each node once, however many pools there are: it is asked anew for each action.
func TestMembersInManyPools(t *testing.T) {
	s := fleet(1000)
	for i := range 60 {
		p := s.Pools[0]
		p.Name, p.Selector = fmt.Sprintf("gpu-%02d", i), &metav1.LabelSelector{MatchLabels: map[string]string{fmt.Sprintf("gpu-%02d", i): ""}}
		s.Pools = append(s.Pools, p)
		s.Nodes[i].Labels = map[string]string{p.Name: ""}
	}
	m, room := members(s.Pools, s.Nodes), 0
	for _, nodes := range m.of {
		room += cap(nodes)
	}
	if room > len(s.Nodes) || len(m.of) != 61 {
		t.Errorf("%d pools have room for %d nodes, want at most %d", len(m.of), room, len(s.Nodes))
	}
}
