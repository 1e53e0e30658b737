package prewarm

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/nomad/nomadtest"
)

// What a runner's allocations say of it, besides its job's status, which stays "running" when its node is lost.
func TestCountRunners(t *testing.T) {
	for _, c := range []struct {
		status, group string
		want          Runners
	}{
		{"running", `{"Running":1}`, Runners{Running: 1}},
		{"running", `{"Running":1,"Lost":1,"Failed":2}`, Runners{Running: 1}},
		{"running", `{"Starting":1}`, Runners{Starting: 1, Fresh: 1}},
		{"pending", `{"Queued":1}`, Runners{Starting: 1, Fresh: 1}},
		{"pending", `{}`, Runners{Starting: 1, Fresh: 1}}, // its evaluation is not closed
		{"pending", `{"Failed":1}`, Runners{Starting: 1, Fresh: 1}},
		{"running", `{"Unknown":1}`, Runners{}}, // its node is disconnected
		{"running", `{"Lost":1}`, Runners{}},
		{"running", `{"Failed":1}`, Runners{}},
		{"running", `{"Complete":1}`, Runners{}},
	} {
		var stubs []nomad.JobStub
		list := fmt.Sprintf(`[{"ID":"29-3d8b031c","Status":%q,"SubmitTime":1796126400000000000,"JobSummary":{"Summary":{"default-group":%s}}}]`, c.status, c.group)
		if err := json.Unmarshal([]byte(list), &stubs); err != nil {
			t.Fatal(err)
		}
		runner, kept := keep(&stubs[0])
		got := count([]stub{runner}, noon).Environments[29]
		if got.Newest = (time.Time{}); !kept || got != c.want {
			t.Errorf("%s %s: %+v, want %+v", c.status, c.group, got, c.want)
		}
	}
}

// A runner without counts is unknown, and the handler of the same counts must not take it for missing.
func TestRunnersWithoutCounts(t *testing.T) {
	for _, summary := range []string{`null`, `{}`, `{"Summary":{}}`, `{"Summary":{"config":{"Running":1}}}`, `{"Summary":{"default-group":{}}}`} {
		s := start(t)
		s.Set(29, 4, 0, 3)
		servers := nomadtest.New()
		defer servers.Close()
		servers.Handle("/v1/jobs", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Nomad-Index", "1")
			_, _ = fmt.Fprintf(w, `[{"ID":"template-29","Status":"running"},{"ID":"29-3d8b031c","Status":"running","JobSummary":%s}]`, summary)
		})
		out, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL(), "--environment", "29")
		if code != 2 || !strings.Contains(out, "of the running job 29-3d8b031c it tells no counts") || strings.Contains(out, "really missing") {
			t.Errorf("%s: exit %d: %s", summary, code, out)
		}
	}
}

// Half a list is no list: nobody asked for pages, so a token of the next one says that something in between cut it.
func TestListWithAnotherPage(t *testing.T) {
	s := start(t)
	s.Set(29, 4, 0, 3)
	servers := nomadtest.New()
	defer servers.Close()
	servers.Handle("/v1/jobs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Nomad-Index", "1")
		w.Header().Set("X-Nomad-NextToken", "poseidon.29-b")
		_, _ = io.WriteString(w, `[{"ID":"template-29","Status":"running"},{"ID":"template-10","Status":"running"}]`)
	})
	out, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL(), "--environment", "29")
	if code != 2 || !strings.Contains(out, "the list of jobs goes on on another page") || strings.Contains(out, "really missing") {
		t.Errorf("exit %d: %s", code, out)
	}
}
