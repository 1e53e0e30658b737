package evaluation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"overdue/internal/plugin"
)

// Over many situations: who graphs the points, or sets an alarm on them, learns the same as who reads the verdict.
func TestMetricsAgreeWithTheVerdict(t *testing.T) {
	for seed := range uint64(2000) {
		s := anySnapshot(rand.New(rand.NewPCG(seed, 0)))
		v := Judge(s, defaults(), noon)
		told, worst := map[string]bool{}, map[string]plugin.State{}
		for _, f := range v.Findings {
			for point, words := range map[string]string{"evaluations_overdue": " overdue", "allocations_late": "placed but not started",
				"evaluations_blocked_long": " blocked", "jobs_lost": "pending, "} {
				if strings.Contains(f.Problem, words) && !strings.Contains(f.Problem, "age unknown") {
					told[point], worst[point] = true, worse(worst[point], f.State)
				}
			}
		}
		for point, age := range map[string]string{"evaluations_overdue": "evaluations_pending_oldest", "allocations_late": "allocations_pending_oldest",
			"evaluations_blocked_long": "evaluations_blocked_oldest", "jobs_lost": "jobs_lost_oldest"} {
			if n := value(t, v, point); (n > 0) != told[point] {
				t.Errorf("seed %d: %s is %v, told in a finding: %v\n%v", seed, point, n, told[point], v.Findings)
			}
			for _, m := range v.Metrics {
				if m.Label == age && worst[point] < plugin.Critical && m.Critical.Violates(m.Value) {
					t.Errorf("seed %d: %s is %v, beyond its critical limit, and the verdict on it is %v", seed, age, m.Value, worst[point])
				}
			}
		}
	}
}

// anySnapshot has a few of each kind: early, late, of unknown age, of stopped jobs.
func anySnapshot(r *rand.Rand) Snapshot {
	s := region()
	for i := range r.IntN(4) {
		e := waiting(fmt.Sprint("p", i), "alloc-failure", time.Duration(r.IntN(30)-5)*time.Minute)
		e.Delayed = r.IntN(2) == 0
		switch r.IntN(4) {
		case 0:
			e.Created, e.Due = time.Time{}, time.Time{}
		case 1:
			s.Remains[e.JobID] = "stopped"
		}
		pending(e)(&s)
	}
	for i := range r.IntN(3) {
		blocked("cpu", waiting(fmt.Sprint("b", i), "queued-allocs", time.Duration(r.IntN(60))*time.Minute))(&s)
	}
	for i := range r.IntN(3) {
		stuck(fmt.Sprint("a", i), "n", "", time.Duration(r.IntN(20))*time.Minute)(&s)
		if r.IntN(4) == 0 {
			(*s.Allocations)[i].Created = time.Time{}
		}
	}
	for i := range r.IntN(3) {
		job(fmt.Sprint("j", i), time.Duration(r.IntN(20))*time.Minute, func(j *Job) { j.Open, j.Closed = r.IntN(3) == 0, r.IntN(3) == 0 })(&s)
	}
	return s
}
