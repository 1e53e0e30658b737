package evaluation

import (
	"time"

	"overdue/internal/plugin"
)

// failed judges evaluations that were given up. With a follow-up that is how Nomad works: a refused plan leaves a blocked
// evaluation behind, one that no scheduler finished is tried again after some minutes. Only one without a follow-up, or one that
// fails each time anew (hashicorp/nomad 16877), is a fault. The latter may be of a job that was purged; of such a job, or of one
// that was stopped, an evaluation that is not tried again is missed by nobody.
func (j *judgement) failed() {
	if j.snapshot.Failed == nil {
		return
	}
	goesOn := map[string]bool{}
	if j.snapshot.Pending != nil {
		for _, e := range *j.snapshot.Pending {
			if e.Trigger == followUp {
				goesOn[e.ID] = true
			}
		}
	}
	var without, chains, orphans, unknown []FailedEvaluation
	for _, e := range j.snapshot.Failed.Evaluations {
		chain := e.Trigger == followUp && goesOn[e.FollowUp]
		switch {
		case !chain && (e.FollowUp != "" || e.Superseded || e.Purged || e.Stopped):
		case !e.Looked:
			unknown = append(unknown, e)
		case e.Purged:
			orphans = append(orphans, e)
		case chain:
			chains = append(chains, e)
		default:
			without = append(without, e)
		}
	}
	j.points[evaluationsFailed] = float64(len(without) + len(chains) + len(orphans))
	j.tellFailed(without, "failed evaluation", "without a follow-up", func(f *plugin.Finding, oldest FailedEvaluation) {
		f.Consequence = "nothing is started, stopped or replaced for it"
		f.Remedy = j.evalJob(oldest.JobID)
	})
	const again = "it is tried again every few minutes, without end"
	j.tellFailed(chains, "evaluation", "failed, and the follow-ups fail too", func(f *plugin.Finding, oldest FailedEvaluation) {
		f.Consequence, f.Remedy = again, j.evalStatus(oldest.JobID, oldest.ID)+"; see the leader's log"
	})
	j.tellFailed(orphans, "evaluation", "failed, and the follow-ups fail too; the job does not exist", func(f *plugin.Finding, oldest FailedEvaluation) {
		// Nomad deletes evaluations only while the broker is paused, and of a chain only the one that is pending is tried again.
		f.Consequence = again
		f.Remedy = j.setPause("true") + "; " + j.command("eval delete", oldest.JobID, oldest.FollowUp) + "; " + j.setPause("false")
	})
	j.tellNotLooked(unknown)
}

// tellFailed tells failed evaluations that are faults of one kind.
func (j *judgement) tellFailed(faults []FailedEvaluation, noun, what string, remedy func(*plugin.Finding, FailedEvaluation)) {
	if len(faults) == 0 {
		return
	}
	groups := fold(faults, func(e FailedEvaluation) (JobID, time.Time) { return e.JobID, e.Created })
	oldest := groups[0].oldest
	f := plugin.Finding{State: plugin.Warning, Subject: "evaluations", Since: oldest.Created,
		Problem: plugin.Count(len(faults), noun) + within(groups) + " " + what, Cause: oldest.Description,
		Details: details(groups, j.now, "evaluation", func(e FailedEvaluation) string { return e.Description })}
	if len(groups) == 1 {
		f.Subject = oldest.String()
	} else if f.Cause = "the oldest is of " + oldest.String(); oldest.Description != "" {
		f.Cause += ": " + oldest.Description
	}
	if j.snapshot.Failed.More {
		f.Problem = "at least " + f.Problem // only the newest were read
	}
	remedy(&f, oldest)
	j.add(f)
}

// tellNotLooked: whether they were made good is not known, so they are no fault.
func (j *judgement) tellNotLooked(unknown []FailedEvaluation) {
	if len(unknown) == 0 {
		return
	}
	j.add(plugin.Finding{State: plugin.OK, Subject: "evaluations", Problem: plugin.Count(len(unknown), "more failed evaluation") + " not looked at",
		Cause: "whether " + plugin.Verb(len(unknown), "it was", "they were") + " made good since is not known"})
}

// followUp is the trigger of an evaluation that takes the place of one that no scheduler finished.
const followUp = "failed-follow-up"
