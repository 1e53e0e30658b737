package machineconfig

import (
	"fmt"

	"overdue/internal/plugin"
)

// paused by a person, with an update outstanding. Whoever pauses holds back every change, so it must not be forgotten.
func (j *judgement) paused() {
	r := j.rollout
	j.drainTold = j.need != needNothing && len(j.findings) == 0
	age, since := j.stalled()
	if opened := j.limits.Windows.openedAt(j.now); opened.After(since.Time) {
		age, since = j.age(opened), moment{Time: opened} // until then the pause was meant
	}
	f := plugin.Finding{State: grade(age, j.limits.PendingWarning, plugin.Range{}), Since: since.Time, AtLeast: since.atLeast,
		Problem:     fmt.Sprintf("paused with an update outstanding, %d of %s outdated", r.outdated(), plugin.Count(len(r.nodes), "node")),
		Consequence: fmt.Sprintf("once it is unpaused, the MCO will %s, %d at a time", j.need.to("them"), r.pool.maxUnavailable(len(r.nodes))),
		Remedy:      fmt.Sprintf(`when that may happen, oc patch mcp %s --type merge -p '{"spec":{"paused":false}}'`, j.pool.Name),
		Details:     j.held("")}
	if by := j.by(clock{j.now, since.Time}); by != "" {
		f.Cause = "paused" + by
	}
	if next, ok := j.limits.Windows.waitsFor(j.now, since.Time); ok {
		f.State, f.Remedy = plugin.OK, ""
		f.Problem = fmt.Sprintf("paused until the window that opens in %s, %s waiting", plugin.Age(next.Sub(j.now)), plugin.Count(r.outdated(), "outdated node"))
	}
	j.add(f)
}

// by says who wrote spec.paused, and when.
func (j *judgement) by(c clock) string {
	if j.pool.PausedWritten.IsZero() {
		return ""
	}
	return fmt.Sprintf(" by %s%s", j.pool.PausedBy, c.ago(j.pool.PausedWritten))
}

// tooOld: the absolute limit, for those who want one.
func (j *judgement) tooOld() {
	age, since := j.pending()
	if !j.limits.TotalCritical.Violates(age.Seconds()) {
		return
	}
	j.add(plugin.Finding{State: plugin.Critical, Since: since.Time, AtLeast: since.atLeast,
		Problem: fmt.Sprintf("update outstanding longer than --total-critical %s, %d of %s outdated", j.limits.TotalCritical.String(),
			j.outdated(), plugin.Count(len(j.rollout.nodes), "node"))})
}
