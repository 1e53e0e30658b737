package evaluation

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"overdue/internal/nomad/nomadtest"
	"overdue/internal/plugin"
)

// start is a healthy stand-in, with changes.
func start(t testing.TB, changes ...func(*nomadtest.Server)) *nomadtest.Server {
	t.Helper()
	s := nomadtest.New()
	t.Cleanup(s.Close)
	for _, change := range changes {
		change(s)
	}
	return s
}

// run is one run of check_nomad_evals against the server.
func run(t testing.TB, s *nomadtest.Server, args ...string) (string, int) {
	t.Helper()
	return runWith(t, s, nil, append([]string{"--address", s.URL()}, args...)...)
}

func runWith(t testing.TB, s *nomadtest.Server, env []string, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	code := plugin.Main(context.Background(), program(s.Pause), args, env, &out)
	return out.String(), code
}

func zero(s *nomadtest.Server) {
	s.Job("default", "web-zero", `{"ID":"web-zero","Stop":false,"TaskGroups":[{"Count":0,"Name":"g"}]}`)
}

func crash(s *nomadtest.Server) {
	s.Job("default", "web-crash", `{"ID":"web-crash","Stop":false,"TaskGroups":[{"Count":1,"Name":"g"}]}`)
}

// lab163 is the lab of 1.6.3 with one job of each kind, 6 minutes after it was set up, and the job whose evaluation was lost.
func lab163(s *nomadtest.Server) {
	s.Evaluations(nomadtest.Body("1.6.3/evaluations-all.json"))
	s.Jobs(nomadtest.Body("1.6.3/jobs.json"))
	s.Allocations(nomadtest.Body("1.6.3/allocations-pending-taskstates.json"))
	zero(s)
	crash(s)
}

// lab205 is that of 2.0.5.
func lab205(s *nomadtest.Server) {
	s.Evaluations(nomadtest.Body("2.0.5/evaluations-all.json"))
	s.Jobs(nomadtest.Body("2.0.5/jobs-pending.json"))
	s.Allocations(nomadtest.Body("2.0.5/allocations-pending.json"))
	s.Scheduler(nomadtest.Body("2.0.5/scheduler-configuration.json"))
	crash(s)
}

// incident is the reproduction of incident 2: the leader was killed four times while eight clients dispatched jobs.
func incident(s *nomadtest.Server) {
	s.Jobs(nomadtest.Body("cluster/incident-jobs-pending.json"))
	for _, e := range nomadtest.Parse(nomadtest.Body("1.6.3/evaluations-blocked.json")) { // the cluster's own list was not kept
		if e["JobID"] == "web-toobig" {
			e["CreateTime"] = 1796089705008613400 // web-toobig of the cluster is younger
			list, err := json.Marshal([]nomadtest.Object{e})
			if err != nil {
				panic(err)
			}
			s.Evaluations(string(list))
		}
	}
}
