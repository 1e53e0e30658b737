package evaluation

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/nomad/nomadtest"
	"overdue/internal/plugin"
)

// FuzzJudge judges whatever servers may say of evaluations, allocations and jobs: no panic, no state that does not exist, no
// age that is negative, and every number one that can be drawn.
func FuzzJudge(f *testing.F) {
	f.Add([]byte(nomadtest.Body("1.6.3/paused-broker-evaluations-pending.json")), []byte(nomadtest.Body("1.6.3/allocations-pending-taskstates.json")), []byte(nomadtest.Body("1.6.3/jobs-pending.json")), int64(1796090000))
	f.Add([]byte(nomadtest.Body("2.0.5/evaluations-blocked.json")), []byte(nomadtest.Body("2.0.5/allocations-pending.json")), []byte(nomadtest.Body("2.0.5/jobs-pending.json")), int64(1796100000))
	f.Add([]byte(`[{"ID":"a","Wait":9223372036854775807,"CreateTime":9223372036854775807},{"ID":"b","CreateTime":-1,"Wait":-1,"WaitUntil":"9999-01-01T00:00:00Z"}]`),
		[]byte(`[{"ID":"a","CreateTime":1}]`), []byte(`[{"ID":"a","SubmitTime":-5},{"ID":"b","Status":"dead"}]`), int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, evaluations, allocations, jobs []byte, seconds int64) {
		var evals []nomad.Evaluation
		var allocs []nomad.Allocation
		var stubs []nomad.JobStub
		if json.Unmarshal(evaluations, &evals) != nil || json.Unmarshal(allocations, &allocs) != nil || json.Unmarshal(jobs, &stubs) != nil {
			return
		}
		s, known := region(), texts{}
		for i := range evals {
			pending(known.reduce(&evals[i]))(&s)
			blocked("x", known.reduce(&evals[i]))(&s)
			failed(reduceFailed(&evals[i]))(&s)
		}
		for _, a := range allocs {
			*s.Allocations = append(*s.Allocations, Allocation{JobID: JobID{a.Namespace, a.JobID}, Created: moment(a.CreateTime), Tasks: progress(a.TaskStates, noon)})
		}
		for i := range stubs {
			j, _ := reduceJob(&stubs[i])
			j.Verified, j.Count = true, 1
			s.Jobs.Waiting = append(s.Jobs.Waiting, j)
		}
		v := Judge(s, defaults(), time.Unix(seconds%(1<<40), 0))
		for _, finding := range v.Findings {
			if finding.State < plugin.OK || finding.State > plugin.Critical || finding.Subject == "" || finding.Problem == "" {
				t.Fatalf("finding %+v", finding)
			}
		}
		for _, m := range v.Metrics {
			if math.IsInf(m.Value, 0) || m.Value < 0 || math.IsNaN(m.Value) {
				t.Fatalf("metric %+v", m)
			}
		}
	})
}

// All wire forms of the times.
func TestDue(t *testing.T) {
	created := time.Date(2026, 12, 1, 1, 0, 0, 0, time.UTC)
	ns := created.UnixNano()
	for text, want := range map[string]time.Time{
		`{"CreateTime":NS}`:                                                              created,
		`{"CreateTime":NS,"WaitUntil":null}`:                                             created,
		`{"CreateTime":NS,"WaitUntil":"0001-01-01T00:00:00Z"}`:                           created,
		`{"CreateTime":NS,"Wait":20000000000}`:                                           created.Add(20 * time.Second),
		`{"CreateTime":NS,"Wait":-1}`:                                                    created,
		`{"CreateTime":NS,"Wait":60000000000,"WaitUntil":"2026-12-01T02:00:00Z"}`:        created.Add(time.Hour),
		`{"CreateTime":NS,"Wait":60000000000,"WaitUntil":"2026-11-30T02:00:00.5+01:00"}`: created.Add(time.Minute),
		`{"CreateTime":0,"WaitUntil":"2026-12-01T02:00:00Z"}`:                            created.Add(time.Hour),
		`{"CreateTime":0,"Wait":60000000000}`:                                            {},
		`{}`:                                                                             {},
		`{"CreateTime":-5}`:                                                              {},
	} {
		var e nomad.Evaluation
		body := []byte(text)
		for i := 0; i+2 <= len(body); i++ {
			if string(body[i:i+2]) == "NS" {
				number, _ := json.Marshal(ns)
				body = append(body[:i:i], append(number, body[i+2:]...)...)
				break
			}
		}
		if err := json.Unmarshal(body, &e); err != nil {
			t.Fatal(err)
		}
		if at, _ := due(&e); !at.Equal(want) {
			t.Errorf("%s is due at %s, want %s", text, at, want)
		}
	}
	if at, _ := due(&nomad.Evaluation{CreateTime: math.MaxInt64, Wait: math.MaxInt64}); at.Before(created) {
		t.Errorf("turned round: %s", at)
	}
}
