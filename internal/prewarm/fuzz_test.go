package prewarm

import (
	"encoding/json"
	"testing"

	"overdue/internal/nomad"
	"overdue/internal/poseidon/poseidontest"
)

// Whatever jobs a cluster has, each counts once at most, for one environment, and only if it is like one of Poseidon's.
func FuzzRunners(f *testing.F) {
	for _, body := range []string{"nomad-jobs-filter-unused.json", "nomad-jobs-list.json", "nomad-jobs-list-environment-lost.json"} {
		f.Add([]byte(poseidontest.Body(body)))
	}
	f.Add([]byte(`[{"ID":"template-99999999999999999999","Status":"running"},{"ID":"-1-a","Status":"running"},{"ID":"0-","Status":""},{"ID":"0-a","SubmitTime":-1}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var jobs []nomad.JobStub
		if json.Unmarshal(body, &jobs) != nil {
			return
		}
		var kept []stub
		for i := range jobs {
			if s, ok := keep(&jobs[i]); ok {
				kept = append(kept, s)
			}
		}
		runners := 0
		for id, r := range count(kept, noon).Environments {
			if id < 0 || r.Running < 0 || r.Starting < 0 {
				t.Errorf("environment %d: %+v", id, r)
			}
			runners += r.Running + r.Starting
		}
		if runners > len(kept) || len(kept) > len(jobs) {
			t.Errorf("%d runners of %d jobs, %d kept", runners, len(jobs), len(kept))
		}
	})
}
