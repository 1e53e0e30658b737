package machineconfig

import (
	"fmt"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// drainLimit is how long the machine-config-daemon waits for a drain before it sets the node Degraded. The drain is tried on.
const drainLimit = time.Hour

// updating: at least one node is in work. How long the pool takes is no matter, 44 nodes take hours; how long one node takes is.
func (j *judgement) updating() {
	r, l := j.rollout, j.limits
	slowest := slices.MinFunc(r.working, func(a, b Node) int { return j.workSince(a).Compare(j.workSince(b).Time) })
	since := j.workSince(slowest)
	f := plugin.Finding{State: grade(j.age(since.Time), l.NodeWarning, l.NodeCritical)}
	progress := fmt.Sprintf("%d/%d done", len(r.nodes)-r.outdated(), len(r.nodes))
	if f.State == plugin.OK {
		f.Problem = fmt.Sprintf("updating, %s, %s %s", progress, slowest.Name, phase(slowest))
		if !since.IsZero() {
			f.Problem += " for " + atLeast(since) + plugin.Age(j.age(since.Time))
		}
	} else {
		f.Since, f.AtLeast = since.Time, since.atLeast
		f.Problem = fmt.Sprintf("update stuck, %s, %s %s", progress, slowest.Name, phase(slowest))
		f.Cause, f.Remedy = j.holdUp(slowest)
		if waiting := len(r.waiting); waiting > 0 {
			f.Consequence = plugin.Count(waiting, "outdated node") + " waiting behind it"
		}
		if left := drainLimit - j.age(since.Time); slowest.draining() && left > 0 {
			f.Consequence = joined("in "+plugin.Age(left)+" the node turns Degraded, and the drain goes on", f.Consequence)
		} else if slowest.draining() {
			f.Consequence = joined("the node turns Degraded, and the drain goes on", f.Consequence)
		}
	}
	if j.pool.Paused && len(r.waiting) > 0 {
		f.Details = append(f.Details, fmt.Sprintf("paused%s: %s held back until it is unpaused", j.by(clock{now: j.now}), plugin.Count(len(r.waiting), "further node")))
	}
	for _, n := range r.working {
		if n.Name != slowest.Name {
			f.Details = append(f.Details, fmt.Sprintf("%s %s%s", n.Name, phase(n), ago(j.workSince(n).Time, j.now)))
		}
	}
	f.Details = append(f.Details, j.held("")...)
	j.add(f)
}

func (j *judgement) workSince(n Node) moment {
	target := pendingSince(j.pool, j.snapshot.TargetCreated)
	return inWorkSince(n, target.Time, j.snapshot.CordonedByMCO[n.Name])
}

// holdUp says what keeps a node in work from getting on, and what to do.
func (j *judgement) holdUp(n Node) (cause, remedy string) {
	daemon := j.daemonTrouble(n.Name)
	switch {
	case n.draining() && !n.Unschedulable && j.age(n.DrainAsked) > 2*time.Minute:
		return "it is schedulable again in the midst of its drain: somebody uncordoned it", "oc adm cordon " + n.Name
	case n.draining():
		return j.drainHolder(n)
	case n.uncordoning():
		return "machine-config-controller has not uncordoned it (OCPBUGS-62341)", lookAtController
	case !n.KubeletReady:
		return n.Name + ": " + trouble(n, clock{now: j.now}), "look at the console of " + n.Name
	case daemon != "":
		return daemon, "oc -n openshift-machine-config-operator get pods -l k8s-app=machine-config-daemon -o wide --field-selector spec.nodeName=" + n.Name
	case n.Desired != j.pool.Target:
		return fmt.Sprintf("it still works towards %s, which the pool has given up for %s", n.Desired, j.pool.Target), "oc describe node " + n.Name
	}
	return "", fmt.Sprintf("oc -n openshift-machine-config-operator logs -c machine-config-daemon "+
		"$(oc -n openshift-machine-config-operator get pod -o name -l k8s-app=machine-config-daemon --field-selector spec.nodeName=%s)", n.Name)
}

func (j *judgement) daemonTrouble(node string) string {
	if j.snapshot.Daemons == nil {
		return ""
	}
	d, ok := j.snapshot.Daemons[node]
	switch {
	case !ok:
		return "" // not looked at
	case d.Pod == "":
		return "no machine-config-daemon pod on " + node
	case !d.Ready:
		return fmt.Sprintf("machine-config-daemon pod %s is not ready%s", d.Pod, bracketed(d.Why))
	}
	return ""
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
