package evaluation

import (
	"context"
	"time"

	"overdue/internal/nomad"
)

// closest is how many of a kind are looked at more closely, for what only the text needs.
const closest = 3

func (r reader) readEvaluations(ctx context.Context, s *Snapshot) error {
	known := texts{}
	reduce := func(e *nomad.Evaluation) (Evaluation, bool) {
		reduced := known.reduce(e)
		return reduced, e.Type != nomad.TypeCore && r.jobs.selects(reduced.JobID)
	}
	pending, err := nomad.Evaluations(ctx, r.client, r.where(), nomad.StatusPending, reduce)
	if err != nil {
		return err
	}
	s.Pending = &pending
	blocked, err := nomad.Evaluations(ctx, r.client, r.where(), nomad.StatusBlocked, reduce)
	if err != nil {
		return err
	}
	s.Blocked = &blocked
	failed, more, err := nomad.NewestEvaluations(ctx, r.client, r.where(), nomad.StatusFailed, newestFailed, func(e *nomad.Evaluation) (FailedEvaluation, bool) {
		f := reduceFailed(e)
		return f, e.Type != nomad.TypeCore && r.jobs.selects(f.JobID)
	})
	if err != nil {
		return err
	}
	s.Failed = &Failed{Evaluations: failed, More: more}
	if err := r.lookAtFailed(ctx, s.Failed.Evaluations); err != nil {
		return err
	}
	return r.lookForRemains(ctx, s)
}

// texts keeps one copy of what many evaluations share: 200,000 of them are open in a bad hour.
type texts map[string]string

func (t texts) one(text string) string {
	const most = 10_000 // different ones
	if known, ok := t[text]; ok {
		return known
	}
	if len(t) < most {
		t[text] = text
	}
	return text
}

func (t texts) reduce(e *nomad.Evaluation) Evaluation {
	reduced := Evaluation{JobID: JobID{t.one(e.Namespace), e.JobID}, ID: e.ID, Trigger: t.one(e.TriggeredBy), Created: moment(e.CreateTime)}
	if len(e.FailedTGAllocs) > 0 {
		reduced.Reason = t.one(reason(e.FailedTGAllocs))
	}
	reduced.Due, reduced.Delayed = due(e)
	return reduced
}

// due is when an evaluation may be worked on: Wait counts from its creation, WaitUntil is absolute. Zero if it is unknown.
func due(e *nomad.Evaluation) (at time.Time, delayed bool) {
	const longest = 100 * 365 * 24 * time.Hour // a wrong number must not turn round
	at = moment(e.CreateTime)
	if !at.IsZero() && e.Wait > 0 {
		at = at.Add(min(time.Duration(e.Wait), longest))
	}
	if e.WaitUntil.Unix() > 0 && e.WaitUntil.After(at) {
		return e.WaitUntil, true
	}
	return at, false
}

func reduceFailed(e *nomad.Evaluation) FailedEvaluation {
	return FailedEvaluation{JobID: JobID{e.Namespace, e.JobID}, ID: e.ID, Trigger: e.TriggeredBy, Description: e.StatusDescription,
		Created: moment(e.CreateTime), FollowUp: either(e.NextEval, e.BlockedEval)}
}

// lookAtFailed tells of failed evaluations whether a later one of the job has taken their place, and whether the job exists.
func (r reader) lookAtFailed(ctx context.Context, failed []FailedEvaluation) error {
	later := map[JobID]map[string]bool{} // IDs of those that a later one supersedes
	purged := map[JobID]bool{}
	for i := range failed {
		f := &failed[i]
		if f.FollowUp != "" && f.Trigger != followUp {
			continue
		}
		if _, known := later[f.JobID]; !known {
			if len(later) == closest {
				continue
			}
			all, err := r.client.JobEvaluations(ctx, f.Namespace, f.Job)
			if err = r.optional(ctx, err, "whether a failed evaluation was made good is not known"); err != nil {
				return err
			}
			later[f.JobID] = superseded(all)
			_, err = r.client.Job(ctx, f.Namespace, f.Job)
			if purged[f.JobID] = nomad.IsNotFound(err); !purged[f.JobID] {
				if err = r.optional(ctx, err, "whether the job of a failed evaluation exists is not known"); err != nil {
					return err
				}
			}
		}
		f.Superseded, f.Purged = later[f.JobID][f.ID], purged[f.JobID]
	}
	return nil
}

// superseded tells which evaluations of a job are older than one that was closed well or is open.
func superseded(all []nomad.Evaluation) map[string]bool {
	var newest uint64
	for _, e := range all {
		switch e.Status {
		case nomad.StatusComplete, nomad.StatusPending, nomad.StatusBlocked:
			newest = max(newest, e.CreateIndex)
		}
	}
	older := map[string]bool{}
	for _, e := range all {
		if e.CreateIndex < newest {
			older[e.ID] = true
		}
	}
	return older
}

// lookForRemains tells of delayed evaluations that are overdue whether their jobs are still there.
func (r reader) lookForRemains(ctx context.Context, s *Snapshot) error {
	s.Remains = map[JobID]string{}
	for _, e := range *s.Pending {
		if _, known := s.Remains[e.JobID]; known || !e.Delayed || !r.late(e.Due, r.limits.Warning, r.limits.Critical) || len(s.Remains) == closest {
			continue
		}
		job, err := r.client.Job(ctx, e.Namespace, e.Job)
		switch {
		case nomad.IsNotFound(err):
			s.Remains[e.JobID] = "purged"
		case err != nil:
			if err = r.optional(ctx, err, "whether the job of a delayed evaluation is still there is not known"); err != nil {
				return err
			}
		case job.Stop:
			s.Remains[e.JobID] = "stopped"
		default:
			s.Remains[e.JobID] = ""
		}
	}
	return nil
}
