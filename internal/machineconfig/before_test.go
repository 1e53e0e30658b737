package machineconfig

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

func foreseen(s Snapshot, changes ...func(*Prospect)) Prospect {
	p := Prospect{Snapshot: s, Workloads: map[string][]Workload{}, Changes: map[[2]string]Change{}}
	for _, change := range changes {
		change(&p)
	}
	return p
}

func runs(node string, workloads ...Workload) func(*Prospect) {
	return func(p *Prospect) { p.Workloads[node] = append(p.Workloads[node], workloads...) }
}

func pod(namespace, name, owner string) Workload {
	return Workload{Pod: Pod{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}}, Owner: owner}
}

func budget(namespace, name, app string, allowed int) func(*Prospect) {
	return func(p *Prospect) {
		p.Budgets = append(p.Budgets, Budget{Namespace: namespace, Name: name, Allowed: allowed, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}})
	}
}

func changing(c Change, policy *Policy) func(*Prospect) {
	return func(p *Prospect) { p.Changes[[2]string{oldConfig, newConfig}], p.Policy = c, policy }
}

// givenUp is the change to a configuration that the pool had before.
func givenUp(c Change) func(*Prospect) {
	return func(p *Prospect) { p.Changes[[2]string{oldConfig, "rendered-b"}] = c }
}

// images has the nodes run an image; which one they should run is not read.
func images(s *Snapshot) {
	s.Images.read = false
	on("all", func(n *Node) { n.CurrentImage, n.DesiredImage = "img@old", "img@old" })(s)
}

func paused(by string) func(*Snapshot) {
	return worker(func(p *Pool) { p.Paused, p.PausedBy, p.PausedWritten = true, by, before(50*time.Hour) })
}

// gpuPool is a custom pool besides the workers', of which the nodes named are members.
func gpuPool(members string, change func(*Pool)) func(*Snapshot) {
	return func(s *Snapshot) {
		s.Pools = append(s.Pools, Pool{Name: "gpu", Target: "rendered-gpu", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"gpu": ""}}})
		change(&s.Pools[len(s.Pools)-1])
		on(members, func(n *Node) {
			n.Labels = map[string]string{"node-role.kubernetes.io/worker": "", "gpu": ""}
			n.Current, n.Desired = "rendered-gpu", "rendered-gpu"
		})(s)
	}
}

var policy = &Policy{Files: map[string][]string{"/etc/containers/registries.conf": {actionSpecial}, "/etc/nmstate/openshift": {"None"}, "/etc/mine": {actionDrain}},
	Units: map[string][]string{"a.service": {"Reload"}}, SSHKeys: []string{"None"}}

// older has the node run what the OS image of all later configurations differs from.
func older(n *Node) { n.Current, n.Desired = "rendered-older", "rendered-older" }

func olderReboots(p *Prospect) {
	p.Changes[[2]string{"rendered-older", newConfig}] = Change{System: []string{"OS image"}}
}

// applying: in work, and not drained for it.
func applying(n *Node) {
	picked(time.Minute)(n)
	n.State = stateWorking
}

func drifted(n *Node) { degradedNode("unexpected on-disk state", time.Hour)(n) }

// inImageMode has the nodes run the image that they should.
func inImageMode(s *Snapshot) {
	images(s)
	s.Images = poolImages{read: true, of: map[string]string{"worker": "img@old"}}
}

func clean(p *Pool) { p.Conditions = map[string]Condition{condUpdated: {True: true}} }

