package machineconfig

import (
	"slices"
	"testing"
	"time"

	"overdue/internal/plugin"
)

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
		{name: "the same, and it needs no drain either", prospect: foreseen(fleet(5, on("w-01", applying, func(n *Node) { n.Desired = "rendered-b" })), changing(Change{Users: true}, policy), givenUp(Change{Units: []string{"a.service"}})), want: warning,
			says: []string{"what is pending → updates its nodes without a drain or reboot"}},
		{name: "it was begun when the policy was another one", prospect: foreseen(fleet(5, on("w-01", draining(4*time.Minute))), changing(Change{Users: true}, policy)), want: critical,
			says: []string{"in the end the MCO drains and, unless the change needs none, reboots w-01"}},
		{name: "not all nodes have the same change before them", prospect: foreseen(fleet(5, on("w-01 w-02", outdated), on("w-02", func(n *Node) { n.Current, n.Desired = "rendered-older", "rendered-older" })), changing(Change{Users: true}, policy)), want: critical,
			says: []string{"what is pending → drains and, unless the change needs none, reboots its nodes"}},
		{name: "its pool has no rendered configuration", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Target = "" }))), want: warning, says: []string{"has no rendered configuration"}, not: []string{"what is pending"}},
		{name: "the same, and a node is in work", prospect: foreseen(fleet(5, worker(func(p *Pool) { p.Target = "" }), on("w-01", draining(time.Hour)))), want: critical, says: []string{"in the end the MCO drains and, unless the change needs none, reboots w-01"}},
		{name: "the first is harmless, one behind it is not", prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Hour, "oc")), on("w-02", older)), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"making w-01 ready lets the MCO update it without a drain or reboot (next in line); in the end the MCO drains and reboots w-02 ¶ when the workloads on its nodes may be drained, oc adm uncordon w-01"}},
		{name: "two are held by others, one of them harmless", prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Hour, "oc")), on("w-02", older, cordoned(time.Hour, "oc")), on("w-03", rebooting(time.Minute))), changing(Change{Users: true}, policy), olderReboots), want: critical,
			says: []string{"w-01: cordoned by oc for 1h (since 2026-12-02 11:00 UTC); making w-01 ready is not enough"}},
		{name: "a harmless update asks for no care", prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Hour, "oc"))), changing(Change{Users: true}, policy)), want: warning, says: []string{"(next in line) ¶ oc adm uncordon w-01"}, not: []string{"may be drained", "in the end"}},
		{name: "a node in work", prospect: foreseen(fleet(5, on("w-01", draining(time.Minute)))), want: critical, says: []string{"in the end the MCO drains and, unless the change needs none, reboots w-01"}},
		{name: "what is told first does not tell it", prospect: foreseen(fleet(5, condition(condRenderDegraded, "", time.Hour), on("all", outdated), paused("oc"))), want: critical,
			says: []string{"they stay at rendered-worker-new; in the end the MCO drains and, unless the change needs none, reboots w-01, w-02, w-03 and 2 more ¶ mend", "once it is unpaused, the MCO will drain and"}},
		{name: "one failed", prospect: foreseen(fleet(5, on("w-01", picked(time.Hour), degradedNode("x", time.Hour)))), want: critical, says: []string{"in the end the MCO drains and, unless the change needs none, reboots w-01"}},
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

// What waits behind a pool's nodes may be of another pool.
func TestBeforePoolHoldsBackOthers(t *testing.T) {
	hung := []func(*Snapshot){gpuPool("w-03 w-04", func(*Pool) {}), on("w-01", draining(3*time.Hour))}
	with := func(changes ...func(*Snapshot)) Prospect { return foreseen(fleet(5, slices.Concat(hung, changes)...)) }
	const harmless = "making them ready now reboots nothing"
	for _, r := range []beforeRow{
		{name: "the arbiter waits behind a cordoned master", target: "pool/master", prospect: foreseen(controlPlane(on("master-0", cordoned(time.Hour, "oc")), on("arbiter-2", outdated))), want: critical,
			says: []string{"no change pending, but 1 of 2 nodes not ready", "making its nodes ready drains and, unless the change needs none, reboots arbiter-2, which is next in line", "check_mcp --before-change arbiter-2"}, not: []string{harmless, "unless they are meant"}},
		{name: "the masters wait behind two arbiters", target: "pool/arbiter", prospect: foreseen(controlPlane(on("master-1", func(n *Node) { n.Labels = map[string]string{"node-role.kubernetes.io/arbiter": ""} }), on("master-1 arbiter-2", cordoned(time.Hour, "oc")), on("master-0", outdated))), want: critical,
			says: []string{"making its nodes ready drains and, unless the change needs none, reboots master-0"}, not: []string{harmless}},
		{name: "the arbiter waits behind a master that drifted", target: "pool/master", prospect: foreseen(controlPlane(on("master-0", drifted), on("arbiter-2", outdated))), want: critical,
			says: []string{"1 of 2 nodes degraded", "making its nodes ready drains and, unless the change needs none, reboots arbiter-2"}},
		{name: "the arbiter waits, and the masters are ready", target: "pool/master", prospect: foreseen(controlPlane(on("arbiter-2", outdated))), want: warning, not: []string{"making its nodes ready"}},
		{name: "the arbiters are paused", target: "pool/master", prospect: foreseen(controlPlane(on("master-0", cordoned(time.Hour, "oc")), on("arbiter-2", outdated), func(s *Snapshot) { s.Pools[1].Paused = true })), want: warning, says: []string{harmless}},
		{name: "a drain of another pool hangs", target: "pool/gpu", prospect: with(on("w-03", cordoned(time.Hour, "oc"))), want: critical,
			says: []string{"but the drain of w-01 hangs: if the pods there find room only on w-03, the drain goes on and the reboot follows"}, not: []string{harmless}},
		{name: "the same, and two could give room", target: "pool/gpu", prospect: with(on("w-03 w-04", cordoned(time.Hour, "oc"))), want: critical, says: []string{"find room only on w-03 and w-04"}},
		{name: "a drain of another pool hangs, and all are ready", target: "pool/gpu", prospect: with(), want: warning, not: []string{"hangs"}},
		{name: "a drain of another pool has just begun", target: "pool/gpu", prospect: foreseen(fleet(5, hung[0], on("w-01", draining(time.Minute)), on("w-03", cordoned(time.Hour, "oc")))), want: warning, says: []string{harmless}},
		{name: "the cluster says the same of the pool", target: "cluster", prospect: foreseen(controlPlane(on("master-0", cordoned(time.Hour, "oc")), on("arbiter-2", outdated))), want: critical, says: []string{"making its nodes ready drains"}, not: []string{harmless}},
	} {
		t.Run(r.name, r.check)
	}
}
