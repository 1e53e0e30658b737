package machineconfig

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
)

// A node in no pool is told nothing new. What it was told before goes on: neither its machine-config-daemon nor the controller that
// drains it asks for its pool (MCO, drain_controller.go: GetPrimaryPoolNameForMCN returns "NotYetSet" and no error).
func TestBeforePoolless(t *testing.T) {
	poolless := on("w-01", func(n *Node) { n.Labels = map[string]string{} })
	failed := on("w-01", picked(2*time.Hour), degradedNode("failed to drain node: w-01 after 1 hour", time.Hour))
	harmless := changing(Change{Users: true}, policy)
	claimed := func(s *Snapshot) {
		on("w-01", func(n *Node) { n.Labels = map[string]string{"gpu": "", "infra": ""} })(s)
		for _, name := range []string{"gpu", "infra"} {
			s.Pools = append(s.Pools, Pool{Name: name, Target: "rendered-" + name, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{name: ""}}})
		}
	}
	const nothing = "nothing is drained"
	for _, r := range []beforeRow{
		{name: "done", prospect: foreseen(fleet(3, poolless)), want: warning, says: []string{"in no pool ¶", nothing}},
		{name: "being drained", prospect: foreseen(fleet(3, poolless, on("w-01", draining(4*time.Minute))), runs("w-01", pod("a", "b", ""))), want: critical,
			says: []string{"in no pool, and is being updated, draining ¶ at least since 2026-12-02 11:56 UTC", "it goes on by itself; the MCO drains and, unless the change needs none, reboots w-01: 1 pod evicted, 1 lost", "reboot it by hand → ends its 1 pod, and no PodDisruptionBudget is asked; the MCO then goes on with it"},
			not:  []string{nothing, "uncordon it →"}},
		{name: "its update failed", prospect: foreseen(fleet(3, poolless, failed)), want: critical,
			says: []string{"in no pool, and its update failed ¶ at least since 2026-12-02 11:00 UTC ¶ failed to drain node", "the daemon tries again by itself; once the cause is gone the MCO drains and", "end what degrades it → drains and"}, not: []string{nothing}},
		{name: "its update failed, in the midst of the drain", prospect: foreseen(fleet(3, poolless, on("w-01", draining(2*time.Hour)), failed)), want: critical, says: []string{"its update failed"}, not: []string{nothing, "uncordon it →"}},
		{name: "it drifted", prospect: foreseen(fleet(3, poolless, on("w-01", drifted))), want: warning, says: []string{"in no pool ¶", nothing}},
		{name: "an image was not put on", prospect: foreseen(fleet(3, inImageMode, poolless, on("w-01", drifted, func(n *Node) { n.CurrentImage = "img@older" }))), want: critical, says: []string{"drains and reboots w-01 [the OS image changes]"}, not: []string{nothing}},
		{name: "being updated, with a change that needs no drain", prospect: foreseen(fleet(3, poolless, on("w-01", applying)), harmless), want: warning, says: []string{"the MCO updates w-01 without a drain or reboot"}},
		{name: "its update failed, with a change that needs no drain", prospect: foreseen(fleet(3, poolless, failed), harmless), want: warning, says: []string{"end what degrades it → updates w-01 without a drain or reboot"}},
		{name: "two pools claim it, and it is being drained", prospect: foreseen(fleet(3, claimed, on("w-01", draining(4*time.Minute)))), want: critical, says: []string{"in no pool, as gpu and infra all claim it, and is being updated, draining", "no other change reaches it"}},
		{name: "two pools claim it", prospect: foreseen(fleet(3, claimed)), want: warning, says: []string{"no change reaches it until labels are taken from it"}},
		{name: "one of a cluster", target: "cluster", prospect: foreseen(fleet(3, worker(clean), poolless, on("w-01", draining(4*time.Minute)))), want: critical,
			says: []string{"cluster ¶ 1 node in no pool with an update that goes on: w-01", "the MCO drains and, unless the change needs none, reboots w-01"}},
		{name: "one of a cluster, and harmless", target: "cluster", prospect: foreseen(fleet(3, worker(clean), poolless, on("w-01", applying)), harmless), want: warning, says: []string{"1 node in no pool: w-01"}},
		{name: "a Windows node of a cluster", target: "cluster", prospect: foreseen(fleet(3, worker(clean), on("w-01", draining(4*time.Minute), func(n *Node) { n.Windows, n.KubeletReady, n.Unschedulable = true, true, false }))), want: plugin.OK, not: []string{"in no pool"}},
	} {
		t.Run(r.name, r.check)
	}
}