// controlPlane is two masters and an arbiter.
func controlPlane(changes ...func(*Snapshot)) Snapshot {
	s := fleet(3)
	role := func(name string) map[string]string { return map[string]string{"node-role.kubernetes.io/" + name: ""} }
	s.Pools = []Pool{s.Pools[0], s.Pools[0]}
	for i, name := range []string{"master", "arbiter"} {
		s.Pools[i].Name, s.Pools[i].Selector = name, &metav1.LabelSelector{MatchLabels: role(name)}
	}
	for i, name := range []string{"master", "master", "arbiter"} {
		s.Nodes[i].Name, s.Nodes[i].Labels = fmt.Sprintf("%s-%d", name, i), role(name)
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// withdrawn: failed at a configuration that its pool has given up since.
func withdrawn(n *Node) {
	n.Desired = "rendered-bad"
	degradedNode("bad", time.Hour)(n)
}

type beforeRow struct {
	name     string
	prospect Prospect
	target   string // default w-01
	limits   func(*Limits)
	want     plugin.State
	says     []string
	not      []string
}

func (r beforeRow) check(t *testing.T) {
	t.Helper()
	limits, now := defaults(), noon
	if r.limits != nil {
		r.limits(&limits)
	}
	if r.target == "" {
		r.target = "w-01"
	}
	if n := len(r.prospect.Nodes); n > 40 && n < 50 {
		now = at(t, "2026-12-01T04:30:00Z") // a recording
	}
	target, err := parseTarget(r.target)
	if err != nil {
		t.Fatal(err)
	}
	v := Foresee(r.prospect, []Target{target}, limits, now)
	judgetest.Want{State: r.want, Says: r.says, Not: r.not}.Check(t, v.Findings, v.Summary)
}

const (
	critical = plugin.Critical
	warning  = plugin.Warning
	taintOf  = "ai4dd-a100-reserved=true:NoSchedule"
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
		{name: "unpausing begins with a harmless update", prospect: foreseen(fleet(5, on("w-01", outdated), on("w-02", older), paused("oc")), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"unpause pool worker → updates w-01 without a drain or reboot (next in line); then drains and reboots w-02"}},
		{name: "its own update is harmless, and a drain elsewhere hangs", prospect: foreseen(fleet(5, append(held, worker(func(p *Pool) { p.Limit = "2" }), on("w-02", draining(time.Hour), func(n *Node) { n.Current = "rendered-older" }))...), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"uncordon it → updates w-01 without a drain or reboot (next in line); but the drain of w-02 hangs"}},

		// Several things hold it.
		{name: "cordoned and drifted", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc"), drifted), on("w-03", outdated))), want: critical,
			says: []string{"uncordon it → drains nothing more now", "end what degrades it → drains nothing more now", "both → drains and, unless the change needs none, reboots w-03, which is next in line"}},
		{name: "not Ready and drifted", prospect: foreseen(fleet(5, on("w-01", notReady(time.Hour), drifted), on("w-03", outdated))), want: critical, says: []string{"both → drains and, unless the change needs none, reboots w-03"}},
		{name: "cordoned, not Ready and drifted", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc"), notReady(time.Hour), drifted), on("w-03", outdated))), want: critical, says: []string{"all three → drains and, unless the change needs none, reboots w-03"}},
		{name: "cordoned, drifted and paused", prospect: foreseen(fleet(5, on("w-01", cordoned(time.Hour, "oc"), drifted), on("w-03", outdated), paused("oc"))), want: critical, says: []string{"make it ready, and unpause → drains and, unless the change needs none, reboots w-03"}},
		{name: "drifted and paused", prospect: foreseen(fleet(5, on("w-01", drifted), on("w-03", outdated), paused("oc"))), want: critical, says: []string{"make it ready, and unpause → drains and, unless the change needs none, reboots w-03"}},

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
		{name: "paused, harmless for itself, but not for others", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Limit = "2" }), on("w-01 w-02", outdated), on("w-02", func(n *Node) { n.Current, n.Desired = "rendered-older", "rendered-older" }), paused("oc")), changing(Change{Users: true}, policy)), want: critical,
			says: []string{"unpausing pool worker updates w-01 without a drain or reboot", "reboots w-02, which is next in line"}},
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
		{"a drain elsewhere hangs", fleet(103, on("w-50", draining(2*time.Hour)), on("w-103", taint(taintOf))), "node w-103", judgetest.Want{State: critical, Says: []string{"the drain of w-50 hangs"}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			v, short := ask(foreseen(r.nodes))
			found := slices.DeleteFunc(v.Findings, func(f plugin.Finding) bool { return f.Subject != r.of })
			if r.want.Check(t, found, ""); len(found) != 1 || short != 3 {
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

// The worst first: a drain that hangs, what is lost, what cannot start elsewhere, GPUs, the rest.
func TestBurdenWorstFirst(t *testing.T) {
	gpu, share, local := pod("e", "gpu", "Job gpu"), pod("e", "share", "Job share"), pod("d", "local", "StatefulSet local")
	gpu.GPUs, share.Shares, local.Local = 1, 1, true
	p := foreseen(Snapshot{}, budget("z", "held", "held", 0))
	var got []string
	for _, row := range weigh([]Workload{pod("a", "web", "Deployment web"), share, gpu, local, pod("f", "lone", ""), pod("z", "held", "Job held")}, guardsOf(p.Budgets), noon).table {
		got = append(got, row[0])
	}
	if want := "pod z/held (Job held), pod f/lone, pod d/local (StatefulSet local), pod e/gpu (Job gpu), pod e/share (Job share), pod a/web (Deployment web)"; strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}

// The same labels whatever is asked and found; a label that nobody has set yet drains nothing.
func TestBeforeMetrics(t *testing.T) {
	for target, want := range map[string]string{
		"w-01":        "nodes_outdated=2 nodes_not_ready=1 nodes_drained=1 pods_evicted=2 pods_lost=1 pods_held=1",
		"w-02":        "nodes_outdated=2 nodes_not_ready=1 nodes_drained=0 pods_evicted=2 pods_lost=1 pods_held=1",
		"pool/worker": "nodes_outdated=2 nodes_not_ready=1 nodes_drained=2 pods_evicted=2 pods_lost=1 pods_held=1",
	} {
		p := foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), on("w-01", outdated, cordoned(time.Hour, "oc")), on("w-03", outdated)),
			runs("w-01", pod("a", "b", ""), pod("a", "c", "Job c")), budget("a", "c", "c", 0))
		parsed, _ := parseTarget(target)
		var got []string
		for _, m := range Foresee(p, []Target{parsed}, defaults(), noon).Metrics {
			got = append(got, fmt.Sprintf("%s=%v", m.Label, m.Value))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got  %s\nwant %s", target, strings.Join(got, " "), want)
		}
	}
}

