package evaluation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
)

// Most jobs to look at one by one.
const (
	mostLost     = 20  // then more of them change nothing
	mostPending  = 100 // as those that are well after all may come first
	requestsEach = 2   // of a pending job, its evaluations and its allocations
	mostDead     = 100 // as those that are scaled to 0 stay for ever
)

// readJobs reads the jobs that wait with no open evaluation, and looks closer at those that have done so for too long.
func (r reader) readJobs(ctx context.Context, s *Snapshot) error {
	open := make(map[JobID]bool, len(*s.Pending)+len(*s.Blocked))
	for _, evaluations := range [][]Evaluation{*s.Pending, *s.Blocked} {
		for _, e := range evaluations {
			open[e.JobID] = true
		}
	}
	waiting, err := nomad.WaitingJobs(ctx, r.client, r.where(), func(stub *nomad.JobStub) (Job, bool) {
		job, placed := reduceJob(stub)
		switch {
		case stub.Periodic, stub.ParameterizedJob, stub.Stop: // parents have no evaluations; stopped jobs want nothing
			return job, false
		case job.Dead && (placed || stub.Multiregion != nil && string(stub.Multiregion) != "null"): // the latter waits for another region
			return job, false
		}
		return job, !open[job.JobID] && r.jobs.selects(job.JobID)
	})
	if err != nil {
		return err
	}
	s.Jobs = &Jobs{}
	return r.verify(ctx, s.Jobs, waiting)
}

func reduceJob(stub *nomad.JobStub) (job Job, placed bool) {
	job = Job{JobID: JobID{stub.Namespace, stub.ID}, Submitted: moment(stub.SubmitTime), Dead: stub.Status == nomad.JobDead, modified: stub.JobModifyIndex}
	if stub.JobSummary != nil {
		for _, g := range stub.JobSummary.Summary {
			job.Queued += g.Queued
			placed = placed || g.Complete+g.Failed+g.Running+g.Starting+g.Lost+g.Unknown > 0
		}
	}
	return job, placed
}

// verify looks at the jobs that have waited for too long: the oldest pending ones, and the newest dead ones, as services that
// are scaled to 0 stay in the list for ever.
func (r reader) verify(ctx context.Context, jobs *Jobs, waiting []Job) error {
	slices.SortStableFunc(waiting, func(a, b Job) int { return cmp.Or(a.Submitted.Compare(b.Submitted), strings.Compare(a.Job, b.Job)) })
	var pending, dead []Job
	for _, job := range waiting {
		switch {
		case !r.tooLong(job):
			jobs.Waiting = append(jobs.Waiting, job)
		case job.Dead:
			dead = append(dead, job)
		default:
			pending = append(pending, job)
		}
	}
	slices.Reverse(dead)
	if err := r.verifyPending(ctx, jobs, pending); err != nil {
		return err
	}
	return r.verifyDead(ctx, jobs, dead)
}

// verifyPending goes on until enough are lost. Those that are left alone, or run after all, must not hide the lost behind them:
// of the former, where there are too many to look at each, it only looks whether they are.
func (r reader) verifyPending(ctx context.Context, jobs *Jobs, pending []Job) error {
	late := after(ctx, 1.0/2)
	lost, alone, requests := 0, 0, 0
	for i, job := range pending {
		if jobs.Slow = late(); lost == mostLost || requests >= mostPending*requestsEach || jobs.Slow {
			jobs.Unverified, jobs.UnverifiedSince = len(pending)-i, job.Submitted
			return nil
		}
		job.brief = alone >= mostLost && len(pending) > mostPending
		if err := r.verifyJob(ctx, &job); err != nil {
			return err
		}
		requests += requestsEach
		switch {
		case job.lost():
			lost++
		case job.brief && job.Closed && !job.Open:
			jobs.UnverifiedAlone++
			requests--
			continue
		case job.Closed && !job.Live:
			alone++
		}
		jobs.Waiting = append(jobs.Waiting, job)
	}
	return nil
}

// verifyDead looks at services that are dead.
func (r reader) verifyDead(ctx context.Context, jobs *Jobs, dead []Job) error {
	late := after(ctx, 1.0/2)
	for i, job := range dead {
		if i == mostDead || late() {
			jobs.UnverifiedDead = len(dead) - i
			r.note("%s without allocations not looked at", plugin.Count(len(dead)-i, "dead service")) // told in the first line only if all is well
			return nil
		}
		if err := r.verifyJob(ctx, &job); err != nil {
			return err
		}
		jobs.Waiting = append(jobs.Waiting, job)
	}
	return nil
}

func (r reader) tooLong(job Job) bool {
	return job.Submitted.IsZero() || r.late(job.Submitted, r.limits.Warning, r.limits.Critical)
}

// verifyJob asks for all evaluations and allocations of a job. One that is gone by now was not lost.
func (r reader) verifyJob(ctx context.Context, job *Job) error {
	err := r.lookAtJob(ctx, job)
	if nomad.IsNotFound(err) {
		return nil
	}
	job.Verified = err == nil && !(job.brief && job.Closed)
	return err
}

func (r reader) lookAtJob(ctx context.Context, job *Job) error {
	if job.Dead {
		whole, err := r.client.Job(ctx, job.Namespace, job.Job)
		if err != nil {
			return err
		}
		if job.Count = whole.Count(); job.Count == 0 {
			return nil
		}
	}
	err := r.client.JobEvaluations(ctx, job.Namespace, job.Job, func(e *nomad.Evaluation) bool {
		switch older := e.JobModifyIndex != 0 && e.JobModifyIndex < job.modified; { // of another job with that ID, or another version
		case e.Status == nomad.StatusPending || e.Status == nomad.StatusBlocked:
			job.Open = true
		case !older:
			job.Closed = true
		}
		return !job.Open
	})
	if err != nil || job.Open || job.brief && job.Closed {
		return err
	}
	return r.client.JobAllocations(ctx, job.Namespace, job.Job, func(a *nomad.Allocation) bool {
		job.Live = job.Live || !a.Terminal()
		return !job.Live
	})
}
