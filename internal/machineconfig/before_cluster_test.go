package machineconfig

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

func TestBeforeCluster(t *testing.T) {
	for _, r := range []beforeRow{
		{name: "all is well", prospect: foreseen(rolledOut(5, time.Hour), func(p *Prospect) { p.Operators, p.Pending = []Operator{}, []PendingPod{} }), want: plugin.OK,
			says: []string{"nothing waits to happen: 1 pool up to date, 5 nodes"}, not: []string{"not seen"}},
		{name: "few of a pool's nodes could be read", prospect: foreseen(fleet(1, worker(clean), worker(func(p *Pool) { p.Machines = 44 }))), want: plugin.Unknown, says: []string{"counts 44 nodes, and only 1 could be read"}},
		{name: "an image is built for nodes that are up to date", prospect: foreseen(fleet(5, inImageMode, worker(clean), condition(condBuilding, "", time.Minute))), want: critical, says: []string{"OS image is being built, 5 outdated nodes waiting for it"}},
		{name: "an image could not be built", prospect: foreseen(fleet(5, inImageMode, worker(clean), condition(condBuildFailed, "", time.Minute))), want: warning, says: []string{"the build of its OS image failed"}},
		{name: "image mode, and the images cannot be read", prospect: foreseen(rolledOut(5, time.Hour, images)), want: warning, says: []string{"pool worker ¶ nothing is known to be pending; but whether an OS image is pending is not known"}},
		{name: "all that can be seen is well", prospect: foreseen(rolledOut(5, time.Hour)), want: plugin.OK, says: []string{"ClusterOperators and pending pods were not seen"}},
		{name: "incident 1 before the change (scenario a)", prospect: foreseen(scenario(t, "a-pending-blocked-by-cordon")), want: critical, says: []string{"pool worker ¶ update blocked, 1 of 44 nodes outdated", "1 node not Ready or cordoned", "wrk-98 → cordoned"}},
		{name: "incident 1 as published", prospect: foreseen(controller(t, "incident-two-cordoned", "")), want: warning, says: []string{"wrk-71 → cordoned by kubectl", "wrk-98 → cordoned by kubectl"}},
		{name: "a node in work", prospect: foreseen(fleet(5, on("w-01", draining(time.Minute)))), want: critical,
			says: []string{"pool worker ¶ updating, 4/5 done, w-01 draining for at least 1m", "in the end the MCO drains and, unless the change needs none, reboots w-01"}},
		{name: "a ClusterOperator is degraded", prospect: foreseen(rolledOut(5, time.Hour), func(p *Prospect) {
			p.Operators = []Operator{{"ingress", "degraded", "no router", before(time.Hour)}}
		}), want: warning, says: []string{"ClusterOperator ingress ¶ degraded ¶ since 2026-12-02 11:00 UTC ¶ no router"}},
		{name: "pods are pending, but not the one of this minute", prospect: foreseen(rolledOut(5, time.Hour), func(p *Prospect) {
			p.Pending = []PendingPod{{"a", "new", "", before(time.Second)}, {"ml", "train", "0/5 nodes are available", before(time.Hour)}}
		}), want: warning, says: []string{"1 pod pending", "ml/train, for 1h → 0/5 nodes are available"}, not: []string{"a/new"}},
		{name: "nodes that are not Ready before those that are cordoned for longer", prospect: foreseen(fleet(5, on("w-01", cordoned(5*time.Hour, "oc")), on("w-02", notReady(time.Hour)))), want: warning,
			says: []string{"2 nodes not Ready or cordoned ¶ since 2026-12-02 07:00 UTC", "[Ready is Unknown: Kubelet stopped posting node status.]\nw-01 → cordoned by oc"}},
		{name: "a node in two custom pools", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), func(s *Snapshot) {
			s.Pools = append(s.Pools, Pool{Name: "infra", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"gpu": ""}}, Target: "x"})
		})), want: warning, says: []string{"1 node in two custom pools: w-05"}},
		{name: "no pools", prospect: Prospect{}, want: plugin.Unknown, says: []string{"has no MachineConfigPools"}},
	} {
		r.target = "cluster"
		t.Run(r.name, r.check)
	}
}

// However much is amiss, each kind of it is on one screen: 20 lines below the first.
func TestBeforeClusterOneScreen(t *testing.T) {
	p := foreseen(fleet(300, on("all", outdated, cordoned(time.Hour, "oc"))))
	for i := range 30 {
		p.Operators = append(p.Operators, Operator{fmt.Sprintf("op-%02d", i), "not upgradeable", "", before(time.Hour)})
		p.Pending = append(p.Pending, PendingPod{"ml", fmt.Sprintf("train-%d", i), "", before(time.Hour)})
	}
	v := Foresee(p, []Target{{Kind: targetCluster}}, defaults(), noon)
	lines := -1
	for _, f := range v.Findings {
		lines += 1 + len(f.Details) + len(f.Table)
	}
	if lines > 20 {
		t.Errorf("%d lines below the first", lines)
	}
	judgetest.Want{State: critical, Says: []string{"pool worker ¶ update blocked, 300 of 300 nodes outdated", "check_mcp --before-change pool/worker", "ClusterOperator op-00 ¶ not upgradeable",
		"27 further ClusterOperators not well", "300 nodes not Ready or cordoned", "295 further nodes → oc get nodes", "30 pods pending", "27 further pods"}}.Check(t, v.Findings, v.Summary)
}