// rolledOut is a pool whose nodes were done one after the other.
func rolledOut(n int, each time.Duration, changes ...func(*Snapshot)) Snapshot {
	s := fleet(n)
	for i := range s.Nodes {
		s.Nodes[i].DrainApplied = before(100*time.Hour - time.Duration(i)*each)
	}
	s.Pools[0].Machines = n
	s.Pools[0].Ready, s.Pools[0].Updated = n, n
	s.Pools[0].Conditions = map[string]Condition{condUpdated: {True: true}}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// bunched is a pool of which four nodes were in work together for 20 minutes, and done a minute apart.
func bunched(n int, limit string, changes ...func(*Snapshot)) Snapshot {
	return rolledOut(n, 0, append([]func(*Snapshot){worker(func(p *Pool) { p.Limit = limit }), func(s *Snapshot) {
		for i := range s.Nodes {
			s.Nodes[i].DrainApplied = before(100*time.Hour - time.Duration(i/4)*20*time.Minute - time.Duration(i%4)*time.Minute)
		}
	}}, changes...)...)
}

// limited: somebody wrote maxUnavailable so long ago.
func limited(limit string, ago time.Duration) func(*Snapshot) {
	return worker(func(p *Pool) { p.Limit, p.LimitWritten = limit, before(ago) })
}

func TestBeforePool(t *testing.T) {
	saturday := func(specs ...string) func(*Limits) {
		return func(l *Limits) { l.Windows = windows(t, "UTC", specs...) }
	}
	for _, r := range []beforeRow{
		{name: "clean", prospect: foreseen(rolledOut(44, 10*time.Minute)), want: plugin.OK,
			says: []string{"nothing is pending, all 44 nodes ready", "capacity → 1 of maxUnavailable 1 left", "begins with → w-01", "a change of all 44 nodes → about 7h 20m: 10m for a node, 1 at a time, told from the last 44 nodes"}},
		{name: "a night's pause in the last rollout does not count", prospect: foreseen(rolledOut(9, 10*time.Minute, on("w-09", func(n *Node) { n.DrainApplied = before(time.Hour) }))), want: plugin.OK, says: []string{"about 1h 30m"}},
		{name: "the controller wrote to all nodes at once: no pace", prospect: foreseen(rolledOut(44, time.Second)), want: plugin.OK, says: []string{"not known: no earlier rollout can be seen"}},
		{name: "four at a time are done a minute apart, every 20 minutes: 220 minutes", prospect: foreseen(bunched(44, "4")), limits: saturday("wed 11:00-wed 13:00"), want: warning,
			says: []string{"a change of all 44 nodes → about 3h 40m: 20m for a node, 4 at a time, told from the last 44 nodes", "does not fit the window"}, not: []string{": the rollout fits"}},
		{name: "the last batch takes as long as the others", prospect: foreseen(bunched(9, "4")), want: plugin.OK, says: []string{"a change of all 9 nodes → about 1h"}},
		{name: "a batch a night tells no pace", prospect: foreseen(bunched(12, "4", func(s *Snapshot) {
			for i := range s.Nodes {
				s.Nodes[i].DrainApplied = s.Nodes[i].DrainApplied.Add(time.Duration(i/4) * 10 * time.Hour)
			}
		})), limits: saturday("wed 11:00-wed 13:00"), want: plugin.OK, says: []string{"not known: the last rollout is too short or too uneven to tell", "whether the rollout fits is not known"}},
		{name: "four at a time in the last rollout, and now one", prospect: foreseen(bunched(44, "1")), limits: saturday("wed 11:00-wed 13:00"), want: plugin.OK,
			says: []string{"a change of all 44 nodes → not known: the last rollout is too short or too uneven to tell", "whether the rollout fits is not known"}},
		{name: "more at a time in the last rollout, done evenly, and now one", prospect: foreseen(rolledOut(44, 5*time.Minute, limited("1", time.Hour))), limits: saturday("wed 11:00-23:00"), want: plugin.OK,
			says: []string{"a change of all 44 nodes → at least about 3h 40m: at least 5m for a node, as maxUnavailable may have been another, told from the last 44 nodes", "whether the rollout fits is not known"}, not: []string{": the rollout fits"}},
		{name: "not even with what each took at least", prospect: foreseen(rolledOut(44, 5*time.Minute, limited("1", time.Hour))), limits: saturday("wed 11:00-13:00"), want: warning, says: []string{"does not fit the window"}},
		{name: "one at a time in the last rollout, and now four", prospect: foreseen(rolledOut(44, 10*time.Minute, limited("4", time.Hour))), want: plugin.OK, says: []string{"→ at least about 1h 50m with 4 at a time: at least 10m for a node"}},
		{name: "four at a time, and nobody has changed that since", prospect: foreseen(bunched(44, "4", limited("4", 200*time.Hour))), want: plugin.OK, says: []string{"→ about 3h 40m: 20m for a node, 4 at a time, told from the last 44 nodes"}},
		{name: "a node in work does not stop the rollout, a cordon does", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Limit = "2" }), on("w-01", rebooting(time.Minute)), on("w-02", outdated, cordoned(time.Hour, "oc")))), want: critical,
			says: []string{"capacity → none: 2 unavailable, maxUnavailable 2; a change begins once w-01 is done", "w-01 → rebooting", "w-02 → cordoned by oc"}, not: []string{"w-01 → cordoned", "stops the rollout"}},
		{name: "a node in work, and as many others as hold it", prospect: foreseen(fleet(5, on("w-01", rebooting(time.Minute)), on("w-02", cordoned(time.Hour, "oc")))), want: critical,
			says: []string{"w-01 → rebooting", "w-02 → cordoned by oc for 1h (since 2026-12-02 11:00 UTC); stops the rollout"}},
		{name: "a rollout that runs", prospect: foreseen(rolledOut(5, 10*time.Minute, on("w-04", rebooting(time.Minute)), on("w-05", outdated))), want: critical,
			says: []string{"what is left of it, 2 nodes → about 20m: 10m for a node", "a change of all 5 nodes → about 50m"}},
		{name: "maxUnavailable changed in the midst: the nodes that began since then tell", prospect: foreseen(rolledOut(44, 10*time.Minute, limited("1", 99*time.Hour))), want: plugin.OK, says: []string{"→ about 7h 20m: 10m for a node, 1 at a time, told from the last 32 nodes"}},
		{name: "two that are not ready halve what is in work at a time", prospect: foreseen(bunched(44, "4", on("w-01 w-02", cordoned(time.Hour, "oc")))), want: warning, says: []string{"capacity → 2 of maxUnavailable 4 left", "→ about 7h 20m with 2 at a time: 20m for a node, 4 at a time, told from the last 44 nodes"}},
		{name: "one that is not ready stops it", prospect: foreseen(rolledOut(6, 10*time.Minute, on("w-01", cordoned(time.Hour, "oc")))), limits: saturday("wed 11:00-13:00"), want: warning,
			says: []string{"→ it does not start; once all are ready about 1h: 10m for a node", "open for another 1h; as things are the rollout does not start"}, not: []string{"fit"}},
		{name: "a pause keeps it from beginning", prospect: foreseen(rolledOut(6, 10*time.Minute, paused("oc"))), limits: saturday("wed 11:00-13:00"), want: warning,
			says: []string{"capacity → 1 of maxUnavailable 1 left, once the pool is unpaused", "→ it does not start; once the pool is unpaused about 1h: 10m for a node", "open for another 1h; as things are the rollout does not start"}, not: []string{"fit", "begins with"}},
		{name: "paused, and one that is not ready", prospect: foreseen(rolledOut(6, 10*time.Minute, paused("oc"), on("w-01", cordoned(time.Hour, "oc")))), want: warning,
			says: []string{"→ it does not start; once the pool is unpaused and all are ready about 1h"}},
		{name: "four at a time, and as many are not ready", prospect: foreseen(bunched(44, "4", on("w-01 w-02 w-03 w-04", cordoned(time.Hour, "oc")))), limits: saturday("wed 11:00-23:00"), want: warning,
			says: []string{"it does not start; once all are ready about 3h 40m", "as things are the rollout does not start"}, not: []string{"fit", "begins with"}},
		{name: "what is not ready is never taken, and the rollout does not end without it", prospect: foreseen(rolledOut(6, 10*time.Minute, worker(func(p *Pool) { p.Limit = "2" }), on("w-01", cordoned(time.Hour, "oc")))), want: warning,
			says: []string{"begins with → w-02", "w-01 → cordoned by oc for 1h (since 2026-12-02 11:00 UTC); left out until it is ready: the rollout does not end before"}, not: []string{"stops the rollout"}},
		{name: "a drifted one is taken as it is", prospect: foreseen(rolledOut(6, 10*time.Minute, worker(func(p *Pool) { p.Limit = "2" }), on("w-01", degradedNode("content mismatch for file /etc/x", time.Hour)))), want: warning,
			says: []string{"w-01 → Degraded"}, not: []string{"left out"}},
		{name: "as many at a time as there are nodes", prospect: foreseen(bunched(4, "100%")), want: plugin.OK, says: []string{"not known: the last rollout is too short"}},
		{name: "the window is long enough", prospect: foreseen(rolledOut(30, 10*time.Minute)), limits: saturday("sat 22:00-sun 04:00"), want: plugin.OK, says: []string{"window → opens in 3d 10h, for 6h: the rollout fits"}},
		{name: "the window is too short", prospect: foreseen(rolledOut(44, 10*time.Minute)), limits: saturday("sat 22:00-sun 04:00"), want: warning, says: []string{"does not fit the window"}},
		{name: "the window is open", prospect: foreseen(rolledOut(4, 10*time.Minute)), limits: saturday("wed 11:00-wed 13:00"), want: plugin.OK, says: []string{"open for another 1h: the rollout fits"}},
		{name: "it goes on in a window that opens when the first closes", prospect: foreseen(rolledOut(30, 10*time.Minute)), limits: saturday("sat 22:00-24:00", "sun 00:00-04:00"), want: plugin.OK, says: []string{"window → opens in 3d 10h, for 6h: the rollout fits"}},
		{name: "it goes on in a window that overlaps, and is listed first", prospect: foreseen(rolledOut(30, 10*time.Minute)), limits: saturday("wed 12:30-20:00", "wed 11:00-13:00"), want: plugin.OK, says: []string{"window → open for another 8h: the rollout fits"}},
		{name: "a short window within a long one does not end it", prospect: foreseen(rolledOut(30, 10*time.Minute)), limits: saturday("sat 22:00-sun 04:00", "sat 23:00-24:00"), want: plugin.OK, says: []string{"window → opens in 3d 10h, for 6h: the rollout fits"}},
		{name: "a minute between two windows keeps them apart", prospect: foreseen(rolledOut(30, 10*time.Minute)), limits: saturday("sat 22:00-23:59", "sun 00:00-04:00"), want: warning, says: []string{"opens in 3d 10h, for 1h 59m: the rollout does not fit"}},
		{name: "windows without a gap", prospect: foreseen(rolledOut(2000, 10*time.Minute)), limits: saturday("00:00-12:00", "12:00-24:00"), want: plugin.OK, says: []string{"a change of all 2000 nodes → about 13d 21h", "window → always open: the rollout fits"}},
		{name: "incident 1 as published: the next change does not start", target: "pool/worker", prospect: foreseen(controller(t, "incident-two-cordoned", "")), want: warning,
			says: []string{"2 of 44 nodes not ready", "capacity → none: 2 unavailable, maxUnavailable 1; a change does not start before 2 nodes are ready again", "wrk-98 → cordoned by kubectl", "stops the rollout"}},
		{name: "room for one more", prospect: foreseen(rolledOut(5, 10*time.Minute, worker(func(p *Pool) { p.Limit = "2"; p.Ready = 4 }), on("w-01", cordoned(time.Minute, "oc")))), want: warning, says: []string{"capacity → 1 of maxUnavailable 2 left", "begins with → w-02"}, not: []string{"stops the rollout"}},
		{name: "a change is pending that needs no drain", prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Minute, "oc"))), changing(Change{Users: true}, policy)), want: warning,
			says: []string{"what is pending → updates its nodes without a drain or reboot [changed: SSH keys", "making w-01 ready lets the MCO update it without a drain or reboot (next in line)"}, not: []string{"unless the change needs none"}},
		{name: "two are held, and the change needs no reboot", prospect: foreseen(fleet(5, on("w-01 w-02", outdated, cordoned(time.Minute, "oc"))), changing(Change{Files: []string{"/etc/mine"}}, policy)), want: critical,
			says: []string{"once w-01 and w-02 are ready, the MCO will drain w-01, without a reboot"}, not: []string{"unless the change needs none"}},
		{name: "paused, and the change needs no drain", prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Minute, "oc")), paused("oc")), changing(Change{Users: true}, policy)), want: warning,
			says: []string{"once it is unpaused, the MCO will update them without a drain or reboot, 1 at a time"}, not: []string{"unless the change needs none"}},
		{name: "a change is pending", prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Minute, "oc")))), want: critical, says: []string{"1 of 5 nodes outdated"}},
		{name: "a node in work at what the pool has given up, of which nothing is known", prospect: foreseen(fleet(5, on("w-01", rebooting(time.Minute), func(n *Node) { n.Desired = "rendered-b" })), changing(Change{Users: true}, policy)), want: critical,
			says: []string{"what is pending → drains and, unless the change needs none, reboots its nodes"}},
		{name: "the same, and it needs no drain either", prospect: foreseen(fleet(5, on("w-01", rebooting(time.Minute), func(n *Node) { n.Desired = "rendered-b" })), changing(Change{Users: true}, policy), givenUp(Change{Units: []string{"a.service"}})), want: warning,
			says: []string{"what is pending → updates its nodes without a drain or reboot"}},
		{name: "not all nodes have the same change before them", prospect: foreseen(fleet(5, on("w-01 w-02", outdated), on("w-02", func(n *Node) { n.Current, n.Desired = "rendered-older", "rendered-older" })), changing(Change{Users: true}, policy)), want: critical,
			says: []string{"what is pending → drains and, unless the change needs none, reboots its nodes"}},
		{name: "paused with a change", prospect: foreseen(fleet(5, on("all", outdated), paused("oc"))), want: critical, says: []string{"paused with an update outstanding"}},
		{name: "paused without", prospect: foreseen(rolledOut(5, time.Hour, paused("oc"))), want: warning, says: []string{"paused, nothing pending"}},
		{name: "degraded by drift", prospect: foreseen(fleet(5, on("w-01", degradedNode("content mismatch for file /etc/x", time.Hour)))), want: warning, says: []string{"the next change will not start"}},
		{name: "drifted and outdated", prospect: foreseen(fleet(5, on("w-01", outdated, degradedNode("content mismatch for file /etc/x", time.Hour)))), want: critical, says: []string{"1 of 5 nodes degraded"}},
		{name: "failed at a target that was withdrawn", prospect: foreseen(fleet(5, on("w-01", outdated, withdrawn), on("w-02", outdated))), want: critical, says: []string{"begins with → w-01"}},
		{name: "few of its nodes could be read", prospect: foreseen(fleet(1, worker(clean), worker(func(p *Pool) { p.Machines = 44 }))), want: plugin.Unknown, says: []string{"counts 44 nodes, and only 1 could be read"}, not: []string{"begins with", "a change of all"}},
		{name: "an image is built for nodes that are up to date", prospect: foreseen(fleet(5, inImageMode, worker(clean), condition(condBuilding, "", time.Minute))), want: critical, says: []string{"OS image is being built, 5 outdated nodes waiting for it", "what is pending → drains and reboots its nodes"}},
		{name: "a node is in work with a change that needs no drain", prospect: foreseen(fleet(5, on("w-01", applying)), changing(Change{Users: true}, policy)), want: warning},
		{name: "image mode, and the images cannot be read", prospect: foreseen(rolledOut(5, time.Hour, images)), want: warning, says: []string{"nothing is pending, all 5 nodes ready; but whether an OS image is pending is not known"}},
		{name: "cannot render (scenario h)", prospect: foreseen(scenario(t, "h-render-degraded")), want: warning, says: []string{"cannot render its configuration"}},
	} {
		r.target = "pool/worker"
		t.Run(r.name, r.check)
	}
}

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

