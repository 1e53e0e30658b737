package machineconfig

import (
	"fmt"
	"time"

	"overdue/internal/plugin"
)

// unready: nothing is outdated, yet nodes are cordoned or not Ready. This is the published line of the incident (READY 42,
// UPDATED 44): the MCO leaves no node so, and as long as they use up maxUnavailable the next change does not begin.
func (j *judgement) unready() {
	r := j.rollout
	if len(r.failed) > 0 {
		return
	}
	var since time.Time
	for _, n := range r.unready {
		since = earlier(since, earlier(n.CordonedSince, n.NotReadySince))
	}
	if unwhole := j.pool.Conditions[condUpdated]; since.IsZero() && !unwhole.True {
		since = unwhole.Since
	}
	limit := r.pool.maxUnavailable(len(r.nodes))
	f := plugin.Finding{State: grade(j.age(since), j.limits.PendingWarning, plugin.Range{}), Since: since,
		Problem: fmt.Sprintf("no change pending, but %d of %s not ready", len(r.unready), plugin.Count(len(r.nodes), "node")),
		Cause:   troubles(r.unready, clock{j.now, since}),
		Remedy:  makeReady(r.unready...) + ", unless they are meant to be out of use"}
	harmless := "; making them ready now reboots nothing"
	if j.holdsBack {
		harmless = ""
		f.Remedy = "first see what waits behind them: check_mcp --before-change pool/" + j.pool.Name + "; then " + f.Remedy
	}
	if !r.images.read {
		f.Problem = fmt.Sprintf("%d of %s not ready, and whether an OS image is outstanding is not known", len(r.unready), plugin.Count(len(r.nodes), "node"))
		f.Consequence = fmt.Sprintf("making them ready may let the MCO %s them", drainWords)
	} else if len(r.unready) >= limit {
		f.Consequence = fmt.Sprintf("the next change will not start (%d unavailable, maxUnavailable %d)%s", len(r.unready), limit, harmless)
	} else {
		f.Consequence = fmt.Sprintf("nothing, they use up %d of maxUnavailable %d%s", len(r.unready), limit, harmless)
	}
	for _, n := range r.unready {
		if len(r.unready) > 2 {
			f.Details = append(f.Details, n.Name+": "+trouble(n, clock{now: j.now}))
		}
		for _, t := range n.Taints {
			if j.holdsBack {
				continue
			}
			f.Details = append(f.Details, fmt.Sprintf("%s has the taint %s: taking it away reboots nothing, no change is pending", n.Name, t))
		}
	}
	j.add(f)
}
