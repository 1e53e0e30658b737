package machineconfig

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
)

func TestBeforeNode(t *testing.T) {
	held := []func(*Snapshot){on("w-01", outdated, cordoned(time.Hour, "kubectl"))}
	for _, r := range []beforeRow{
		// The incident.
		{name: "incident 1 before the taint was removed: cordoned and pending (scenario a)", target: "wrk-98", want: critical,
			prospect: foreseen(scenario(t, "a-pending-blocked-by-cordon"), runs("wrk-98", pod("ai4dd", "train-0", "StatefulSet train"), pod("ai4dd", "notebook", "")), budget("ai4dd", "train", "train-0", 0)),
			says: []string{"an update is pending for it", "cordoned", "making wrk-98 schedulable drains and, unless the change needs none, reboots wrk-98", "2 pods evicted, 1 lost for want of a controller",
				"take away taint " + taintOf + " → drains nothing: the MCO heeds no taints, it is not what holds the update", "uncordon it → drains and, unless the change needs none, reboots wrk-98 (next in line)",
				"pod ai4dd/train-0 (StatefulSet train) → evicted; the drain hangs: PodDisruptionBudget ai4dd/train allows 0", "pod ai4dd/notebook → lost: it has no controller"}},
		{name: "incident 1 with the taint alone (scenario b)", target: "wrk-98", prospect: foreseen(scenario(t, "b-pending-taint-only")), want: critical,
			says: []string{"it is ready and next in line", "whatever you do", "it is not what holds the update"}, not: []string{"cordoned", "uncordon"}},
		{name: "incident 1 as published: nothing pending", target: "wrk-98", prospect: foreseen(controller(t, "incident-two-cordoned", "")), want: warning,
			says: []string{"nothing is pending for it", "cordoned by kubectl", "no taint, cordon or pause on it holds back a drain", "uncordon it → drains nothing"}, not: []string{"reboots wrk"}},
		{name: "the MCO's own controller: two cordoned, one of them outdated", target: "wrk-98", prospect: foreseen(controller(t, "pending-blocked-two-cordoned", "pending-blocked-two-cordoned-nodes.json")), want: critical,
			says: []string{"an update is pending for it", "uncordon it → drains nothing yet: 1 unavailable, maxUnavailable 1; then it is number 1 in line"}},
		{name: "the same, and the other one is touched", target: "wrk-71", prospect: foreseen(controller(t, "pending-blocked-two-cordoned", "pending-blocked-two-cordoned-nodes.json")), want: warning,
			says: []string{"nothing is pending for it", "uncordon it → drains nothing"}},
		{name: "the MCO's own controller: a drain that a budget holds", target: "wrk-98", prospect: foreseen(drainHeldByBudget(t), runs("wrk-98", pod("ai4dd", "train-0", "")), func(p *Prospect) { p.Workloads["wrk-98"][0].Labels["app"] = "train" }),
			want: critical, says: []string{"is being updated, draining", "PodDisruptionBudget ai4dd/train allows 0 disruptions"}},
		{name: "the taint's indirect way: a drain elsewhere hangs", prospect: foreseen(fleet(5, on("w-01", taint(taintOf)), on("w-02", draining(time.Hour)))), want: critical,
			says: []string{"the drain of w-02 hangs: if the pods there find room only on w-01, the drain goes on and the reboot follows"}},
		{name: "it drains by a policy that has been relaxed since", prospect: foreseen(fleet(5, on("w-01", draining(4*time.Minute))), changing(Change{Users: true}, policy)), want: critical,
			says: []string{"is being updated, draining", "the MCO drains and, unless the change needs none, reboots w-01"}, not: []string{"without a drain or reboot"}},
		{name: "it reboots by a policy that has been relaxed since", prospect: foreseen(fleet(5, on("w-01", rebooting(4*time.Minute))), changing(Change{Users: true}, policy)), want: critical},
		{name: "lost in the midst of a harmless update, and another one waits behind it", prospect: foreseen(fleet(5, on("w-01", applying, notReady(5*time.Hour)), on("w-02", older)), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"make it Ready → once w-01 is done, drains and reboots w-02"}},
		{name: "not ready for a moment in it", prospect: foreseen(fleet(5, on("w-01", applying, notReady(time.Minute)), on("w-02", older)), changing(Change{Users: true}, policy), olderReboots), want: warning},
		{name: "a master, whose pause does not hold the arbiter behind it", target: "master-0", prospect: foreseen(controlPlane(on("master-0", outdated, cordoned(time.Hour, "oc")), on("arbiter-2", outdated))), want: critical,
			says: []string{"touch it when its workloads may be drained, and those of arbiter-2, which a pause of pool master does not hold"}, not: []string{"oc patch"}},
		{name: "a drain hangs, and the daemon has just written", prospect: foreseen(fleet(5, on("w-01", taint(taintOf)), on("w-02", draining(5*time.Minute), cordoned(time.Hour, "machine-config-controller")))), want: critical, says: []string{"the drain of w-02 hangs"}},
		{name: "a drain that has been given up for an hour", prospect: foreseen(fleet(5, on("w-01", taint(taintOf)), on("w-02", draining(5*time.Minute), degradedNode("failed to drain node: w-02 after 1 hour", 5*time.Minute)))), want: critical, says: []string{"the drain of w-02 hangs"}},
		{name: "a drain that began before the present target", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Conditions[condUpdated] = Condition{Since: before(5 * time.Minute)} }), on("w-01", taint(taintOf)), on("w-02", draining(5*time.Minute), cordoned(3*time.Hour, "machine-config-controller")))), want: critical, says: []string{"the drain of w-02 hangs"}},
		{name: "a drain of which nothing tells since when", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Conditions = nil }), on("w-01", taint(taintOf)), on("w-02", draining(5*time.Minute), func(n *Node) {
			n.Picked, n.DrainAsked, n.StateWritten, n.CordonedSince = time.Time{}, time.Time{}, time.Time{}, time.Time{}
		}))), want: critical, says: []string{"the drain of w-02 hangs"}},
		{name: "a drain that has just begun does not hang", prospect: foreseen(fleet(5, on("w-01", taint(taintOf)), on("w-02", draining(4*time.Minute)))), want: warning,
			says: []string{"nothing is pending for it; pool worker has an update outstanding for 1 other node"}, not: []string{"hangs"}},

		// One node, in each place that it can have in a rollout.
		{name: "a healthy node", prospect: foreseen(fleet(5), runs("w-01", pod("a", "b", ""))), want: plugin.OK, says: []string{"no taint, cordon or pause on it holds back a drain", "reboot it by hand → ends its 1 pod, and no PodDisruptionBudget is asked"}},
		{name: "BZ 1937814: cordoned, nothing pending", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc")))), want: warning, says: []string{"cordoned by oc", "uncordon it → drains nothing"}},
		{name: "held by its own cordon", prospect: foreseen(fleet(5, held...)), want: critical, says: []string{"making w-01 schedulable drains and", `oc patch mcp worker --type merge -p '{"spec":{"paused":true}}'`}},
		{name: "not Ready and outdated", prospect: foreseen(fleet(5, on("w-01", outdated, notReady(time.Hour)))), want: critical, says: []string{"making w-01 Ready drains and", "make it Ready → drains and"}},
		{name: "both: neither alone is enough", prospect: foreseen(fleet(5, on("w-01", outdated, notReady(time.Hour), cordoned(time.Hour, "oc")))), want: critical,
			says: []string{"uncordon it → drains nothing yet: w-01 is still not Ready", "make it Ready → drains nothing yet: w-01 is still cordoned", "both → drains and", "making w-01 schedulable and Ready drains"}},
		{name: "up to date, and its cordon holds another", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc")), on("w-03 w-04", outdated))), want: critical,
			says: []string{"nothing is pending for it, but others wait behind it", "touching it can have w-03 drained", "uncordon it → drains and, unless the change needs none, reboots w-03, which is next in line", "check_mcp --before-change w-03"}, not: []string{"w-04"}},
		{name: "up to date, and its cordon holds the rest of a rollout that runs", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc")), on("w-02", rebooting(4*time.Minute)), on("w-03 w-04 w-05", outdated))), want: critical,
			says: []string{"others wait behind it", "uncordon it → once w-02 is done, drains and, unless the change needs none, reboots w-03, which is next in line"}},
		{name: "the same, and it is not Ready", prospect: foreseen(fleet(5, on("w-01", notReady(time.Hour)), on("w-02", rebooting(4*time.Minute)), on("w-03 w-04 w-05", outdated))), want: critical,
			says: []string{"make it Ready → once w-02 is done, drains and"}},
		{name: "the rollout goes on without it", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Limit = "2" }), on("w-01", cordoned(time.Hour, "oc")), on("w-02 w-03", rebooting(4*time.Minute)), on("w-04", outdated))), want: warning,
			says: []string{"uncordon it → drains nothing"}, not: []string{"once w-02"}},
		{name: "next in line by itself", prospect: foreseen(fleet(5, on("w-01", outdated))), want: critical, says: []string{"it is ready and next in line", "whatever you do, the MCO drains and"}},
		{name: "third in line", target: "w-03", prospect: foreseen(fleet(5, on("w-01 w-02 w-03", outdated))), want: critical, says: []string{"it is ready and number 3 in line", "in its turn the MCO drains"}},
		{name: "cordoned, and others use up maxUnavailable", prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Hour, "oc")), on("w-02", notReady(time.Hour)))), want: critical,
			says: []string{"uncordon it → drains nothing yet: 1 unavailable, maxUnavailable 1", "once it is ready and its turn comes"}},
		{name: "how long nodes took in this rollout", prospect: foreseen(rolledOut(5, 10*time.Minute, on("w-01", outdated, cordoned(time.Hour, "oc")))), want: critical,
			says: []string{"how long → 10m for a node, 1 at a time, told from the last 4 nodes of pool worker"}},
		{name: "four at a time: how long one of them is away", prospect: foreseen(bunched(44, "4", on("w-01", outdated, cordoned(time.Hour, "oc")))), want: critical,
			says: []string{"how long → 20m for a node, 4 at a time, told from the last 43 nodes of pool worker"}},
		{name: "being drained", prospect: foreseen(fleet(5, on("w-01", draining(4*time.Minute)))), want: critical, says: []string{"is being updated, draining", "uncordoning it now would put pods back in the midst of its drain"}, not: []string{"uncordon it →"}},
		{name: "rebooting", prospect: foreseen(fleet(5, on("w-01", rebooting(4*time.Minute)))), want: critical, says: []string{"is being updated, rebooting"}},
		{name: "rebooted by hand while in work", prospect: foreseen(fleet(5, on("w-01", rebooting(4*time.Minute))), runs("w-01", pod("a", "b", "Job c"))), want: critical, says: []string{"no PodDisruptionBudget is asked; the MCO then goes on with it"}, not: []string{"comes back"}},
		{name: "okd 593: its update failed", prospect: foreseen(fleet(5, on("w-01", picked(time.Hour), degradedNode("failed to drain node: w-01 after 1 hour", time.Hour)))), want: critical, says: []string{"its update failed", "the daemon tries again by itself"}},
		{name: "okd 593: its update failed, and the drain is tried on", prospect: foreseen(fleet(5, on("w-01", draining(2*time.Hour), degradedNode("failed to drain node: w-01 after 1 hour", time.Hour)))), want: critical,
			says: []string{"its update failed", "uncordoning it now would put pods back in the midst of its drain"}, not: []string{"uncordon it →"}},
		{name: "MCO 367: drifted", prospect: foreseen(fleet(5, on("w-01", degradedNode(`content mismatch for file "/etc/x"`, time.Hour)))), want: warning, says: []string{"degraded, with no change pending", "undo the change of /etc/x"}},
		{name: "drifted and outdated: the remedy has it drained", prospect: foreseen(fleet(5, on("w-01", outdated, degradedNode(`content mismatch for file "/etc/x"`, time.Hour)))), want: critical,
			says: []string{"degraded, and an update is pending for it", "once the cause is gone and its turn comes, the MCO drains and", "end what degrades it → drains and, unless the change needs none, reboots w-01 (next in line)"}},
		{name: "drifted and outdated, and there is room: the MCO takes it as it is", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Limit = "2" }), on("w-01", outdated, degradedNode("unexpected on-disk state", time.Hour)))), want: critical,
			says: []string{"whatever you do, the MCO drains and"}},
		{name: "drifted, and others wait behind it", prospect: foreseen(fleet(5, on("w-01", degradedNode("unexpected on-disk state", time.Hour)), on("w-02", outdated))), want: critical,
			says: []string{"end what degrades it → drains and, unless the change needs none, reboots w-02, which is next in line"}},
		{name: "failed at a target that was withdrawn: the MCO takes it", prospect: foreseen(fleet(5, on("w-01", outdated, withdrawn))), want: critical, says: []string{"its update failed", "whatever you do, the MCO drains and"}},
		{name: "failed at a target that was withdrawn, and a cordon elsewhere holds it", prospect: foreseen(fleet(5, on("w-02", cordoned(time.Hour, "oc")), on("w-01", outdated, withdrawn))), target: "w-02", want: critical,
			says: []string{"others wait behind it", "uncordon it → drains and, unless the change needs none, reboots w-01, which is next in line"}},
		{name: "in no pool", prospect: foreseen(fleet(5, on("w-01", func(n *Node) { n.Labels = map[string]string{} }))), want: warning, says: []string{"in no pool"}},

		// What follows a harmless update, with no further action by anybody.
		{name: "its own update is harmless, and the next node reboots", prospect: foreseen(fleet(5, append(held, on("w-02 w-03", older))...), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"uncordon it → updates w-01 without a drain or reboot (next in line); then drains and reboots w-02, and 1 further node", "making w-01 schedulable updates w-01 without a drain or reboot", "touching it can have w-02 and w-03 drained", "check_mcp --before-change w-02"}},
		{name: "up to date, the next update is harmless, and the one after it reboots", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc")), on("w-02", outdated), on("w-03", older)), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"uncordon it → updates w-02 without a drain or reboot, which is next in line; then drains and reboots w-03"}},
		{name: "up to date, and all that waits behind it is harmless", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc")), on("w-02 w-03", outdated)), changing(Change{Users: true}, policy)), want: warning,
			says: []string{"nothing is pending for it; pool worker has an update outstanding for 2 other nodes", "uncordon it → updates w-02 without a drain or reboot"}, not: []string{"drained"}},
		{name: "what is drained in any case is no news", prospect: foreseen(fleet(5, append(held, worker(func(p *Pool) { p.Limit = "2" }), on("w-02", outdated), on("w-03", older))...), changing(Change{Users: true}, policy), olderReboots), want: warning,
			says: []string{"uncordon it → updates w-01 without a drain or reboot (next in line)"}, not: []string{"w-03"}},
		{name: "unpausing begins with a harmless update", prospect: foreseen(fleet(5, on("w-01", outdated), on("w-02", older), paused("oc")), changing(Change{Users: true}, policy), olderReboots), want: warning,
			says: []string{"unpausing drains w-02", "unpause pool worker → updates w-01 without a drain or reboot (next in line); then drains and reboots w-02"}},
		{name: "its own update is harmless, and a drain elsewhere hangs", prospect: foreseen(fleet(5, append(held, worker(func(p *Pool) { p.Limit = "2" }), on("w-02", draining(time.Hour), func(n *Node) { n.Current = "rendered-older" }))...), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"uncordon it → updates w-01 without a drain or reboot (next in line); but the drain of w-02 hangs"}},

		// Several things hold it.
		{name: "cordoned and drifted", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc"), drifted), on("w-03", outdated))), want: critical,
			says: []string{"uncordon it → drains nothing more now", "end what degrades it → drains nothing more now", "both → drains and, unless the change needs none, reboots w-03, which is next in line"}},
		{name: "not Ready and drifted", prospect: foreseen(fleet(5, on("w-01", notReady(time.Hour), drifted), on("w-03", outdated))), want: critical, says: []string{"both → drains and, unless the change needs none, reboots w-03"}},
		{name: "cordoned, not Ready and drifted", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc"), notReady(time.Hour), drifted), on("w-03", outdated))), want: critical, says: []string{"all three → drains and, unless the change needs none, reboots w-03"}},
		{name: "cordoned, drifted and paused", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc"), drifted), on("w-03", outdated), paused("oc"))), want: warning, says: []string{"unpausing drains w-03", "make it ready, and unpause → drains and, unless the change needs none, reboots w-03"}},
		{name: "drifted and paused", prospect: foreseen(fleet(5, on("w-01", drifted), on("w-03", outdated), paused("oc"))), want: warning, says: []string{"unpausing drains w-03", "make it ready, and unpause → drains and, unless the change needs none, reboots w-03"}},

		// Masters and arbiter do not go at the same time.
		{name: "the masters wait behind a cordoned arbiter", target: "arbiter-2", prospect: foreseen(controlPlane(on("arbiter-2", cordoned(time.Hour, "oc")), on("master-0 master-1", outdated))), want: critical,
			says: []string{"others wait behind it", "uncordon it → drains and, unless the change needs none, reboots master-0, which is next in line"}},
		{name: "the arbiter waits behind a cordoned master", target: "master-0", prospect: foreseen(controlPlane(on("master-0", cordoned(time.Hour, "oc")), on("arbiter-2", outdated))), want: critical,
			says: []string{"uncordon it → drains and, unless the change needs none, reboots arbiter-2"}},
		{name: "the arbiter waits for the masters", target: "arbiter-2", prospect: foreseen(controlPlane(on("arbiter-2", outdated, cordoned(time.Hour, "oc")), on("master-0", outdated), on("master-1", cordoned(time.Hour, "oc")))), want: critical,
			says: []string{"uncordon it → drains nothing"}},
		{name: "the arbiter does not wait for a master that failed", target: "arbiter-2", prospect: foreseen(controlPlane(on("arbiter-2", outdated, cordoned(time.Hour, "oc")), on("master-0", degradedNode("x", time.Hour), func(n *Node) { n.Current = oldConfig }))), want: critical,
			says: []string{"uncordon it → drains and, unless the change needs none, reboots arbiter-2 (next in line)"}},
		{name: "the arbiter does not wait for masters that are paused", target: "arbiter-2", prospect: foreseen(controlPlane(worker(func(p *Pool) { p.Paused = true }), on("arbiter-2", outdated, cordoned(time.Hour, "oc")), on("master-0 master-1", outdated))), want: critical,
			says: []string{"uncordon it → drains and, unless the change needs none, reboots arbiter-2 (next in line)"}},

		// In work or failed, and the change needs no drain.
		{name: "being updated, with a change that needs no drain", prospect: foreseen(fleet(5, on("w-01", applying)), changing(Change{Users: true}, policy)), want: warning, says: []string{"is being updated", "the MCO updates w-01 without a drain or reboot"}},
		{name: "its update failed, with a change that needs no drain", prospect: foreseen(fleet(5, on("w-01", picked(time.Hour), degradedNode("x", time.Hour))), changing(Change{Users: true}, policy)), want: warning,
			says: []string{"its update failed", "once the cause is gone the MCO updates w-01 without a drain or reboot"}},
		{name: "the same, and others wait behind it", prospect: foreseen(fleet(5, on("w-01", picked(time.Hour), degradedNode("x", time.Hour)), on("w-02", older)), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"its update failed", "end what degrades it → updates w-01 without a drain or reboot; once w-01 is done, drains and reboots w-02, which is next in line", "touching it can have w-02 drained"}},
		{name: "drifted and outdated, with a change that needs no drain", prospect: foreseen(fleet(5, on("w-01", outdated, drifted)), changing(Change{Users: true}, policy)), want: warning, says: []string{"degraded, and an update is pending for it"}},
		{name: "failed at what the pool has given up, harmless so far, and what follows was not compared", prospect: foreseen(fleet(5, on("w-01", outdated, withdrawn, notReady(time.Minute), func(n *Node) { n.Desired = "rendered-b" })), changing(Change{Users: true}, policy), givenUp(Change{Users: true})), want: critical,
			says: []string{"its update failed", "end what degrades it → once w-01 is done, drains and, unless the change needs none, reboots w-01 (next in line)"}},
		{name: "nothing differs but the name", prospect: foreseen(fleet(5, held...), changing(Change{}, nil)), want: warning, says: []string{"making w-01 schedulable updates w-01 without a drain or reboot [nothing differs but the name]"}},
		{name: "what differs is not known", prospect: foreseen(fleet(5, held...), changing(Change{Other: true}, policy)), want: critical, says: []string{"drains and, unless the change needs none, reboots w-01"}},

		// Pauses.
		{name: "KCS 5477811: paused, outdated and ready", prospect: foreseen(fleet(5, on("all", outdated), paused("oc"))), want: critical,
			says: []string{"unpause pool worker → drains and, unless the change needs none, reboots w-01", "pool worker is paused by oc for 2d 2h", "leave pool worker paused"}},
		{name: "paused, outdated and cordoned", prospect: foreseen(fleet(5, append(held, paused("oc"))...)), want: critical,
			says: []string{"uncordon it → drains nothing yet: pool worker is paused", "unpause pool worker → drains nothing yet: w-01 is still cordoned", "make it ready, and unpause → drains and"}},
		{name: "paused, and only others are outdated", prospect: foreseen(fleet(5, on("w-02", outdated), paused("oc"))), want: warning,
			says: []string{"unpausing drains w-02"}},
		{name: "paused, and its taint keeps out what a drain elsewhere waits for", prospect: foreseen(fleet(5, on("w-01", taint(taintOf)), on("w-02", draining(time.Hour)), paused("oc"))), want: critical,
			says: []string{"touching it can have w-02 drained", "the drain of w-02 hangs"}},
		{name: "paused, and the drain that waits is of another pool", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), on("w-05", draining(time.Hour)), on("w-01", taint(taintOf)), paused("oc"))), want: critical,
			says: []string{"touching it can have w-05 drained"}},
		{name: "paused, cordoned, and another pool waits for nothing here", prospect: foreseen(fleet(5, on("w-02", outdated), on("w-01", cordoned(time.Hour, "oc")), paused("oc"))), want: warning,
			says: []string{"unpausing drains w-02"}},
		{name: "paused, harmless for itself, but not for others", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Limit = "2" }), on("w-01 w-02", outdated), on("w-02", func(n *Node) { n.Current, n.Desired = "rendered-older", "rendered-older" }), paused("oc")), changing(Change{Users: true}, policy)), want: warning,
			says: []string{"unpausing drains w-02", "unpausing pool worker updates w-01 without a drain or reboot", "reboots w-02, which is next in line"}},
		{name: "paused, its harmless update failed, and another waits", prospect: foreseen(fleet(5, on("w-01", picked(time.Hour), degradedNode("x", time.Hour)), on("w-02", older), paused("oc")), changing(Change{Users: true}, policy), olderReboots), want: warning,
			says: []string{"once the cause is gone the MCO updates w-01 without a drain or reboot", "; unpausing drains w-02"}},
		{name: "paused, in work at a harmless update, and another waits", prospect: foreseen(fleet(5, on("w-01", applying), on("w-02", older), paused("oc")), changing(Change{Users: true}, policy), olderReboots), want: warning,
			says: []string{"the MCO updates w-01 without a drain or reboot", "; unpausing drains w-02"}},
		{name: "image build not done", prospect: foreseen(fleet(5, append(held, condition(condBuilding, "", time.Hour))...)), want: critical, says: []string{"uncordon it → drains nothing yet: the OS image is not built"}},
		{name: "an image is built for nodes that are up to date", prospect: foreseen(fleet(5, inImageMode, worker(clean), condition(condBuilding, "", time.Minute))), want: critical,
			says: []string{"an update is pending for it", "the OS image is being built", "in its turn the MCO drains and reboots w-01 [the OS image changes]"}},
		{name: "an image is built, and else the change is harmless", prospect: foreseen(fleet(5, append(held, inImageMode, condition(condBuildPending, "", time.Hour))...), changing(Change{Users: true}, policy)), want: critical, says: []string{"the MCO drains and reboots w-01 [the OS image changes]"}},
		{name: "an image could not be put on", prospect: foreseen(fleet(5, inImageMode, on("w-01", drifted, func(n *Node) { n.CurrentImage = "img@older" }))), want: critical,
			says: []string{"its update failed", "once the cause is gone the MCO drains and reboots w-01 [the OS image changes]"}},
		{name: "an image could not be built", prospect: foreseen(fleet(5, inImageMode, worker(clean), condition(condBuildFailed, "", time.Minute))), want: warning, says: []string{"nothing is pending for it; but the OS image of pool worker could not be built: once it can, its nodes are drained and rebooted"}},
		{name: "an image could not be built, and else the change is harmless", prospect: foreseen(fleet(5, append(held, inImageMode, condition(condBuildInterrupted, "", time.Hour))...), changing(Change{Users: true}, policy)), want: critical, says: []string{"the MCO drains and reboots w-01 [the OS image changes]"}},
		{name: "how far the builds are is not known", prospect: foreseen(fleet(5, inImageMode, func(s *Snapshot) { s.Images.unbuilt = true })), want: warning, says: []string{"nothing is pending for it; but whether an OS image is being built for pool worker is not known"}},
		{name: "few of the pool's nodes could be read", prospect: foreseen(fleet(1, worker(func(p *Pool) { p.Machines = 44 }))), want: warning, says: []string{"nothing is pending for it; but only 1 of the 44 nodes of pool worker could be read"}},
		{name: "the controller is dead", prospect: foreseen(fleet(5, append(held, func(s *Snapshot) { s.ControllerSeen = before(time.Hour) })...)), want: critical, says: []string{"what is told here does not happen until it runs again, and then at once"}},

		{name: "the controller is dead, and nothing pends", prospect: foreseen(fleet(5, func(s *Snapshot) { s.ControllerSeen = before(time.Hour) })), want: warning, says: []string{"machine-config-controller ¶ dead or silent"}},

		// Labels.
		{name: "labelled into another pool", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}))), want: plugin.OK,
			says: []string{"label it into pool gpu → drains and, unless the change needs none, reboots w-01 (next in line)"}},
		{name: "out of a custom pool", target: "w-05", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}))), want: plugin.OK, says: []string{"label it into pool worker → drains and"}},
		{name: "labelled into a paused pool", prospect: foreseen(fleet(5, gpuPool("w-05", func(p *Pool) { p.Paused = true }))), want: plugin.OK,
			says: []string{"label it into pool gpu → drains nothing yet: pool gpu is paused; in its turn it is brought to rendered-gpu"}},
		{name: "OCPBUGS: two custom pools", target: "w-05", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), func(s *Snapshot) {
			s.Pools = append(s.Pools, Pool{Name: "infra", Target: "rendered-infra", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"infra": ""}}})
		})), want: plugin.OK, says: []string{"label it into pool infra → two custom pools then claim it"}},

		{name: "labelled while in work", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), on("w-01", rebooting(time.Minute)))), want: critical,
			says: []string{"label it into pool gpu → what has begun is finished first; once w-01 is done, drains and, unless the change needs none, reboots w-01"}, not: []string{"already"}},
		{name: "labelled while in work makes room for others", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), on("w-01", rebooting(time.Minute)), on("w-02", outdated))), want: critical,
			says: []string{"label it into pool gpu → what has begun is finished first; drains and, unless the change needs none, reboots w-02, which is next in line; once w-01 is done"}},
		{name: "labelled though it failed", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), on("w-01", picked(time.Hour), degradedNode("x", time.Hour)))), want: critical,
			says: []string{"label it into pool gpu → drains and, unless the change needs none, reboots w-01 (next in line)"}},
		{name: "a Windows node", target: "w-05", prospect: foreseen(fleet(5, gpuPool("w-04", func(*Pool) {}), on("w-05", func(n *Node) { n.Windows = true }))), want: warning,
			says: []string{"it runs Windows, and the MCO takes no care of it"}, not: []string{"label it", "two custom pools"}},
		{name: "a Windows node, with its taint and cordoned, while a drain hangs: no pod from there can run on it", target: "w-05", want: warning,
			prospect: foreseen(fleet(5, gpuPool("w-04", func(*Pool) {}), on("w-02", draining(time.Hour)), on("w-05", taint("os=Windows:NoSchedule"), cordoned(time.Hour, "oc"), func(n *Node) {
				n.Windows, n.Current, n.Desired, n.State = true, "", "", ""
			})), runs("w-05", pod("a", "b", "Job c"))),
			says: []string{"the MCO drains nothing there, whatever its labels", "reboot it by hand → ends its 1 pod, and no PodDisruptionBudget is asked; it comes back cordoned"}, not: []string{"take away taint", "uncordon it", "make it Ready", "label it", "hangs"}},
		{name: "Ready, and its machine-config-daemon has never run", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), on("w-01", func(n *Node) { n.Current, n.Desired, n.State = "", "", "" }))), want: critical,
			says: []string{"starting the machine-config-daemon of w-01 drains and", "start its machine-config-daemon → drains and", "label it into pool gpu → drains nothing yet: w-01 is still without a machine-config-daemon"}, not: []string{"make it Ready", "cordoned"}},
		{name: "in two custom pools", target: "w-05", prospect: foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), func(s *Snapshot) {
			s.Pools = append(s.Pools, Pool{Name: "infra", Target: "rendered-infra", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"infra": ""}}})
			s.Nodes[4].Labels["infra"] = ""
		})), want: warning, says: []string{"in no pool, as gpu and infra all claim it", "leave it the labels of pool infra only → drains and, unless the change needs none, reboots w-05 (next in line)",
			"leave it the labels of pool gpu only → it runs the target of that pool already", "leave it the labels of pool worker only → drains and"}},

		// What the change needs.
		{name: "the OS image changes", prospect: foreseen(fleet(5, held...), changing(Change{System: []string{"OS image"}}, policy)), want: critical, says: []string{"making w-01 schedulable drains and reboots w-01 [changed: OS image]"}},
		{name: "a file without a policy", prospect: foreseen(fleet(5, held...), changing(Change{Files: []string{"/etc/chrony.conf"}}, policy)), want: critical, says: []string{"drains and reboots w-01 [changed: /etc/chrony.conf, and no node disruption policy covers it]"}},
		{name: "a file, and no policy can be read", prospect: foreseen(fleet(5, held...), changing(Change{Files: []string{"/etc/chrony.conf"}}, nil)), want: critical, says: []string{"drains and, unless the change needs none, reboots w-01 [changed: /etc/chrony.conf]"}},
		{name: "SSH keys only: harmless", prospect: foreseen(fleet(5, held...), changing(Change{Users: true}, policy), runs("w-01", pod("a", "b", ""))), want: warning, says: []string{"updates w-01 without a drain or reboot [changed: SSH keys or passwords, by the node disruption policy]"}, not: []string{"1 pod evicted", "touch it when"}},
		{name: "a path below a policy's folder: harmless", prospect: foreseen(fleet(5, held...), changing(Change{Files: []string{"/etc/nmstate/openshift/br0.yml"}}, policy)), want: warning},
		{name: "registries.conf: a drain", prospect: foreseen(fleet(5, held...), changing(Change{Files: []string{"/etc/containers/registries.conf"}, Units: []string{"a.service"}}, policy)), want: critical, says: []string{"drains w-01, without a reboot"}},
		{name: "image mode: the image changes", prospect: foreseen(fleet(5, on("all", func(n *Node) { n.CurrentImage, n.DesiredImage = "img@new", "img@new" }), on("w-01", cordoned(time.Hour, "oc"), func(n *Node) { n.CurrentImage, n.DesiredImage = "img@old", "img@old" }),
			func(s *Snapshot) { s.Images = poolImages{read: true, of: map[string]string{"worker": "img@new"}} })), want: critical, says: []string{"drains and reboots w-01 [the OS image changes]"}},

		{name: "in work at what the pool has given up, of which nothing is known", prospect: foreseen(fleet(5, on("w-01", rebooting(time.Minute), func(n *Node) { n.Desired = "rendered-b" })), changing(Change{Users: true}, policy)), want: critical,
			says: []string{"the MCO drains and, unless the change needs none, reboots w-01"}, not: []string{"without a drain"}},
		{name: "in work at what the pool has given up, for what the node runs still, and harmless", prospect: foreseen(fleet(5, on("w-01", applying, func(n *Node) { n.Current, n.Desired = newConfig, "rendered-b" })), func(p *Prospect) { p.Changes[[2]string{newConfig, "rendered-b"}] = Change{} }), want: warning,
			says: []string{"the MCO updates w-01 without a drain or reboot"}},
		{name: "a failed node takes the room", prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Hour, "oc")), on("w-02", picked(time.Hour), degradedNode("x", time.Hour)))), want: critical,
			says: []string{"uncordon it → drains nothing yet: 0 unavailable, 1 failed, maxUnavailable 1; then it is number 1 in line"}},
		{name: "its pool has no rendered configuration", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Target = "" }))), want: warning,
			says: []string{"nothing is pending for it; but pool worker has no rendered configuration: what is pending once it has one is not known"}, not: []string{"holds back a drain", "in its turn"}},
		{name: "in work at what the pool has given up, which reboots", prospect: foreseen(fleet(5, on("w-01", rebooting(time.Minute), func(n *Node) { n.Desired = "rendered-b" })), changing(Change{Users: true}, policy), givenUp(Change{System: []string{"OS image"}})), want: critical,
			says: []string{"the MCO drains and reboots w-01 [changed: OS image]"}},

		// What is not known.
		{name: "image mode, and the images cannot be read", prospect: foreseen(fleet(5, images)), want: warning, says: []string{"nothing is pending for it; but whether an OS image is pending is not known"}},
		{name: "the pool does not render (scenario h)", target: "wrk-98", prospect: foreseen(scenario(t, "h-render-degraded")), want: warning, says: []string{"pool worker cannot render its configuration"}},
		{name: "the pool was changed a moment ago", prospect: foreseen(rolledOut(5, time.Hour, worker(func(p *Pool) { p.Generation = 8 }))), want: warning, says: []string{"was changed, and machine-config-controller has not looked at it yet"}},
		{name: "not Ready: a reboot that brings it back sets off the same", prospect: foreseen(fleet(5, on("w-01", notReady(time.Hour)), on("w-02", outdated)), runs("w-01", pod("a", "b", "Job c"))), want: critical,
			says: []string{"reboot it by hand → ends its 1 pod, and no PodDisruptionBudget is asked; if it comes back Ready: drains and, unless the change needs none, reboots w-02"}, not: []string{"as it is now"}},
		{name: "not Ready and cordoned", prospect: foreseen(fleet(5, on("w-01", outdated, notReady(time.Hour), cordoned(time.Hour, "oc"))), runs("w-01", pod("a", "b", "Job c"))), want: critical,
			says: []string{"if it comes back Ready: drains nothing yet: w-01 is still cordoned"}},

		// Workloads.
		{name: "GPUs, local volumes and emptyDirs are named", want: critical, prospect: foreseen(fleet(5, held...), runs("w-01", pod("a", "web-1", "Deployment web"), pod("a", "web-2", "Deployment web"),
			Workload{Pod: Pod{Namespace: "ml", Name: "train-0"}, Owner: "Job train", GPUs: 4}, Workload{Pod: Pod{Namespace: "db", Name: "db-0"}, Owner: "StatefulSet db", Local: true, Scratch: true})),
			says: []string{"4 pods evicted, 4 GPUs in use, 1 with a local volume", "pod ml/train-0 (Job train) → evicted; 4 GPUs", "local volume: it cannot start on another node; emptyDir: its contents are deleted", "2 pods in a (Deployment web) → evicted"}},
		{name: "a pod that two budgets select", prospect: foreseen(fleet(5, held...), runs("w-01", pod("db", "db-0", "StatefulSet db")), budget("db", "a", "db-0", 1), budget("db", "b", "db-0", 1)), want: critical,
			says: []string{"selected by 2 PodDisruptionBudgets", "before the drain: leave it one PodDisruptionBudget"}},
		{name: "two budgets refuse a pod that is not ready, however lenient, and not one that is pending", prospect: foreseen(fleet(5, held...), runs("w-01", pod("db", "db-0", "StatefulSet db"), pod("db", "new", "Job new")),
			func(p *Prospect) {
				p.Workloads["w-01"][0].Unready, p.Workloads["w-01"][1].Pending = true, true
				p.Budgets = []Budget{{Namespace: "db", Name: "a", Selector: &metav1.LabelSelector{}, Lenient: true}, {Namespace: "db", Name: "b", Selector: &metav1.LabelSelector{}, Lenient: true}}
			}), want: critical, says: []string{"pod db/db-0 is selected by 2 PodDisruptionBudgets"}, not: []string{"pod db/new is selected"}},
		{name: "a budget that allows a disruption does not hang the drain", prospect: foreseen(fleet(5, held...), runs("w-01", pod("db", "db-0", "StatefulSet db")), budget("db", "a", "db-0", 1)), want: critical, not: []string{"hangs"}},
		{name: "the budgets cannot be read", prospect: foreseen(fleet(5, held...), runs("w-01", pod("a", "b", "Job c")), func(p *Prospect) { p.NoBudgets = true }), want: critical, says: []string{"which PodDisruptionBudget will hang the drain is not known"}},
		{name: "the pods cannot be read", prospect: foreseen(fleet(5, held...)), want: critical, says: []string{"which pods that evicts could not be read"}, not: []string{"pods evicted"}},
		{name: "outside every window", prospect: foreseen(fleet(5, held...)), limits: func(l *Limits) { l.Windows = windows(t, "UTC", "sat 22:00-sun 04:00") }, want: critical, says: []string{"outside every window; the next opens in 3d 10h"}},
	} {
		t.Run(r.name, r.check)
	}
}
