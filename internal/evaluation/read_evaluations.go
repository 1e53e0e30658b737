package evaluation

import (
	"context"
	"time"

	"overdue/internal/nomad"
)

const (
	closest     = 3  // allocations that are looked at more closely: only the text needs it
	mostRemains = 50 // jobs with overdue delayed evaluations that are looked at: the verdict depends on it
)

func (r reader) readEvaluations(ctx context.Context, s *Snapshot) error {
	known := texts{}
	reduce := func(e *nomad.Evaluation) (Evaluation, bool) {
		reduced := known.reduce(e)
		return reduced, e.Type != nomad.TypeCore && r.jobs.selects(reduced.JobID)
	}
	pending, err := nomad.Evaluations(ctx, r.client, nomad.Which{Namespace: r.where(), Status: nomad.StatusPending}, reduce)
	if err != nil {
		return err
	}
	s.Pending = &pending
	blocked, err := nomad.Evaluations(ctx, r.client, nomad.Which{Namespace: r.where(), Status: nomad.StatusBlocked}, reduce)
	if err != nil {
		return err
	}
	s.Blocked = &blocked
	if s.Failed, err = r.readFailed(ctx); err != nil {
		return err
	}
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

// lookForRemains tells of delayed evaluations that are overdue whether their jobs are still there.
func (r reader) lookForRemains(ctx context.Context, s *Snapshot) error {
	late := after(ctx, 1.0/4)
	s.Remains = map[JobID]string{}
	for _, e := range *s.Pending {
		if _, known := s.Remains[e.JobID]; known || !e.Delayed || !r.late(e.Due, r.limits.Warning, r.limits.Critical) || len(s.Remains) == mostRemains || late() {
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
			s.Remains[e.JobID] = ""
		case job.Stop:
			s.Remains[e.JobID] = "stopped"
		default:
			s.Remains[e.JobID] = ""
		}
	}
	return nil
}
