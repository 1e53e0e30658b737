package machineconfig

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

func defaults() Limits {
	return Limits{
		PendingWarning: plugin.NewTimeRange("20m"), PendingCritical: plugin.NewTimeRange("30m"),
		NodeWarning: plugin.NewTimeRange("30m"), NodeCritical: plugin.NewTimeRange("60m"),
		Windows: Windows{Zone: time.UTC}, NoPools: plugin.Unknown,
	}
}

func everyPool(string) bool { return true }

type row struct {
	name     string // with the report or incident it comes from
	snapshot Snapshot
	limits   func(*Limits)
	now      time.Time
	want     plugin.State
	says     []string
	not      []string
}

func (r row) check(t *testing.T) {
	t.Helper()
	limits := defaults()
	if r.limits != nil {
		r.limits(&limits)
	}
	if r.now.IsZero() {
		r.now = noon
	}
	v := Judge(r.snapshot, everyPool, limits, r.now)
	judgetest.Want{State: r.want, Says: r.says, Not: r.not}.Check(t, v.Findings, "")
}

// The recordings of a real API server, and of the MCO's own controllers.
func TestJudgeRecordings(t *testing.T) {
	later := at(t, "2026-12-01T04:30:00Z")
	for _, r := range []row{
		{name: "incident 1 as published: READY 42, UPDATED 44", snapshot: controller(t, "incident-two-cordoned", ""), now: later, want: plugin.Warning,
			says: []string{"no change pending, but 2 of 44 nodes not ready", "since 2026-12-01 02:22 UTC", "wrk-71 and wrk-98: cordoned by kubectl",
				"the next change will not start (2 unavailable, maxUnavailable 1)", "making them ready now reboots nothing", "ai4dd-a100-reserved=true:NoSchedule"},
			not: []string{"drain and", "update blocked"}},
		{name: "incident 1, 10 minutes after the cordon", snapshot: controller(t, "incident-two-cordoned", ""), now: at(t, "2026-12-01T02:32:00Z"), want: plugin.OK,
			says: []string{"no change pending"}},
		{name: "a: pending, blocked by a cordon (incident 1 with a change outstanding)", snapshot: scenario(t, "a-pending-blocked-by-cordon"), now: later, want: plugin.Critical,
			says: []string{"update blocked, 1 of 44 nodes outdated", "since 2026-12-01 01:31 UTC", "wrk-98: cordoned", "1 unavailable, maxUnavailable 1",
				"making wrk-98 ready lets the MCO drain and, unless the change needs none, reboot it (next in line)", "oc adm uncordon wrk-98", "it does not hold the update"},
			not: []string{"UpdateInProgress"}},
		{name: "b: pending, custom taint only", snapshot: scenario(t, "b-pending-taint-only"), now: later, want: plugin.Critical,
			says: []string{"wrk-98 is ready and next in line, the MCO has not picked it", "has the taint ai4dd-a100-reserved=true:NoSchedule: it does not hold the update"},
			not:  []string{"uncordon"}},
		{name: "c: draining, since when is not recorded", snapshot: scenario(t, "c-draining"), now: later, want: plugin.Critical,
			says: []string{"update stuck, 43/44 done, wrk-98 draining ¶ since 2026-12-01 01:31 UTC"}, not: []string{"blocked"}},
		{name: "c: draining, shortly after the target changed", snapshot: scenario(t, "c-draining"), now: at(t, "2026-12-01T01:41:15Z"), want: plugin.OK,
			says: []string{"updating, 43/44 done, wrk-98 draining for 10m"}},
		{name: "d: paused with an update outstanding", snapshot: scenario(t, "d-paused-pending"), now: later, want: plugin.Warning,
			says: []string{"44 of 44 nodes outdated", "at least since 2026-12-01 01:32 UTC", "paused by kubectl-patch since then", `{"spec":{"paused":false}}`, "1 at a time"}},
		{name: "e: drain failed for an hour", snapshot: scenario(t, "e-degraded"), now: later, want: plugin.Critical,
			says: []string{"1 of 44 nodes degraded", "failed to drain node: wrk-98 after 1 hour", "1 outdated node waiting", "since 2026-11-30 23:58 UTC"}},
		{name: "f: an unrelated node is not Ready", snapshot: scenario(t, "f-unrelated-notready"), now: later, want: plugin.Critical,
			says: []string{"wrk-71: not Ready for 2d 19h", "once wrk-71 is ready, the MCO will drain and, unless the change needs none, reboot wrk-98 (next in line)", "bring wrk-71 back"},
			not:  []string{"oc adm uncordon"}},
		{name: "g: the controller has not taken up the change", snapshot: scenario(t, "g-stale-status"), now: later, want: plugin.Critical,
			says: []string{"status is not to be trusted: the pool is at generation 9, its status at 8", "since 2026-12-01 01:32 UTC", "44 of 44 nodes waiting"}, not: []string{"blocked"}},
		{name: "g: 20 seconds after the change", snapshot: scenario(t, "g-stale-status"), now: at(t, "2026-12-01T01:33:18Z"), want: plugin.OK, not: []string{"not to be trusted"}},
		{name: "h: cannot render", snapshot: scenario(t, "h-render-degraded"), now: later, want: plugin.Critical,
			says: []string{"cannot render its configuration", "parsing Ignition config failed: unknown version", "they stay at " + newWorker}},
		{name: "i: the incident's counts while status.configuration is still the old one", snapshot: scenario(t, "i-all-updated-two-cordoned"), now: later, want: plugin.Warning,
			says: []string{"no change pending, but 2 of 44 nodes not ready", "since 2026-11-30 23:58 UTC", "reboots nothing"}, not: []string{"update blocked"}},
		{name: "j: a custom pool waits for a cordoned node", snapshot: scenario(t, "j-custom-pool"), now: later, want: plugin.Critical,
			says: []string{"CRITICAL ¶ pool gpu ¶ update blocked, 1 of 10 nodes outdated", "oc adm uncordon wrk-98"}, not: []string{"pool worker ¶ update"}},
		{name: "MCO's controllers: blocked behind two cordoned nodes, one of them up to date", snapshot: controller(t, "pending-blocked-two-cordoned", "pending-blocked-two-cordoned-nodes.json"),
			now: later, want: plugin.Critical,
			says: []string{"1 of 44 nodes outdated", "once wrk-71 and wrk-98 are ready, the MCO will drain and, unless the change needs none, reboot wrk-98 (next in line)"}},
		{name: "okd 593, MCO 1578: a PodDisruptionBudget holds the drain", snapshot: drainHeldByBudget(t), now: later, want: plugin.Critical,
			says: []string{"update stuck, 43/44 done, wrk-98 draining", "at least since 2026-12-01 02:08 UTC", "PodDisruptionBudget ai4dd/train allows 0 disruptions and holds pod train-0", "oc -n ai4dd get pdb train"}},
		{name: "the same, 4 minutes after it began", snapshot: drainHeldByBudget(t), now: at(t, "2026-12-01T02:12:26Z"), want: plugin.OK, says: []string{"updating, 43/44 done, wrk-98 draining"}},
		{name: "MCO's controllers: paused, and a node drifted (MCO 367, 579, okd 246)", snapshot: controller(t, "paused-pending-and-degraded", "paused-pending-and-degraded-nodes.json"),
			now: later, want: plugin.Critical,
			says: []string{"1 of 44 nodes degraded", `content mismatch for file "/etc/chrony.conf"`, "undo the change of /etc/chrony.conf on wrk-98", "WARNING ¶ pool worker ¶ paused with an update outstanding", "paused by kubectl-edit"}},
	} {
		t.Run(r.name, r.check)
	}
}

