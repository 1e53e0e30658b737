package gpu

import (
	"testing"
	"time"

	"overdue/internal/plugin"
)

// starts replaces the DaemonSet's pod on the node by one that was made so long ago and is not ready yet.
func starts(node, daemonSet string, ago time.Duration) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.Pods {
			if p := &s.Pods[i]; p.Node == node && p.DaemonSet == daemonSet {
				p.Created, p.Since, p.Ready, p.Trouble = before(ago), before(ago), false, "Init:0/1, waits in toolkit-validation"
			}
		}
	}
}

func podsUnread(s *Snapshot) { s.Pods, s.PodsRead = nil, map[string]bool{} }

// made gives the DaemonSet's pods the age in minutes of each node; 0 leaves it.
func made(daemonSet string, ago ...int) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.Nodes {
			for k := range s.Pods {
				if p := &s.Pods[k]; p.Node == s.Nodes[i].Name && p.DaemonSet == daemonSet && ago[i] > 0 {
					p.Created = before(minutes(ago[i]))
				}
			}
		}
	}
}

// revisions gives the DaemonSet's pods the revision "old", those of the nodes that are named "new".
func revisions(daemonSet string, renewed ...string) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.Pods {
			p := &s.Pods[i]
			if p.DaemonSet != daemonSet {
				continue
			}
			p.Revision = "old"
			for _, node := range renewed {
				if p.Node == node {
					p.Revision = "new"
				}
			}
		}
	}
}

// deleted makes the DaemonSet's pod on the node terminate, well until then or for so long not ready.
func deleted(node, daemonSet string, ago, ill time.Duration) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.Pods {
			if p := &s.Pods[i]; p.Node == node && p.DaemonSet == daemonSet {
				p.Deleting, p.DeletedSince, p.Ready, p.Since, p.Trouble, p.Crashing = true, before(ago), false, before(max(ill, ago)), "Error in plugin", true
			}
		}
	}
}

