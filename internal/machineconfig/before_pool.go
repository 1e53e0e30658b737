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
// anything else is harmless.
func (f *foresight) waitingIn(name string) []plugin.Finding {
	r := f.rollout(name)
	j := f.judgement(r.pool)
	j.limits.Windows = Windows{}
	j.judge()
	dangerous := false
	for _, n := range r.pending() {
		if need, _ := f.need(n, r.pool); need != needNothing {
			f.drained[n.Name], dangerous = true, true
		}
	}
	for i, finding := range j.findings {
		if finding.State != plugin.Unknown {
			j.findings[i].State = noted(dangerous)
		}
	}
	return j.findings
}

// plan is what a MachineConfig meets that is applied now.
func (f *foresight) plan(name string) (rows [][2]string, fits bool) {
	r := f.rollout(name)
	if pending := r.pending(); len(pending) > 0 {
		need, why := f.need(pending[0], r.pool)
		for _, n := range pending[1:] {
			if other, whyOther := f.need(n, r.pool); other.worse(need) {
				need, why = other, whyOther
			}
		}
		rows = append(rows, [2]string{"what is pending", need.does("its nodes") + bracketed(why)})
	}
	limit := r.pool.maxUnavailable(len(r.nodes))
	room := limit - r.unavailable()
	text := fmt.Sprintf("%d of maxUnavailable %d left", max(room, 0), limit)
	if room <= 0 {
		text = fmt.Sprintf("none: %d unavailable, maxUnavailable %d; a change does not start before that", r.unavailable(), limit)
	}
	rows = append(rows, [2]string{"capacity", text})
	for _, n := range r.nodes {
		if n.unavailable() {
			text := f.troubleOf(n)
			if room <= 0 {
				text += "; stops the rollout"
			}
			rows = append(rows, [2]string{n.Name, text})
		}
	}
	if next := r.anew().picks(); len(next) > 0 {
		rows = append(rows, [2]string{"begins with", plugin.List(names(next))})
	}
	took := r.pace()
	rows = append(rows, [2]string{"a change of all " + plugin.Count(len(r.nodes), "node"), took.lasts(len(r.nodes))})
	window, fits := f.limits.Windows.fits(took.total(len(r.nodes)), f.now)
	if window != "" {
		rows = append(rows, [2]string{"window", window})
	}
	return rows, fits
}

// troubleOf says why a node is unavailable.
func (f *foresight) troubleOf(n Node) string {
	if text := trouble(n, clock{now: f.now}); text != "" {
		return text
	}
	return phase(n)
}

// anew is the rollout as a new target would find it.
func (r rollout) anew() rollout {
	p := r.pool
	p.Target = "rendered-new" // no node runs it
	return newRollout(p, r.nodes, r.images)
}
