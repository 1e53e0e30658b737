package evaluation

import (
	"fmt"
	"time"

	"overdue/internal/plugin"
)

// failed judges evaluations that were given up. With a follow-up that is how Nomad works: a refused plan leaves a blocked
// evaluation behind, one that no scheduler finished is tried again after some minutes. Only one without a follow-up, or one that
// fails each time anew (hashicorp/nomad 16877), is a fault.
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
	var faults []FailedEvaluation
	for _, e := range j.snapshot.Failed.Evaluations {
		if e.FollowUp == "" && !e.Superseded || e.Trigger == followUp && goesOn[e.FollowUp] {
			faults = append(faults, e)
		}
	}
	j.points[evaluationsFailed] = float64(len(faults))
	if len(faults) == 0 {
		return
	}
	groups := fold(faults, func(e FailedEvaluation) (JobID, time.Time) { return e.JobID, e.Created })
	oldest := groups[0].oldest
	f := plugin.Finding{State: plugin.Warning, Subject: oldest.String(), Since: oldest.Created,
		Problem: plugin.Count(len(faults), "failed evaluation") + within(groups) + " without a follow-up", Cause: oldest.Description,
		Consequence: "nothing is started, stopped or replaced for it", Remedy: j.evalJob(oldest.JobID),
		Details: details(groups, j.now, "evaluation", func(e FailedEvaluation) string { return e.Description })}
	if oldest.FollowUp != "" {
		f.Problem = plugin.Count(len(faults), "evaluation") + within(groups) + " failed, and its follow-ups fail too"
		f.Consequence = "it is tried again every few minutes, without end"
		f.Remedy = j.evalStatus(oldest.JobID, oldest.ID) + "; see the leader's log"
	}
	if j.snapshot.Failed.More {
		f.Problem = "at least " + f.Problem // only the newest were read
	}
	if oldest.Purged {
		f.Problem += "; the job does not exist"
		f.Remedy = fmt.Sprintf("nomad eval delete %s, with the broker paused (%s)", quote(oldest.ID), j.setPause("true"))
	}
	j.add(f)
}

// followUp is the trigger of an evaluation that takes the place of one that no scheduler finished.
const followUp = "failed-follow-up"