// A rollout takes one node after the other.
func TestJudgeRollout(t *testing.T) {
	const dp = "nvidia-device-plugin-daemonset"
	const toolkit = "nvidia-container-toolkit-daemonset"
	// reached is a rollout for 45 minutes that has come to gpu-01 so many minutes ago.
	reached := func(name string, last int, changes ...func(*Snapshot)) Snapshot {
		return fleet(5, append([]func(*Snapshot){rolledOut(name, minutes(45)), on("gpu-02", gpus(4, 0)), revisions(name, "gpu-01"), made(name, last, 0, 0, 0, 0)}, changes...)...)
	}
	byHand := func(ago time.Duration) Snapshot {
		const driver = "nvidia-driver-daemonset"
		return fleet(60, rolledOut(driver, ago), daemonSet(driver, func(d *DaemonSet) { d.OnDelete = true }), on("gpu-02", gpus(0, 0)), starts("gpu-02", driver, minutes(25)), revisions(driver, "gpu-02"))
	}
	offers := on("gpu-02", gpus(4, 4))
	table(t, []row{
		{name: "a rollout reaches the node after 45 minutes", snapshot: fleet(5, rolledOut(dp, minutes(45)), on("gpu-02", gpus(4, 0)), starts("gpu-02", dp, 20*time.Second), revisions(dp, "gpu-01", "gpu-02"), made(dp, 3, 0, 0, 0, 0)), want: plugin.OK,
			says: []string{"pod of nvidia-device-plugin-daemonset is young, 0 of 4 nvidia.com/gpu offered", "since 2026-12-02 11:59"}},
		{name: "the last node: all pods are of one revision again", snapshot: fleet(5, rolledOut(dp, minutes(45)), on("gpu-02", gpus(4, 0)), starts("gpu-02", dp, 20*time.Second), made(dp, 44, 0, 30, 12, 3)), want: plugin.OK,
			says: []string{"pod of nvidia-device-plugin-daemonset is young"}},
		{name: "pods that are made anew again and again after it", snapshot: fleet(5, rolledOut(dp, minutes(90)), on("gpu-02", gpus(4, 0)), starts("gpu-02", dp, 20*time.Second), made(dp, 89, 0, 70, 50, 3)), want: plugin.Critical, says: []string{"Init:0/1"}},
		{name: "a rollout that is over excuses no pod that is made anew", snapshot: fleet(5, rolledOut(dp, minutes(45)), on("gpu-02", gpus(4, 0)), starts("gpu-02", dp, 20*time.Second), revisions(dp)), want: plugin.Critical, says: []string{"Init:0/1"}},
		{name: "nor does one that goes on for longer than the grace of each node", snapshot: fleet(5, rolledOut(dp, 3*time.Hour), on("gpu-02", gpus(4, 0)), starts("gpu-02", dp, 20*time.Second), revisions(dp, "gpu-01", "gpu-02"), made(dp, 3, 0, 0, 0, 0)), want: plugin.Critical, says: []string{"Init:0/1"}},
		{name: "nor a pod that has been there for 40 minutes", snapshot: fleet(5, rolledOut(dp, minutes(45)), on("gpu-02", gpus(4, 0)), starts("gpu-02", dp, minutes(40)), revisions(dp, "gpu-01", "gpu-02"), made(dp, 42, 0, 0, 0, 0)), want: plugin.Critical, says: []string{"Init:0/1"}},
		{name: "the old pod ends", snapshot: reached(dp, 3, deleted("gpu-02", dp, 8*time.Second, 0)), want: plugin.OK, says: []string{"pod of nvidia-device-plugin-daemonset is being replaced, 0 of 4 nvidia.com/gpu offered", "since 2026-12-02 11:59"}},
		{name: "it does not end", snapshot: reached(dp, 41, deleted("gpu-02", dp, minutes(40), 0)), want: plugin.Critical, says: []string{"its pod is terminating"}},
		{name: "it ends, but has not run for 2 days", snapshot: reached(dp, 3, deleted("gpu-02", dp, 8*time.Second, 2*day)), want: plugin.Critical, says: []string{"its pod is terminating"}},
		{name: "it ends while no rollout goes on", snapshot: fleet(5, rolledOut(dp, minutes(45)), on("gpu-02", gpus(4, 0)), deleted("gpu-02", dp, 8*time.Second, 0), revisions(dp)), want: plugin.Critical, says: []string{"its pod is terminating"}},
		{name: "the old pod ends in the first minutes, and with an error", snapshot: fleet(5, rolledOut(dp, minutes(5)), on("gpu-02", gpus(4, 0)), deleted("gpu-02", dp, 8*time.Second, 0)), want: plugin.OK},
		{name: "between the old pod and the new one", snapshot: reached(dp, 3, gone("gpu-02", dp)), want: plugin.OK, says: []string{"pod of nvidia-device-plugin-daemonset is being replaced, 0 of 4"}},
		{name: "the same on the last node", snapshot: reached(dp, 3, gone("gpu-02", dp), revisions(dp, "gpu-01", "gpu-03", "gpu-04", "gpu-05"), made(dp, 44, 0, 30, 12, 3)), want: plugin.OK},
		{name: "the kubelet has forgotten the plugin: it has been gone for more than 5 minutes", snapshot: reached(dp, 3, gone("gpu-02", dp), on("gpu-02", gpus(0, 0))), want: plugin.Critical, says: []string{"should run there and has no pod"}},
		{name: "the rollout came on no other node for longer than the grace", snapshot: reached(dp, 44, gone("gpu-02", dp)), want: plugin.Critical, says: []string{"should run there and has no pod"}},
		{name: "nor has it while the node's pod is made anew again and again", snapshot: reached(dp, 44, starts("gpu-02", dp, 20*time.Second), revisions(dp, "gpu-01", "gpu-02")), want: plugin.Critical, says: []string{"Init:0/1"}},
		{name: "the pod of the node before was slow, and has just become ready", snapshot: reached(dp, 44, readySince("gpu-01", dp, minutes(1)), starts("gpu-02", dp, 20*time.Second), revisions(dp, "gpu-01", "gpu-02")), want: plugin.OK},
		{name: "a pod of the old revision that has just become ready is no progress", snapshot: reached(dp, 44, readySince("gpu-03", dp, minutes(1)), gone("gpu-02", dp)), want: plugin.Critical, says: []string{"should run there and has no pod"}},
		{name: "a rollout that ended 9 days ago", snapshot: fleet(3, rolledOut(dp, 9*day), on("gpu-02", gpus(4, 0)), revisions(dp), made(dp, 9*24*60-5, 0, 9*24*60-9), gone("gpu-02", dp)), want: plugin.Critical, says: []string{"should run there and has no pod"}},
		{name: "the toolkit's, while GPUs are offered: between two pods", snapshot: reached(toolkit, 3, offers, gone("gpu-02", toolkit)), want: plugin.OK},
		{name: "and for longer than the grace", snapshot: reached(toolkit, 44, offers, gone("gpu-02", toolkit)), want: plugin.Warning, says: []string{"nvidia-container-toolkit-daemonset should run there and has no pod"}},
		{name: "a driver of which a person deletes the old pods, hours later", snapshot: byHand(20 * time.Hour), want: plugin.OK, says: []string{"pod of nvidia-driver-daemonset is young, 0 of 4"}},
		{name: "for no longer than the grace of each node", snapshot: byHand(31 * time.Hour), want: plugin.Critical, says: []string{"Init:0/1"}},
		{name: "a pod that is not there is none that somebody has just deleted", snapshot: also(byHand(20*time.Hour), on("gpu-02", gpus(4, 0)), gone("gpu-02", "nvidia-driver-daemonset")), want: plugin.Critical, says: []string{"nvidia-driver-daemonset should run there and has no pod"}},
		{name: "pods are not read, in the first minutes", snapshot: fleet(5, rolledOut(dp, minutes(5)), on("gpu-02", gpus(4, 0)), podsUnread), want: plugin.OK},
		{name: "and then", snapshot: fleet(5, rolledOut(dp, minutes(45)), on("gpu-02", gpus(4, 0)), podsUnread), want: plugin.Critical, says: []string{"pods were not read"}},
		{name: "nor one that crashes", snapshot: fleet(5, rolledOut(dp, minutes(45)), on("gpu-02", gpus(4, 0)), starts("gpu-02", dp, 20*time.Second), ill("gpu-02", dp, "CrashLoopBackOff in plugin", 20*time.Second), revisions(dp, "gpu-01", "gpu-02"), made(dp, 3, 0, 0, 0, 0)), want: plugin.Critical, says: []string{"CrashLoopBackOff"}},
	})
}

