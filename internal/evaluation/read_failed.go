package evaluation

import (
	"cmp"
	"context"
	"slices"
	"time"

	"overdue/internal/nomad"
)

// How many failed evaluations are read: they are closed, and the cost must not follow what is closed. One page where all is
// well; more while failures are so many that one page does not reach back far enough.
const (
	newestFailed = 30        // in a page
	newestOfJob  = 30        // of all statuses, of a job with failed ones
	failedPages  = 2         // a page of failed ones is about 30 kB, and closed evaluations must not cost 100 kB
	failedSince  = time.Hour // Nomad forgets closed evaluations after that
)

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
