package machineconfig

import (
	"fmt"

	"overdue/internal/plugin"
)

// pool answers for a pool, or for a MachineConfig that is about to reach it: what its own judgement says, and a plan.
func (f *foresight) pool(name string) {
	f.told[name] = true
	findings := f.waitingIn(name)
	var plan [][2]string
	fits := true
	if !f.rollout(name).nodesMissing() { // what is planned for a few would not hold for all
		plan, fits = f.plan(name)
	}
	if !fits {
		findings = append(findings, plugin.Finding{State: plugin.Warning, Problem: "a change of all its nodes does not fit the window",
			Remedy: "a longer window, or a larger maxUnavailable"})
	}
	if len(findings) == 0 {
		findings = []plugin.Finding{{Problem: "nothing is pending, all " + plugin.Count(len(f.members.of[name]), "node") + " ready"}}
	}
	findings[0] = doubted(findings[0], f.rollout(name).doubts())
	findings[0].Table = append(findings[0].Table, plan...)
	for _, finding := range findings {
		f.add("pool "+name, finding)
	}
}

// waitingIn is what the judgement of a pool finds, graded anew: whatever its age, a pending update is drained or rebooted by, and
// anything else is harmless but to other pools.
func (f *foresight) waitingIn(name string) []plugin.Finding {
	r := f.rollout(name)
	j := f.judgement(r.pool)
	j.limits.Windows = Windows{}
	j.need, _ = f.worst(r)
	j.needs = map[string]need{}
	for _, n := range r.pending() {
		j.needs[n.Name], _ = f.need(n, r.pool)
	}
	for _, node := range f.toDrain(r) {
		f.drained[node] = true
	}
	dangerous := len(f.toDrain(r)) > 0
	var ready effect
	if !dangerous {
		ready = f.readying(r)
		j.holdsBack = ready.state == plugin.Critical
	}
	j.judge()
	for i, finding := range j.findings {
		if finding.State != plugin.Unknown {
			j.findings[i].State = noted(dangerous || j.holdsBack)
		}
	}
	if len(j.findings) == 0 {
		return nil
	}
	first := &j.findings[0]
	if dangerous && !j.drainTold {
		first.Consequence = joined(first.Consequence, "in the end the MCO "+j.need.does(plugin.List(f.toDrain(r))))
	}
	if j.holdsBack {
		first.Consequence = joined(first.Consequence, "making its nodes ready "+ready.text)
		first.Remedy = "ask for the workloads: check_mcp --before-change " + ready.other[0]
	}
	return j.findings
}

// toDrain are the nodes that the update of a pool drains, sooner or later.
func (f *foresight) toDrain(r rollout) []string {
	out, known := f.waits[r.pool.Name]
	if known {
		return out
	}
	for _, n := range r.pending() {
		if need, _ := f.need(n, r.pool); need != needNothing {
			out = append(out, n.Name)
		}
	}
	f.waits[r.pool.Name] = out
	return out
}

// worst is what the update of a pool costs the node that it costs most.
func (f *foresight) worst(r rollout) (worst need, why string) {
	for i, n := range r.pending() {
		if need, reason := f.need(n, r.pool); i == 0 || need.worse(worst) {
			worst, why = need, reason
		}
	}
	return worst, why
}

// plan is what a MachineConfig meets that is applied now.
func (f *foresight) plan(name string) (rows [][2]string, fits bool) {
	r := f.rollout(name)
	if pending := r.pending(); len(pending) > 0 {
		need, why := f.worst(r)
		rows = append(rows, [2]string{"what is pending", need.does("its nodes") + bracketed(why)})
	}
	took, all := r.pace(), len(r.nodes)
	rows = append(rows, [2]string{"capacity", r.capacity(took)})
	for _, n := range r.nodes {
		switch {
		case !n.unavailable():
		case r.inWork(n.Name):
			rows = append(rows, [2]string{n.Name, phase(n)})
		case took.now == 0:
			rows = append(rows, [2]string{n.Name, trouble(n, clock{now: f.now}) + "; stops the rollout"})
		case !n.pickable():
			rows = append(rows, [2]string{n.Name, trouble(n, clock{now: f.now}) + "; left out until it is ready: the rollout does not end before"})
		default:
			rows = append(rows, [2]string{n.Name, trouble(n, clock{now: f.now})})
		}
	}
	if next := r.anew().picks(); len(next) > 0 && !r.pool.Paused {
		rows = append(rows, [2]string{"begins with", plugin.List(names(next))})
	}
	if pending := r.outdated(); pending > 0 && took.node > 0 {
		rows = append(rows, [2]string{"what is left of it, " + plugin.Count(pending, "node"), took.lasts(pending)})
	}
	rows = append(rows, [2]string{"a change of all " + plugin.Count(all, "node"), took.lasts(all)})
	window, fits := f.limits.Windows.fits(took, all, f.now)
	if window != "" {
		rows = append(rows, [2]string{"window", window})
	}
	return rows, fits
}

// capacity says how many nodes a change can begin with now, and if with none, what it waits for.
func (r rollout) capacity(p pace) string {
	used := r.unavailable()
	switch missing := used - p.limit + 1; {
	case missing <= 0 && r.pool.Paused:
		return fmt.Sprintf("%d of maxUnavailable %d left, once the pool is unpaused", p.limit-used, p.limit)
	case missing <= 0:
		return fmt.Sprintf("%d of maxUnavailable %d left", p.limit-used, p.limit)
	case p.now > 0:
		return fmt.Sprintf("none: %d unavailable, maxUnavailable %d; a change begins once %s done", used, p.limit, are(names(r.working)))
	case missing == 1:
		return fmt.Sprintf("none: %d unavailable, maxUnavailable %d; a change does not start before 1 node is ready again", used, p.limit)
	default:
		return fmt.Sprintf("none: %d unavailable, maxUnavailable %d; a change does not start before %d nodes are ready again", used, p.limit, missing)
	}
}

// anew is the rollout as a new target would find it.
func (r rollout) anew() rollout {
	p := r.pool
	p.Target = "rendered-new" // no node runs it
	return newRollout(p, r.nodes, r.images)
}
