package evaluation

import (
	"fmt"
	"time"

	"overdue/internal/plugin"
)

// jobs judges those that wait and have no open evaluation: nothing will ever place them.
//
// A job without evaluation and allocation is pending for ever. A dispatch writes the job and its evaluation apart, and a leader
// that dies in between leaves the job alone (hashicorp/nomad 26655; fixed in 1.8.17, 1.9.13, 1.10.5).
func (j *judgement) jobs() {
	if j.snapshot.Jobs == nil {
		return
	}
	var lost, closed, unplaced []Job
	for _, job := range j.snapshot.Jobs.Waiting {
		switch {
		case !job.Verified || job.Open || job.Live || j.waiting(job) == plugin.OK:
		case job.Dead && job.Count > 0:
			unplaced = append(unplaced, job)
		case job.Dead:
		case job.Closed:
			closed = append(closed, job)
		default:
			lost = append(lost, job)
		}
	}
	j.points[jobsLost] = float64(len(lost) + len(closed) + len(unplaced))
	j.points[jobsLostAge] = 0
	j.points[jobsUnverified] = float64(j.snapshot.Jobs.Unverified + j.snapshot.Jobs.UnverifiedAlone + j.snapshot.Jobs.UnverifiedDead)
	j.tellJobs("lost", lost, plugin.Critical, plugin.Finding{
		Problem: "pending, no evaluation", Cause: "its evaluation was never written or has vanished, and it has no allocation",
		Consequence: "nothing will ever start it"})
	j.tellJobs("never placed", unplaced, plugin.Critical, plugin.Finding{
		Problem: "a service that nobody stopped is dead, without an allocation", Cause: "its evaluations are closed and placed nothing",
		Consequence: "nothing will ever start it"})
	cause := "no evaluation is open that could place its allocations"
	if n := j.snapshot.Jobs.UnverifiedAlone; n > 0 {
		cause += "; " + plugin.Count(n, "more job") + plugin.Verb(n, " seems", " seem") + " to be left alone too"
	}
	j.tellJobs("left alone", closed, plugin.Warning, plugin.Finding{
		Problem: "pending, and all its evaluations are closed", Cause: cause,
		Consequence: "nothing starts it until something evaluates it again"})
	j.tellUnverified()
}

// tellUnverified: too many to look at each, so nobody knows whether they are lost.
func (j *judgement) tellUnverified() {
	jobs := j.snapshot.Jobs
	if jobs.Unverified == 0 {
		return
	}
	oldest := Job{Submitted: jobs.UnverifiedSince}
	why := "they are too many to look at each"
	if jobs.Slow {
		why = "the servers answer too slowly to look at each within --timeout"
	}
	j.add(plugin.Finding{State: min(j.waiting(oldest), plugin.Warning), Subject: "jobs", Since: oldest.Submitted,
		Problem:     plugin.Count(jobs.Unverified, "more job") + " pending longer than the limit, not looked at",
		Cause:       "they have no open evaluation, and " + why,
		Consequence: "they may be lost too", Remedy: "see to those that are named, then look again; or narrow the check with --job"})
}

// waiting is the state for how long a job has waited. Nomad has known the time of submission since 0.6: a job without is older.
func (j *judgement) waiting(job Job) plugin.State {
	if job.Submitted.IsZero() {
		return plugin.Warning
	}
	return grade(j.age(job.Submitted), j.limits.Warning, j.limits.Critical)
}

func (j *judgement) tellJobs(what string, jobs []Job, worst plugin.State, f plugin.Finding) {
	if len(jobs) == 0 {
		return
	}
	for _, job := range jobs {
		f.State = worse(f.State, min(j.waiting(job), worst))
		if !job.Submitted.IsZero() && worst == plugin.Critical { // the limits are for these
			j.points[jobsLostAge] = max(j.points[jobsLostAge], j.age(job.Submitted).Seconds())
		}
	}
	groups := fold(jobs, func(job Job) (JobID, time.Time) { return job.JobID, job.Submitted })
	oldest := groups[0].oldest
	f.Subject, f.Since, f.Remedy = oldest.String()+" "+what, oldest.Submitted, j.evalJob(oldest.JobID)
	if oldest.Queued > 0 {
		f.Cause += "; its last evaluation could not place " + plugin.Count(oldest.Queued, "allocation")
	}
	if len(jobs) > 1 {
		f.Subject = plugin.Count(len(jobs), "job") + " " + what
		f.Cause = fmt.Sprintf("the oldest is %s; %s", oldest, f.Cause)
		f.Remedy += ", and so for each of them"
		if oldest.isChild() {
			f.Remedy += " (" + j.command("job status", oldest.JobID, oldest.parent().Job) + " lists them)"
		}
		f.Details = j.eachJob(jobs)
	}
	j.whilePaused(&f)
	j.add(f)
}

// eachJob is a line for each, with its command: none may be forgotten.
func (j *judgement) eachJob(jobs []Job) (lines []string) {
	for i, job := range jobs {
		if i == maxDetails {
			return append(lines, "and "+plugin.Count(len(jobs)-i, "more job"))
		}
		line := job.String() + ": "
		if !job.Submitted.IsZero() {
			line += plugin.Age(j.age(job.Submitted)) + ": "
		}
		lines = append(lines, line+j.evalJob(job.JobID))
	}
	return lines
}