// mig-manager sets back the deploy labels and says success at once, before any plugin runs.
func TestJudgeAfterMIGChange(t *testing.T) {
	const dp = "nvidia-device-plugin-daemonset"
	changed := func(state string, ago time.Duration, changes ...func(*Snapshot)) Snapshot {
		return fleet(2, append([]func(*Snapshot){on("gpu-02", gpus(0, 0), label(labelMIGConfig, "all-1g.5gb"), label(labelMIGState, state), written(labelMIGState, ago))}, changes...)...)
	}
	table(t, []row{
		{name: "the plugin starts", snapshot: changed("success", 30*time.Second, starts("gpu-02", dp, 35*time.Second)), want: plugin.OK, says: []string{"MIG change to all-1g.5gb done, pods start again, 0 of 4 nvidia.com/gpu offered", "at least since 2026-12-02 11:59"}},
		{name: "it runs for some seconds", snapshot: changed("success", minutes(2), starts("gpu-02", dp, minutes(2)), func(s *Snapshot) {
			for i := range s.Pods {
				s.Pods[i].Ready = true
			}
		}), want: plugin.OK},
		{name: "it is not made yet", snapshot: changed("success", time.Second, gone("gpu-02", dp)), want: plugin.OK},
		{name: "after the grace", snapshot: changed("success", minutes(40), starts("gpu-02", dp, minutes(40))), want: plugin.Critical, says: []string{"Init:0/1, waits in toolkit-validation"}},
		{name: "a plugin that is made anew again and again is not excused by its own age", snapshot: changed("success", day, starts("gpu-02", dp, minutes(1))), want: plugin.Critical, says: []string{"Init:0/1"}},
		{name: "an older plugin that no longer serves is none of the change's", snapshot: changed("success", minutes(2)), want: plugin.Critical, says: []string{"is not registered with the kubelet"}},
		{name: "a validator that crashes does not pass", snapshot: changed("success", minutes(2), starts("gpu-02", dp, minutes(2)), ill("gpu-02", "nvidia-operator-validator", "Init:CrashLoopBackOff in toolkit-validation", minutes(1))), want: plugin.Critical, says: []string{"nvidia-operator-validator: Init:CrashLoopBackOff"}},
		{name: "a plugin that crashes does not pass", snapshot: changed("success", minutes(2), starts("gpu-02", dp, minutes(2)), ill("gpu-02", dp, "CrashLoopBackOff in plugin", minutes(1))), want: plugin.Critical, says: []string{"CrashLoopBackOff in plugin"}},
		{name: "no plugin is meant for the node", snapshot: changed("success", minutes(2), on("gpu-02", label(deployPlugin, "")), gone("gpu-02", dp)), want: plugin.Critical, says: []string{"is not on the node"}},
		{name: "pods are not read", snapshot: changed("success", minutes(2), podsUnread), want: plugin.OK, says: []string{"MIG change to all-1g.5gb done, pods start again"}},
		{name: "pods are not read, after the grace", snapshot: changed("success", minutes(40), podsUnread), want: plugin.Critical, says: []string{"pods were not read"}},
		{name: "with a role that lists nodes and nvidia.com only", snapshot: changed("success", minutes(2), unread(Policy{Owner: Owner{"ClusterPolicy", "gpu-cluster-policy"}})), want: plugin.OK},
		{name: "with a role that lists nodes only", snapshot: changed("success", minutes(2), unread()), want: plugin.OK},
		{name: "which leaves a taint the cause that it is", snapshot: changed("success", minutes(2), podsUnread, on("gpu-02", taint(reserved, day))), want: plugin.Critical, says: []string{"taint " + reserved}},
		{name: "a change that failed is told at once", snapshot: changed("failed", 30*time.Second, starts("gpu-02", dp, 35*time.Second)), want: plugin.Critical, says: []string{"the MIG change to all-1g.5gb failed"}},
	})
}
