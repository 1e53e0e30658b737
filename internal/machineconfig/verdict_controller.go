package machineconfig

import (
	"fmt"
	"time"

	"overdue/internal/plugin"
)

const lookAtController = "oc -n openshift-machine-config-operator get pods -l k8s-app=machine-config-controller -o wide"

// judgeController: a dead controller writes no status, and what the pools say is as old as its Lease.
func judgeController(s Snapshot, now time.Time) []plugin.Finding {
	if !s.controllerSilent(now) {
		return nil
	}
	return []plugin.Finding{{State: plugin.Critical, Subject: "machine-config-controller",
		Problem:     "dead or silent, the status of every pool is stale",
		Since:       s.ControllerSeen,
		Cause:       "its Lease has not been renewed",
		Consequence: "no node is updated, drained or uncordoned until it runs again",
		Remedy:      lookAtController}}
}

func (s Snapshot) controllerSilent(now time.Time) bool {
	return !s.ControllerSeen.IsZero() && now.Sub(s.ControllerSeen) > controllerSilence
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
	if n := j.outdated(); j.nodesRead && n > 0 {
		f.Consequence = fmt.Sprintf("%d of %s waiting for an update that does not begin", n, plugin.Count(len(j.rollout.nodes), "node"))
	}
	j.add(f)
}

// statusBehindNodes: every node is well and runs the target, and still the status says otherwise.
func (j *judgement) statusBehindNodes() {
	if j.pool.Generation != j.pool.ObservedGeneration || j.pool.clean() || len(j.findings) > 0 {
		return
	}
	if len(j.rollout.nodes) == 0 && j.pool.Machines == 0 {
		return
	}
	f := plugin.Finding{State: plugin.OK,
		Problem: fmt.Sprintf("all %s run the target, the status has yet to follow", plugin.Count(len(j.rollout.nodes), "node"))}
	since := j.rollout.lastProgress()
	for _, n := range j.rollout.nodes {
		since = later(since, n.StateWritten)
	}
	if !since.IsZero() && j.age(since) > controllerSilence {
		f.State, f.Since, f.Cause, f.Remedy = plugin.Warning, since, "machine-config-controller does not count them", lookAtController
		f.Consequence = "the next change does not begin"
	}
	j.add(f)
}
