package machineconfig

import (
	"fmt"
	"overdue/internal/plugin"
	"time"
)

// window: the MCO knows no windows. It reboots nodes whenever it can, and so this is the check that it did not.
func (j *judgement) window() {
	w := j.limits.Windows
	if !w.outside(j.now) || j.rollout.outdated() == 0 {
		return
	}
	in := plugin.Age(w.next(j.now).Sub(j.now))
	if n := len(j.rollout.working); n > 0 {
		var began time.Time
		for _, node := range j.rollout.working {
			began = earlier(began, j.workSince(node).Time)
		}
		j.add(plugin.Finding{State: plugin.Critical, Since: later(began, w.lastClosed(j.now)),
			Problem:     fmt.Sprintf("%s in work outside every window: %s", plugin.Count(n, "node"), plugin.List(names(j.rollout.working))),
			Cause:       "the MCO knows no windows; the last one closed " + plugin.Moment(w.lastClosed(j.now)),
			Consequence: fmt.Sprintf("the MCO goes on to %s further nodes until the pool is paused; next window in %s", drainWords, in),
			Remedy:      fmt.Sprintf(`oc patch mcp %s --type merge -p '{"spec":{"paused":true}}' (a node in work is finished all the same)`, j.pool.Name)})
		return
	}
	_, since := j.pending()
	if since.IsZero() || !since.Before(w.lastClosed(j.now)) {
		return
	}
	j.add(plugin.Finding{State: plugin.Warning, Since: w.lastClosed(j.now),
		Problem: fmt.Sprintf("the window ended with %s left, next window in %s", plugin.Count(j.rollout.outdated(), "node"), in)})
}
