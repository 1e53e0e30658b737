package poseidontest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Jobs answers as Nomad does to GET /v1/jobs, with the jobs of environments and so many idle runners of each.
func Jobs(idle map[int]int) http.HandlerFunc {
	var jobs []string
	for id, count := range idle {
		jobs = append(jobs, fmt.Sprintf(`{"ID":"template-%d","Status":"running","Namespace":"poseidon"}`, id))
		for i := range count {
			jobs = append(jobs, fmt.Sprintf(`{"ID":"%d-3d8b031c-ed2a-11f1-b332-%012d","Status":"running","Namespace":"poseidon",`+
				`"JobSummary":{"Summary":{"default-group":{"Running":1}}}}`, id, i))
		}
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Nomad-Index", "1")
		_, _ = io.WriteString(w, "["+strings.Join(jobs, ",")+"]")
	}
}
