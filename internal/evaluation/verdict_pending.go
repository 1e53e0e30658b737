package evaluation

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// pending judges evaluations that wait to be worked on. A healthy one is closed within 100 ms of being due.
func (j *judgement) pending() {
	if j.snapshot.Pending == nil {
		return
	}
	var overdue, remains, ageless []*Evaluation // there may be 200,000
	state := plugin.OK
	due := 0
	j.points[pendingAge] = 0
	for e := range j.awaited() {
		age := j.age(e.Due)
		graded := grade(age, j.limits.Warning, j.limits.Critical)
		switch {
		case e.Due.IsZero():
			ageless = append(ageless, e)
			continue
		case !e.Due.After(j.now):
			due++
		}
		if graded != plugin.OK && e.Delayed && j.snapshot.Remains[e.JobID] != "" {
			remains = append(remains, e) // they only warn, so their age is none that the limits are for
			continue
		}
		j.points[pendingAge] = max(j.points[pendingAge], age.Seconds())
		if graded != plugin.OK {
			state = worse(state, graded)
			overdue = append(overdue, e)
		}
	}
	j.points[evaluationsPending] = float64(len(*j.snapshot.Pending))
	j.points[evaluationsOverdue] = float64(len(overdue) + len(remains) + len(ageless))
	f := j.overdue(overdue, state, due)
	if j.snapshot.Broker == BrokerPaused && due > 0 {
		j.due, j.waits = due, f // told of the broker
	} else if len(overdue) > 0 {
		j.add(f)
	}
	j.tellRemains(remains)
	j.tellAgeless(ageless)
}

// awaited are those that a scheduler should work on.
func (j *judgement) awaited() iter.Seq[*Evaluation] {
	return func(yield func(*Evaluation) bool) {
		for i := range *j.snapshot.Pending {
			if !yield(&(*j.snapshot.Pending)[i]) {
				return
			}
		}
		if j.snapshot.Blocked == nil {
			return
		}
		for i := range *j.snapshot.Blocked {
			if e := &(*j.snapshot.Blocked)[i]; e.replanned() && !yield(e) {
				return
			}
		}
	}
}

// replanned: it is blocked because its plans were refused, not for want of room. The leader tries it again by itself within
// minutes, so it is judged like a pending one.
func (e *Evaluation) replanned() bool { return e.Trigger == "max-plan-attempts" && e.Reason == "" }

func byDue(e *Evaluation) (JobID, time.Time) { return e.JobID, e.Due }

// overdue is the finding for what is overdue; that of nothing is empty.
func (j *judgement) overdue(overdue []*Evaluation, state plugin.State, due int) plugin.Finding {
	f := plugin.Finding{State: state, Subject: "evaluations", Consequence: "nothing is started, stopped or replaced for them until they are worked on"}
	if len(overdue) == 0 {
		return f
	}
	groups := fold(overdue, byDue)
	oldest := groups[0].oldest
	f.Since = oldest.Due
	f.Problem = plugin.Count(len(overdue), "evaluation") + within(groups) + " overdue"
	f.Cause = fmt.Sprintf("the oldest is pending for %s (%s)", oldest.JobID, oldest.Trigger)
	f.Remedy = j.evalStatus(oldest.JobID, oldest.ID)
	if len(overdue) == 1 {
		f.Cause = "it is pending (" + oldest.Trigger + ")"
		f.Consequence = "nothing is started, stopped or replaced for it until it is worked on"
	}
	if len(overdue) > 1 { // it stops all scheduling for a moment, which is too much for one
		f.Remedy += "; if that does not tell, have all queued anew: " + j.setPause("true") + ", and again with =false"
	}
	f.Details = details(groups, j.now, "evaluation", tellTrigger)
	if len(groups) == 1 {
		f.Subject = groups[0].job.String()
	}
	if oldest.replanned() {
		f.Cause = fmt.Sprintf("the oldest is of %s: its plans were refused again and again (%s)", oldest.JobID, oldest.Trigger)
		if len(overdue) == 1 {
			f.Cause = "its plans were refused again and again (" + oldest.Trigger + ")"
		}
		f.Remedy = j.evalStatus(oldest.JobID, oldest.ID) + `; look for "plan for node rejected" in the leader's log, and drain the node it names`
	} else if j.snapshot.Broker == BrokerRunning && len(overdue) == due {
		f.Cause += "; none is worked on, though a leader answers and the broker is not paused"
	}
	return f
}

// paused tells of the broker, if it is paused and something waits for it or may. It comes first among equals: it is the cause of
// the others, and no remedy of theirs helps before it is resumed.
func (j *judgement) paused() {
	if j.snapshot.Broker != BrokerPaused || j.due == 0 && !j.held {
		return
	}
	f := j.waits
	f.State = worse(f.State, plugin.Warning)
	f.Subject = "evaluation broker"
	f.Problem = "paused by an operator"
	if j.due > 0 {
		f.Problem += ", " + plugin.Count(j.due, "evaluation") + " waiting"
	}
	f.Cause = "PauseEvalBroker is set in the scheduler configuration"
	f.Consequence = "nothing at all is started, stopped or replaced until it is resumed"
	f.Remedy = j.setPause("false")
	j.findings = slices.Insert(j.findings, 0, f)
}

// whilePaused tells in another finding that the broker is paused.
func (j *judgement) whilePaused(f *plugin.Finding) {
	if j.snapshot.Broker == BrokerPaused {
		j.held = true
		f.Cause += "; the evaluation broker is paused"
		f.Remedy = "resume the broker first; " + f.Remedy
	}
}

func (j *judgement) setPause(value string) string {
	return j.overall("operator scheduler set-config") + " -pause-eval-broker=" + value
}

func tellTrigger(e *Evaluation) string {
	text := e.Trigger
	if e.isChild() {
		text += ", " + e.Job
	}
	return text
}

// tellRemains: a delayed evaluation may outlive its job (hashicorp/nomad 15031, 25923, 10788). Nothing is missing then.
func (j *judgement) tellRemains(remains []*Evaluation) {
	if len(remains) == 0 {
		return
	}
	groups := fold(remains, byDue)
	oldest := groups[0].oldest
	what := j.snapshot.Remains[oldest.JobID]
	j.add(plugin.Finding{State: plugin.Warning, Subject: oldest.String(), Since: oldest.Due,
		Problem:     plugin.Count(len(remains), "delayed evaluation") + within(groups) + " overdue, the job is " + what,
		Cause:       "it outlived its job (" + oldest.Trigger + ")",
		Consequence: "nothing is missing", Remedy: j.evalStatus(oldest.JobID, oldest.ID),
		Details: details(groups, j.now, "evaluation", tellTrigger)})
}

// tellAgeless: Nomad has written the time of creation since 0.9.5, so an evaluation without has been open since before.
func (j *judgement) tellAgeless(ageless []*Evaluation) {
	if len(ageless) == 0 {
		return
	}
	groups := fold(ageless, byDue)
	oldest := groups[0].oldest
	j.add(plugin.Finding{State: plugin.Warning, Subject: oldest.String(),
		Problem: plugin.Count(len(ageless), "evaluation") + within(groups) + " pending, age unknown",
		Cause:   "the server tells no time of creation", Remedy: j.evalStatus(oldest.JobID, oldest.ID),
		Details: details(groups, j.now, "evaluation", tellTrigger)})
}
