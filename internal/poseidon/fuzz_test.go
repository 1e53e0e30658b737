package poseidon

import (
	"testing"

	"overdue/internal/poseidon/poseidontest"
)

func FuzzPools(f *testing.F) {
	f.Add([]byte(poseidontest.Body("statistics-execution-environments-200-depleted.json")))
	f.Add([]byte(`{"10":{"id":10,"prewarmingPoolSize":4,"idleRunners":4,"usedRunners":0},"010":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		pools, err := parsePools(body)
		if (err == nil) == (pools == nil) {
			t.Errorf("%v and %v", pools, err)
		}
		for i, p := range pools {
			if p.ID < 0 || p.Size < 0 || p.Idle < 0 || p.Used < 0 || i > 0 && pools[i-1].ID >= p.ID {
				t.Errorf("%+v", pools)
			}
		}
	})
}

func FuzzEnvironment(f *testing.F) {
	f.Add(10, []byte(poseidontest.Body("execution-environments-id-200.json")))
	f.Fuzz(func(t *testing.T, id int, body []byte) {
		if e, err := parseEnvironment(id, body); err == nil && (e.ID != id || e.Size < 0 || string(e.Body) != string(body)) {
			t.Errorf("%+v", e)
		}
	})
}