// Situations from public reports, each named.
func TestJudgeReports(t *testing.T) {
	some := func(n int) func(*Snapshot) { // the first n are outdated
		return func(s *Snapshot) {
			for i := range n {
				outdated(&s.Nodes[i])
			}
		}
	}
	for _, r := range []row{
		{name: "BZ 1937814: a cordon makes UPDATING True", snapshot: fleet(5, on("w-02", cordoned(2*time.Hour, "oc"))), want: plugin.Warning,
			says: []string{"no change pending, but 1 of 5 nodes not ready", "¶ since 2026-12-02 10:00 UTC ¶ w-02: cordoned by oc since then", "reboots nothing"}},
		{name: "BZ 1780318: no daemon on a tainted node (4.1 to 4.5)", want: plugin.Critical,
			snapshot: fleet(5, on("w-02", picked(90*time.Minute), taint("dedicated=x:NoSchedule")), func(s *Snapshot) { s.Daemons = map[string]Daemon{"w-02": {}} }),
			says:     []string{"w-02 told to update, its machine-config-daemon has not begun", "no machine-config-daemon pod on w-02"}},
		{name: "daemon crashes", snapshot: fleet(5, on("w-02", picked(40*time.Minute)), func(s *Snapshot) {
			s.Daemons = map[string]Daemon{"w-02": {Pod: "machine-config-daemon-x7f", Why: "CrashLoopBackOff"}}
		}), want: plugin.Warning, says: []string{"machine-config-daemon pod machine-config-daemon-x7f is not ready [CrashLoopBackOff]"}},
		{name: "BZ 1869876: an upgrade stalls on a paused pool", snapshot: fleet(5, on("all", outdated), worker(func(p *Pool) {
			p.Paused, p.PausedBy, p.PausedWritten = true, "Mozilla", before(50*time.Hour)
		})), want: plugin.Warning, says: []string{"paused with an update outstanding, 5 of 5 nodes outdated", "paused by Mozilla for 2d 2h"}},
		{name: "KCS 5477811: paused and outstanding for days, with an absolute limit", snapshot: fleet(5, on("all", outdated), worker(func(p *Pool) {
			p.Paused = true
			p.Conditions[condUpdated] = Condition{Since: before(80 * time.Hour)}
		})), limits: func(l *Limits) { l.TotalCritical = plugin.NewTimeRange("3d") }, want: plugin.Critical, says: []string{"longer than --total-critical 3d"}},
		{name: "OCPBUGS-27477, BZ 2005694: paused, nothing pending, is no alarm", snapshot: Snapshot{Pools: []Pool{{Name: "worker", Machines: 3, Ready: 3, Updated: 3, Paused: true,
			Conditions: map[string]Condition{condUpdated: {True: true}}}}}, want: plugin.OK, says: []string{"paused, nothing pending"}},
		{name: "OCPBUGS-62341: the uncordon is not done", snapshot: fleet(5, on("w-02", draining(70*time.Minute), func(n *Node) {
			n.DesiredDrain, n.LastAppliedDrain = "uncordon-"+newConfig, "drain-"+newConfig
		})), want: plugin.Critical, says: []string{"w-02 waiting for the controller to uncordon it", "OCPBUGS-62341"}},
		{name: "PR 5300: somebody uncordons in the midst of a drain", snapshot: fleet(5, on("w-02", draining(40*time.Minute), func(n *Node) { n.Unschedulable = false })),
			want: plugin.Warning, says: []string{"it is schedulable again in the midst of its drain", "oc adm cordon w-02"}},
		{name: "OCPBUGS-11670: a drain that is over is over", snapshot: fleet(5, on("all", finished(10*time.Minute))), want: plugin.OK,
			says: []string{"all 5 nodes run the target, the status has yet to follow"}, not: []string{"drain"}},
		{name: "MCO 2114, okd 87: the rendered config is gone", snapshot: fleet(5, on("w-02", outdated, degradedNode(`machineconfig.machineconfiguration.openshift.io "rendered-worker-abc" not found`, time.Hour))),
			want: plugin.Critical, says: []string{"restore MachineConfig rendered-worker-abc"}},
		{name: "OCPBUGS-60768: image pull fails", snapshot: fleet(5, on("w-02", picked(time.Hour), degradedNode("failed to run command nice (6 tries): podman pull -q quay.example", time.Hour))),
			want: plugin.Critical, says: []string{"reaches its registry or mirror"}},
		{name: "OCPBUGS-44290: the pool's own DEGRADED count is 0", snapshot: fleet(5, on("w-02", picked(time.Hour), degradedNode("disk full", 2*time.Hour))), want: plugin.Critical,
			says: []string{"1 of 5 nodes degraded", "w-02: disk full"}},
		{name: "OCPBUGS-5497: a node that reboots for too long", snapshot: fleet(5, on("w-02", rebooting(61*time.Minute), notReady(50*time.Minute)), worker(func(p *Pool) {
			p.Conditions[condUpdated] = Condition{Since: before(2 * time.Hour)}
		})), want: plugin.Critical, says: []string{"w-02 rebooting", "w-02: not Ready for 50m", "look at the console of w-02"}},
		{name: "BZ 2103786: no controller while its master reboots", snapshot: fleet(5, on("w-02", outdated), func(s *Snapshot) { s.ControllerSeen = before(20 * time.Minute) }), want: plugin.Critical,
			says: []string{"machine-config-controller ¶ dead or silent", "since 2026-12-02 11:40 UTC", "its Lease has not been renewed"}, not: []string{"update blocked"}},
		{name: "a Lease renewed 2 minutes ago is alive", snapshot: fleet(5, on("all", finished(time.Minute)), func(s *Snapshot) { s.ControllerSeen = before(2 * time.Minute) }), want: plugin.OK},
		{name: "MCO-2572: Updated is True although a node is cordoned", snapshot: fleet(5, condition(condUpdated, "", time.Hour), on("w-02", cordoned(30*time.Minute, "kubectl"))),
			want: plugin.Warning, says: []string{"no change pending, but 1 of 5 nodes not ready", "since 2026-12-02 11:30 UTC"}},
		{name: "BZ 1960103, BZ 2095210: paused midway by SR-IOV's operator", snapshot: fleet(5, some(2), on("w-05", draining(4*time.Minute)), worker(func(p *Pool) {
			p.Paused, p.PausedBy, p.PausedWritten = true, "sriov-network-config-daemon", before(10*time.Minute)
		})), want: plugin.OK, says: []string{"updating, 2/5 done, w-05 draining", "paused by sriov-network-config-daemon", "2 further nodes held back"}},
		{name: "44 nodes that move along for 7 hours", snapshot: fleet(44, some(31), on("w-32", draining(4*time.Minute)), worker(func(p *Pool) {
			p.Conditions[condUpdated] = Condition{Since: before(7 * time.Hour)}
		})), want: plugin.OK, says: []string{"updating, 12/44 done, w-32 draining for at least 4m"}},
		{name: "the same, in the seconds between two nodes", snapshot: fleet(44, some(31), on("w-44", finished(5*time.Second)), worker(func(p *Pool) {
			p.Conditions[condUpdated] = Condition{Since: before(7 * time.Hour)}
		})), want: plugin.OK, says: []string{"updating, 13/44 done, no node in work"}},
		{name: "the same, and then nothing for 31 minutes", snapshot: fleet(44, some(31), on("w-44", finished(31*time.Minute)), worker(func(p *Pool) {
			p.Conditions[condUpdated] = Condition{Since: before(7 * time.Hour)}
		})), want: plugin.Critical, says: []string{"update blocked, 31 of 44 nodes outdated", "w-01 is ready and next in line"}},
		{name: "unpaused a moment ago, outstanding for days", snapshot: fleet(5, on("all", outdated), worker(func(p *Pool) {
			p.PausedWritten = before(5 * time.Second)
			p.Conditions[condUpdated] = Condition{Since: before(90 * time.Hour)}
		})), want: plugin.OK},
		{name: "the writer of the target owns paused too: its changes are no progress", snapshot: fleet(5, on("w-01", outdated, cordoned(90*time.Hour, "oc")), worker(func(p *Pool) {
			p.PausedWritten, p.TargetWritten = before(5*time.Second), before(5*time.Second)
		}), func(s *Snapshot) { s.TargetCreated = map[string]time.Time{newConfig: before(40 * time.Minute)} }), want: plugin.Critical, says: []string{"update blocked"}},
		{name: "an old cordon, and a new target: pending since the target exists", snapshot: fleet(5, on("w-01", outdated, cordoned(500*time.Hour, "kubectl")), func(s *Snapshot) {
			s.Pools[0].Conditions[condUpdated] = Condition{Since: before(500 * time.Hour)}
			s.TargetCreated = map[string]time.Time{newConfig: before(25 * time.Minute)}
		}), want: plugin.Warning, says: []string{"update blocked", "¶ since 2026-12-02 11:35 UTC"}},
		{name: "a change that was reverted re-uses an old MachineConfig", snapshot: fleet(5, on("w-01", outdated, cordoned(time.Hour, "kubectl")), func(s *Snapshot) {
			s.TargetCreated = map[string]time.Time{newConfig: before(9000 * time.Hour)}
		}), want: plugin.Critical, says: []string{"¶ since 2026-12-02 11:00 UTC"}},
		{name: "maxUnavailable 10 %: one cordoned node of 30 does not hold the others", snapshot: fleet(30, some(2), on("w-01", cordoned(time.Hour, "kubectl")), worker(func(p *Pool) { p.Limit = "10%" })),
			want: plugin.Critical, says: []string{"w-02 is ready and next in line", "making w-01 ready lets the MCO drain and, unless the change needs none, reboot it"}},
		{name: "two pools claim a node", snapshot: fleet(5, func(s *Snapshot) {
			for _, name := range []string{"gpu", "infra"} {
				s.Pools = append(s.Pools, Pool{Name: name, Target: "rendered-" + name, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{name: ""}}})
				s.Nodes[0].Labels[name] = ""
			}
		}, on("all", finished(time.Minute))), want: plugin.Warning, says: []string{"1 node in two custom pools: w-01 (gpu and infra)", "counted nowhere"}},
		{name: "a node in no pool", snapshot: fleet(5, on("w-03", func(n *Node) { n.Labels = nil }), on("all", finished(time.Minute))), want: plugin.Warning, says: []string{"1 node in no pool: w-03"}},
		{name: "a Windows node is in no pool, rightly", snapshot: fleet(5, on("w-03", func(n *Node) { n.Windows, n.Labels = true, nil }), on("all", finished(time.Minute))), want: plugin.OK},
		{name: "a node at a config that was withdrawn", snapshot: fleet(5, on("w-01", func(n *Node) {
			n.Current, n.Desired, n.State, n.Picked = oldConfig, "rendered-worker-bad", stateWorking, before(3*time.Hour)
		})), want: plugin.Critical, says: []string{"it still works towards rendered-worker-bad, which the pool has given up"}},
		{name: "a new node on which the daemon has not run", snapshot: fleet(5, on("w-05", func(n *Node) { n.Current, n.Desired, n.State, n.Created = "", "", "", before(2*time.Hour) })), want: plugin.Critical,
			says: []string{"w-05: has never run a machine-config-daemon"}},
		{name: "a node joins a pool that has been unwhole for weeks", snapshot: fleet(5, on("w-01", cordoned(500*time.Hour, "oc")), on("w-05", func(n *Node) {
			n.Current, n.Desired, n.State, n.Created = "", "", "", before(3*time.Minute)
		}), worker(func(p *Pool) { p.Conditions[condUpdated] = Condition{Since: before(500 * time.Hour)} })), want: plugin.OK},
		{name: "okd 1261: the pool says degraded, no node does", snapshot: fleet(5, condition(condNodeDegraded, "Node w-09 is reporting: x", 3*time.Hour), on("all", finished(time.Minute))), want: plugin.Critical,
			says: []string{"degraded, though none of its nodes is", "Node w-09 is reporting: x", "¶ since 2026-12-02 09:00 UTC"}},
		{name: "the node that is made ready is not the one that is drained", snapshot: fleet(5, some(3), on("w-03", cordoned(2*time.Hour, "oc"))), want: plugin.Critical,
			says: []string{"once w-03 is ready, the MCO will drain and, unless the change needs none, reboot w-01 (next in line)", "when the workloads on w-01 may be drained, oc adm uncordon w-03"}},
		{name: "one of two cordoned nodes is not enough", snapshot: fleet(5, some(2), on("w-01 w-02", cordoned(2*time.Hour, "oc"))), want: plugin.Critical,
			says: []string{"once w-01 and w-02 are ready, the MCO will drain and, unless the change needs none, reboot w-01 (next in line)", "oc adm uncordon w-01 w-02"}},
		{name: "a node just picked, whose daemon last wrote a month ago", snapshot: fleet(5, on("w-02", picked(3*time.Second), func(n *Node) { n.StateWritten, n.DrainAsked = before(720*time.Hour), before(720*time.Hour) })),
			want: plugin.OK, says: []string{"w-02 told to update, its machine-config-daemon has not begun for at least 3s"}},
		{name: "two in work, one since when is not recorded: the longer counts", snapshot: fleet(5, on("w-01", draining(55*time.Minute)), on("w-02", func(n *Node) {
			n.Current, n.Desired, n.State, n.KubeletReady = oldConfig, newConfig, stateRebooting, false
		})), want: plugin.Warning, says: []string{"w-02 rebooting ¶ since 2026-12-02 11:00 UTC"}},
		{name: "rebooting, and the node never came back", snapshot: fleet(5, on("w-02", rebooting(50*time.Minute), notReady(40*time.Minute)), func(s *Snapshot) { s.Daemons = map[string]Daemon{"w-02": {Pod: "d", Why: "x"}} }),
			want: plugin.Warning, says: []string{"w-02: not Ready for 40m", "look at the console"}, not: []string{"daemon pod"}},
		{name: "a node that joined a moment ago, at the config before", snapshot: fleet(5, on("w-01", cordoned(500*time.Hour, "oc")), on("w-05", outdated, func(n *Node) { n.Created = before(2 * time.Minute) }),
			worker(func(p *Pool) { p.Conditions[condUpdated] = Condition{Since: before(500 * time.Hour)} })), want: plugin.OK},
		{name: "an image is being built", snapshot: fleet(5, on("all", outdated), condition(condBuilding, "", 25*time.Minute)), want: plugin.OK, says: []string{"OS image is being built, 5 outdated nodes waiting for it"}, not: []string{"blocked"}},
		{name: "an image is being built for 2 hours", snapshot: fleet(5, on("all", outdated), condition(condBuilding, "", 2*time.Hour)), want: plugin.Critical, says: []string{"machineosbuilds"}},
		{name: "image mode, and the images may not be read", snapshot: fleet(5, func(s *Snapshot) { s.Images.read = false }, on("all", func(n *Node) { n.CurrentImage, n.DesiredImage = "img@a", "img@a" }), on("w-01", cordoned(time.Hour, "oc"))), want: plugin.Warning,
			says: []string{"whether an OS image is outstanding is not known"}, not: []string{"reboots nothing"}},
		{name: "the only master reboots with its controller", snapshot: fleet(1, worker(func(p *Pool) { p.Name = "master" }), on("w-01", rebooting(9*time.Minute)), func(s *Snapshot) { s.ControllerSeen = before(9 * time.Minute) }), want: plugin.OK},
		{name: "an arbiter waits for a master that is up to date and cordoned (MCO, updatePools)", snapshot: controlPlane(on("master-0", cordoned(time.Hour, "oc")), on("arbiter-2", outdated)), want: plugin.Critical,
			says: []string{"arbiter-2 is next in line, and masters and arbiters are never updated at the same time: master-0: cordoned by oc", "once master-0 is ready, the MCO will drain and, unless the change needs none, reboot arbiter-2", "when the workloads on arbiter-2 may be drained, oc adm uncordon master-0",
				"pool master ¶ no change pending, but 1 of 2 nodes not ready", "first see what waits behind them: check_mcp --before-change pool/master; then oc adm uncordon master-0"}, not: []string{"has not picked it", "reboots nothing"}},
		{name: "the arbiters wait for the masters", snapshot: fleet(4, on("w-01 w-02", draining(4*time.Minute)), on("w-04", outdated), func(s *Snapshot) {
			s.Pools = append(s.Pools, s.Pools[0])
			s.Pools[0].Name, s.Pools[1].Name = "master", "arbiter"
			s.Pools[1].Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"arbiter": ""}}
			s.Nodes[3].Labels = map[string]string{"arbiter": ""}
		}), want: plugin.OK, says: []string{"pool arbiter ¶ waits for pool master"}},
		{name: "an evicted pod that hangs has brought its own budget to 0", snapshot: fleet(5, on("w-02", draining(35*time.Minute)), func(s *Snapshot) {
			s.Pods = map[string][]Pod{"w-02": {{Namespace: "db", Name: "db-0", Labels: map[string]string{"app": "db"}, Deleted: before(30 * time.Minute)}}}
			s.Budgets = []Budget{{Namespace: "db", Name: "db", Selector: &metav1.LabelSelector{}}}
		}), want: plugin.Warning, says: []string{"was told to go for 30m"}, not: []string{"PodDisruptionBudget"}},
		{name: "the list of nodes is not whole", snapshot: fleet(2, worker(func(p *Pool) { p.Machines = 44 }), on("all", finished(time.Minute))), want: plugin.Unknown, says: []string{"counts 44 nodes, and only 2 could be read"}},
		{name: "since when is not known", snapshot: fleet(3, on("w-01", outdated, cordoned(time.Hour, "oc"), func(n *Node) { n.Created = time.Time{} }), worker(func(p *Pool) { p.Conditions = nil })), want: plugin.Warning,
			says: []string{"1 of 3 nodes outdated, since when is not known"}},
		{name: "the clock of this machine is a year behind", snapshot: fleet(3, on("w-01", outdated, cordoned(time.Hour, "oc"))), now: noon.Add(-8760 * time.Hour), want: plugin.Unknown, says: []string{"compare the clocks"}},
		{name: "an image build failed", snapshot: fleet(5, condition(condBuildFailed, "Failed to build", time.Hour), on("all", finished(time.Minute)), func(s *Snapshot) {
			s.FailedBuilds = map[string]string{"worker": "worker-abc"}
		}), want: plugin.Critical, says: []string{"the build of its OS image failed (MachineOSBuild worker-abc)", "no node is updated until a build succeeds"}},
		{name: "image mode: a node with the config and not the image is outdated", snapshot: fleet(5, on("all", func(n *Node) { n.CurrentImage, n.DesiredImage = "img@new", "img@new" }),
			on("w-01", func(n *Node) { n.CurrentImage, n.DesiredImage = "img@old", "img@old" }), on("w-01", cordoned(time.Hour, "oc")),
			func(s *Snapshot) { s.Images = poolImages{read: true, of: map[string]string{"worker": "img@new"}} }), want: plugin.Critical, says: []string{"update blocked, 1 of 5 nodes outdated", "w-01: cordoned by oc"}},
		{name: "a pod that two budgets select cannot be evicted", snapshot: fleet(5, on("w-02", draining(35*time.Minute)), func(s *Snapshot) {
			s.Pods = map[string][]Pod{"w-02": {{Namespace: "db", Name: "db-0", Labels: map[string]string{"app": "db"}}}}
			for _, name := range []string{"a", "b"} {
				s.Budgets = append(s.Budgets, Budget{Namespace: "db", Name: name, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}}, Allowed: 1})
			}
		}), want: plugin.Warning, says: []string{"pod db/db-0 is selected by 2 PodDisruptionBudgets (a and b) and cannot be evicted"}},
		{name: "a pod that was told to go and stays", snapshot: fleet(5, on("w-02", draining(35*time.Minute)), func(s *Snapshot) {
			s.Pods = map[string][]Pod{"w-02": {{Namespace: "db", Name: "db-0", Deleted: before(30 * time.Minute)}}}
		}), want: plugin.Warning, says: []string{"pod db/db-0 was told to go for 30m"}},
		{name: "a zone is lost: so many nodes are not told one by one", snapshot: fleet(200, on("all", outdated, notReady(2*time.Hour))), want: plugin.Critical,
			says: []string{"200 of 200 nodes outdated", "w-101: not Ready", "99 further outdated nodes not ready"}, not: []string{"w-102: not Ready"}},
		{name: "a pool without a target", snapshot: fleet(0, worker(func(p *Pool) { p.Target, p.Created = "", before(time.Hour) })), want: plugin.Critical, says: []string{"has no rendered configuration"}},
		{name: "no pools", snapshot: Snapshot{}, want: plugin.Unknown, says: []string{"has no MachineConfigPools", "hosted control plane"}},
	} {
		t.Run(r.name, r.check)
	}
}

