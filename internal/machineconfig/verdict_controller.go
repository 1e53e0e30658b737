package machineconfig

import (
	"fmt"
	"slices"
	"time"

	"overdue/internal/plugin"
)

const lookAtController = "oc -n openshift-machine-config-operator get pods -l k8s-app=machine-config-controller -o wide"

// judgeController: a dead controller writes no status, and what the pools say is as old as its Lease.
func judgeController(s Snapshot, m membership, now time.Time) []plugin.Finding {
	if !s.controllerSilent(m, now) {
		return nil
	}
	return []plugin.Finding{{State: plugin.Critical, Subject: "machine-config-controller",
		Problem:     "dead or silent, the status of every pool is stale",
		Since:       s.ControllerSeen,
		Cause:       "its Lease has not been renewed",
		Consequence: "no node is updated, drained or uncordoned until it runs again",
		Remedy:      lookAtController}}
}

// controllerSilent says that the Lease is too old. The only master of a cluster takes its controller with it when it reboots.
func (s Snapshot) controllerSilent(m membership, now time.Time) bool {
	limit := controllerSilence
	if len(m.of["master"]) == 1 {
		limit *= 3
	}
	return !s.ControllerSeen.IsZero() && now.Sub(s.ControllerSeen) > limit
}

// judgeClock: against a clock that runs behind, or a --now before the events, every age is 0 and all would be well.
func judgeClock(s Snapshot, now time.Time) []plugin.Finding {
	var latest time.Time
	for _, p := range s.Pools {
		latest = later(latest, later(p.Conditions[condUpdated].Since, p.SpecWritten))
	}
	if latest.Sub(now) <= controllerSilence {
		return nil
	}
	return []plugin.Finding{{State: plugin.Unknown, Subject: "clock",
		Problem: fmt.Sprintf("judged as of %s, and a pool changed at %s", plugin.Moment(now), plugin.Moment(latest)),
		Cause:   "the clock of this machine or of the cluster is wrong, or --now lies before what was read", Remedy: "compare the clocks"}}
}

// mastersOutdated: the arbiters have to wait for the masters.
func mastersOutdated(s Snapshot, m membership) bool {
	for _, p := range s.Pools {
		if p.Name == "master" {
			return newRollout(p, m.of[p.Name], s.Images).outdated() > 0
		}
	}
	return false
}

// ahead are the nodes for which a pool waits: the arbiters for unavailable masters, and the masters for an unavailable arbiter (MCO, updatePools).
func ahead(p Pool, m membership) (out []Node) {
	for _, n := range m.of[map[string]string{"master": "arbiter", "arbiter": "master"}[p.Name]] {
		if n.unavailable() {
			out = append(out, n)
		}
	}
	return out
}

// holdsBack: another pool would go on at once if the nodes of this one were ready.
func (s Snapshot) holdsBack(p Pool, m membership) bool {
	return slices.ContainsFunc(s.Pools, func(other Pool) bool {
		waits := ahead(other, m)
		return len(waits) > 0 && hasNode(m.of[p.Name], waits[0].Name) && !other.Paused && len(newRollout(other, m.of[other.Name], s.Images).picks()) > 0
	})
}

// nodesMissing: far fewer nodes were read than the pool counts. Some come and go, but not most of them.
func (r rollout) nodesMissing() bool {
	return r.pool.Generation == r.pool.ObservedGeneration && 2*len(r.nodes) < r.pool.Machines
}

func (j *judgement) tellNodesMissing() {
	j.add(plugin.Finding{State: plugin.Unknown, Problem: fmt.Sprintf("counts %s, and only %d could be read", plugin.Count(j.pool.Machines, "node"), len(j.rollout.nodes)),
		Cause: "the list of nodes is not whole, or their labels were changed a moment ago", Remedy: "oc get nodes, and compare with oc get mcp " + j.pool.Name})
}

// staleStatus: the pool was changed and its status does not know.
func (j *judgement) staleStatus() {
	p := j.pool
	if p.Generation <= p.ObservedGeneration {
		return
	}
	f := plugin.Finding{State: plugin.Critical, Since: p.SpecWritten,
		Problem: fmt.Sprintf("status is not to be trusted: the pool is at generation %d, its status at %d", p.Generation, p.ObservedGeneration),
		Cause:   "machine-config-controller has not taken up the change",
		Remedy:  lookAtController}
	switch {
	case p.SpecWritten.IsZero():
		f.State, f.Cause = plugin.Warning, f.Cause+", since when cannot be told"
	case j.age(p.SpecWritten) <= controllerSilence:
		return
	}
	j.mcoHeld = j.mcoHeld || f.State == plugin.Critical
	if n := j.outdated(); j.nodesRead && n > 0 {
		f.Consequence = fmt.Sprintf("%d of %s waiting for an update that does not begin", n, plugin.Count(len(j.rollout.nodes), "node"))
	}
	j.add(f)
}

// statusBehindNodes: every node is well and runs the target, and still the status says otherwise.
func (j *judgement) statusBehindNodes() {
	if j.pool.Generation != j.pool.ObservedGeneration || j.pool.clean() || len(j.findings) > 0 { // a degraded pool, or one whose image build failed, is told
		return
	}
	if len(j.rollout.nodes) == 0 && j.pool.Machines == 0 {
		return
	}
	f := plugin.Finding{State: plugin.OK,
		Problem: fmt.Sprintf("all %s run the target, the status has yet to follow", plugin.Count(len(j.rollout.nodes), "node"))}
	j.add(f)
}