// Every node of every recorded scenario: one that is outdated is never safe to touch.
func TestBeforeEveryRecordedNode(t *testing.T) {
	files, _ := filepath.Glob("testdata/scenarios/?-*-mcp-list.json")
	if len(files) < 10 {
		t.Fatal("no scenarios")
	}
	for _, file := range files {
		name := filepath.Base(file)
		s := scenario(t, name[:len(name)-len("-mcp-list.json")])
		p := foreseen(s)
		for _, n := range s.Nodes {
			pool, r, _ := s.poolOf(n.Name)
			v := Foresee(p, []Target{{targetNode, n.Name}}, defaults(), noon)
			if got := judgetest.Worst(v.Findings); got != critical && (r.waits(n.Name) || r.inWork(n.Name)) {
				t.Errorf("%s: %s in %s is %s: %s", name, n.Name, pool.Name, got, judgetest.Story(v.Findings, ""))
			}
		}
	}
}

func TestParseTarget(t *testing.T) {
	var list []Target
	if err := (targetsValue{&list}).Set("wrk-98, node/wrk-71\nmachineconfigpool.machineconfiguration.openshift.io/gpu cluster pool/worker node/cluster mcp/a machineconfigpool/b machineconfigpools/c nodes/d no/e"); err != nil {
		t.Fatal(err)
	}
	if got := (targetsValue{&list}).String(); got != "node/wrk-98, node/wrk-71, pool/gpu, cluster, pool/worker, node/cluster, pool/a, pool/b, pool/c, node/d, node/e" {
		t.Error(got)
	}
	for _, bad := range []string{"", " ", "pod/x", "pool/", "/x", "node/a/b"} {
		if err := (targetsValue{&list}).Set(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
