package evaluation

import (
	"time"

	"overdue/internal/plugin"
)

// blocked judges evaluations that wait for room. That is no fault by itself: batch queues run at capacity, so only age counts.
func (j *judgement) blocked() {
	if j.snapshot.Blocked == nil {
		return
	}
	var old []*Evaluation
	state := plugin.OK
	j.points[blockedAge] = 0
	for i := range *j.snapshot.Blocked {
		e := &(*j.snapshot.Blocked)[i]
		if e.replanned() {
			continue
		}
		age := j.age(e.Created)
		graded := grade(age, j.limits.BlockedWarning, j.limits.BlockedCritical)
		if e.Created.IsZero() { // open since before Nomad 0.9.5: older than any limit, by an unknown time
			graded = plugin.Warning
			if j.limits.BlockedWarning.String() == "off" {
				graded = plugin.OK
			}
		} else {
			j.points[blockedAge] = max(j.points[blockedAge], age.Seconds())
		}
		if graded != plugin.OK {
			state = worse(state, graded)
			old = append(old, e)
		}
	}
	j.points[evaluationsBlocked] = float64(len(*j.snapshot.Blocked))
	j.points[evaluationsBlockedLong] = float64(len(old))
	if len(old) == 0 {
		return
	}
	groups := fold(old, func(e *Evaluation) (JobID, time.Time) { return e.JobID, e.Created })
	oldest := groups[0].oldest
	f := plugin.Finding{State: state, Subject: "evaluations", Since: oldest.Created, Problem: plugin.Count(len(old), "evaluation") + within(groups) + " blocked",
		Cause:       "the oldest is of " + oldest.String() + ": " + why(oldest),
		Consequence: "they go on by themselves once a node fits",
		Remedy:      "add what is lacking, or change the job; " + j.evalStatus(oldest.JobID, oldest.ID),
		Details:     details(groups, j.now, "evaluation", why)}
	if len(groups) == 1 {
		f.Subject, f.Cause = groups[0].job.String(), why(oldest)
	}
	if j.snapshot.Broker == BrokerPaused {
		f.Consequence = "they do not go on, even if a node fits, until the broker is resumed"
	}
	j.whilePaused(&f)
	if oldest.Created.IsZero() {
		f.Problem += ", age unknown"
	}
	j.add(f)
}

// why words what a blocked evaluation waits for.
func why(e *Evaluation) string {
	if e.Reason == "" {
		return "no reason told (" + e.Trigger + ")"
	}
	return e.Reason
}