func TestJudgeExpectations(t *testing.T) {
	expect := func(names ...string) func(*Limits) {
		return func(l *Limits) {
			for _, name := range names {
				e, err := parseExpectation(name)
				if err != nil {
					t.Fatal(err)
				}
				l.Expect = append(l.Expect, e)
			}
		}
	}
	whole := []func(*Snapshot){on("all", finished(time.Minute))}
	for _, r := range []row{
		{name: "reached", snapshot: fleet(5, whole...), limits: expect("99-worker-ssh"), want: plugin.OK, says: []string{"MachineConfig 99-worker-ssh has reached all 5 nodes"}},
		{name: "of another pool", snapshot: fleet(5, whole...), limits: expect("master/99-master-ssh"), want: plugin.OK, not: []string{"99-master-ssh"}},
		{name: "on its way", snapshot: fleet(5, on("w-01", draining(time.Minute))), limits: expect("worker/99-worker-ssh"), want: plugin.Warning, says: []string{"has reached 4 of 5 nodes"}},
		{name: "not in the pool that was named", snapshot: fleet(5, whole...), limits: expect("worker/99-worker-chrony"), want: plugin.Critical, says: []string{"pool worker ¶ MachineConfig 99-worker-chrony is in no target"}},
		{name: "in one of two pools", snapshot: fleet(5, append(whole, func(s *Snapshot) { s.Pools = append(s.Pools, Pool{Name: "master", Target: "rendered-master"}) })...), limits: expect("99-worker-ssh"), want: plugin.OK,
			says: []string{"has reached all 5 nodes"}},
		{name: "the nodes could not be read: no proof", snapshot: Snapshot{Pools: fleet(5).Pools}, limits: expect("99-worker-ssh"), want: plugin.OK, not: []string{"has reached"}},
		{name: "not rendered", snapshot: fleet(5, whole...), limits: expect("99-worker-chrony"), want: plugin.Critical,
			says: []string{"cluster ¶ MachineConfig 99-worker-chrony is in no target", "oc get mc 99-worker-chrony --show-labels"}},
	} {
		t.Run(r.name, r.check)
	}
	for _, bad := range []string{"", "/x", "worker/", "a/b/c"} {
		if e, err := parseExpectation(bad); err == nil {
			t.Errorf("%q was taken as %+v", bad, e)
		}
	}
}
