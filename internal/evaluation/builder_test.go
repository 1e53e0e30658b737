package evaluation

import (
	"math"
	"testing"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

// noon is when the built situations are judged.
var noon = time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC)

func before(d time.Duration) time.Time { return noon.Add(-d) }

func defaults() Limits {
	return Limits{
		Warning: plugin.NewTimeRange("5m"), Critical: plugin.NewTimeRange("10m"),
		BlockedWarning: plugin.NewTimeRange("30m"), BlockedCritical: plugin.NewTimeRange("off"),
		AllocWarning: plugin.NewTimeRange("5m"), AllocCritical: plugin.NewTimeRange("10m"),
		MinFailureTolerance: 1,
	}
}

// region is one where all is well and nothing is open, with changes.
func region(changes ...func(*Snapshot)) Snapshot {
	s := Snapshot{Namespaces: []string{"default"}, Pending: &[]Evaluation{}, Blocked: &[]Evaluation{}, Failed: &Failed{},
		Allocations: &[]Allocation{}, Jobs: &Jobs{}, Servers: &Servers{Known: true, Count: 3, Tolerance: 1}, Remains: map[JobID]string{}}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func id(job string) JobID { return JobID{"default", job} }

// waiting is an evaluation of a job that has been due since a time.
func waiting(job, trigger string, since time.Duration) Evaluation {
	return Evaluation{JobID: id(job), ID: "53665836-6ea1-3b74-0de6-323b831f4c11", Trigger: trigger, Created: before(since), Due: before(since)}
}

func pending(evaluations ...Evaluation) func(*Snapshot) {
	return func(s *Snapshot) { *s.Pending = append(*s.Pending, evaluations...) }
}

func blocked(reason string, evaluations ...Evaluation) func(*Snapshot) {
	return func(s *Snapshot) {
		for _, e := range evaluations {
			e.Reason = reason
			*s.Blocked = append(*s.Blocked, e)
		}
	}
}

// failed adds evaluations whose jobs were looked at.
func failed(evaluations ...FailedEvaluation) func(*Snapshot) {
	return func(s *Snapshot) {
		for _, e := range evaluations {
			e.Looked = true
			s.Failed.Evaluations = append(s.Failed.Evaluations, e)
		}
	}
}

func stuck(job, node, tasks string, since time.Duration) func(*Snapshot) {
	return func(s *Snapshot) {
		*s.Allocations = append(*s.Allocations, Allocation{JobID: id(job), ID: "a1f36ef0-12f8-e032-abc0-2bae0deefa23", Group: "g", Node: node,
			Description: "No tasks have started", Tasks: tasks, Created: before(since)})
	}
}

func job(name string, since time.Duration, changes ...func(*Job)) func(*Snapshot) {
	return func(s *Snapshot) {
		j := Job{JobID: id(name), Submitted: before(since), Verified: true}
		for _, change := range changes {
			change(&j)
		}
		s.Jobs.Waiting = append(s.Jobs.Waiting, j)
	}
}

func tolerance(n int) func(*Snapshot) { return func(s *Snapshot) { s.Servers.Tolerance = n } }

type row struct {
	name     string // with the report it comes from
	snapshot Snapshot
	limits   func(*Limits)
	want     plugin.State
	says     []string
	not      []string
}

func (r row) check(t *testing.T) {
	t.Helper()
	limits := defaults()
	if r.limits != nil {
		r.limits(&limits)
	}
	v := Judge(r.snapshot, limits, noon)
	judgetest.Want{State: r.want, Says: r.says, Not: r.not}.Check(t, v.Findings, v.Summary)
}

// value is a point of performance data; NaN stands for U.
func value(t *testing.T, v Verdict, label string) float64 {
	t.Helper()
	for _, m := range v.Metrics {
		if m.Label == label {
			return m.Value
		}
	}
	t.Fatalf("there is no %s", label)
	return math.NaN()
}
