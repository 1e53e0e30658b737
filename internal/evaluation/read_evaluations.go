package evaluation

import (
	"cmp"
	"context"
	"slices"
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

// readFailed reads the newest failed evaluations, and where there are older ones, those of the jobs that are named: others must
// not hide them.
func (r reader) readFailed(ctx context.Context) (*Failed, error) {
	found, more, err := r.newestFailed(ctx, "", failedPages)
	if err != nil || !more {
		return &Failed{Evaluations: found}, err
	}
	r.note("there are more failed evaluations: only the newest were read")
	for _, name := range r.jobs.named() {
		of, _, err := r.newestFailed(ctx, name, 1)
		if err != nil {
			return nil, err
		}
		for _, f := range of {
			if !slices.ContainsFunc(found, func(known FailedEvaluation) bool { return known.ID == f.ID }) {
				found = append(found, f)
			}
		}
	}
	return &Failed{Evaluations: found, More: true}, nil
}

func (r reader) newestFailed(ctx context.Context, job string, pages int) (found []FailedEvaluation, more bool, err error) {
	return nomad.NewestEvaluations(ctx, r.client, nomad.Which{Namespace: r.where(), Status: nomad.StatusFailed, Job: job},
		nomad.Pages{Size: newestFailed, Most: pages, Until: r.now.Add(-failedSince)}, func(e *nomad.Evaluation) (FailedEvaluation, bool) {
			f := reduceFailed(e)
			return f, e.Type != nomad.TypeCore && r.jobs.selects(f.JobID)
		})
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
		Created: moment(e.CreateTime), Index: e.CreateIndex, FollowUp: cmp.Or(e.NextEval, e.BlockedEval)}
}

// lookAtFailed tells of failed evaluations whether a later one of the job has taken their place, and whether the job exists.
// What it cannot see stays without a closer look: that is no fault of the job's.
func (r reader) lookAtFailed(ctx context.Context, failed []FailedEvaluation) error {
	late := after(ctx, 1.0/4)
	jobs := map[JobID]*failedJob{}
	for i := range failed {
		f := &failed[i]
		if f.FollowUp != "" && f.Trigger != followUp {
			continue
		}
		if _, known := jobs[f.JobID]; !known {
			if len(jobs) == newestFailed || late() {
				continue
			}
			job, err := r.lookAtFailedJob(ctx, f.JobID)
			if err = r.optional(ctx, err, "whether a failed evaluation was made good is not known"); err != nil {
				return err
			}
			jobs[f.JobID] = job
		}
		if job := jobs[f.JobID]; job != nil {
			f.Superseded, f.Purged, f.Stopped = f.Index < job.good, job.purged, job.stopped
			f.Looked = f.Superseded || f.Index >= job.reached
		}
	}
	return nil
}

// failedJob is what is known of a job with failed evaluations.
type failedJob struct {
	good            uint64 // index of the newest evaluation that was closed well or is open, among those read
	reached         uint64 // index of the oldest evaluation that was read; 0 if that is all of them
	purged, stopped bool
}

// lookAtFailedJob looks at a job with failed evaluations, and at one page of its newest evaluations. It returns nil with an error.
func (r reader) lookAtFailedJob(ctx context.Context, id JobID) (*failedJob, error) {
	var job failedJob
	newest, more, err := nomad.NewestEvaluations(ctx, r.client, nomad.Which{Namespace: id.Namespace, Job: id.Job}, nomad.Pages{Size: newestOfJob, Most: 1},
		func(e *nomad.Evaluation) (uint64, bool) {
			switch e.Status {
			case nomad.StatusComplete, nomad.StatusPending, nomad.StatusBlocked:
				job.good = max(job.good, e.CreateIndex)
			}
			return e.CreateIndex, true
		})
	if err != nil {
		return nil, err
	}
	if more && len(newest) > 0 {
		job.reached = slices.Min(newest)
	}
	whole, err := r.client.Job(ctx, id.Namespace, id.Job)
	switch {
	case nomad.IsNotFound(err):
		job.purged = true
	case err != nil:
		return nil, err
	default:
		job.stopped = whole.Stop
	}
	return &job, nil
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
