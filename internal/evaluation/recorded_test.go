package evaluation

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"overdue/internal/nomad/nomadtest"
)

// The reproduction of incident 2 on real servers: CRITICAL, with the job.
func TestIncident(t *testing.T) {
	s := start(t, incident)
	out, code := run(t, s, "--now", tenPastTwo)
	want := "[CRITICAL] - 13 jobs lost: pending, no evaluation, for 12m 20s (since 2026-12-01 01:57 UTC): the oldest is job ci/dispatch-1796090259-5d561159; " +
		"its evaluation was never written or has vanished, and it has no allocation; next: nothing will ever start it; " +
		"do: nomad job eval ci/dispatch-1796090259-5d561159, and so for each of them (nomad job status ci lists them)"
	if !strings.HasPrefix(out, want) || code != 2 {
		t.Errorf("exit %d\n%s\nwant\n%s", code, first(out), want)
	}
	if !strings.Contains(out, "jobs_lost=13;") || strings.Contains(out, "web-toobig lost") {
		t.Error(out)
	}
	if out, code := run(t, s, "--now", "2026-12-01T02:01:00Z", "--blocked-warning", "off"); code != 0 {
		t.Errorf("3 minutes after it: exit %d: %s", code, out)
	}
	if out, code := run(t, s, "--now", "2026-12-01T02:04:00Z"); code != 1 {
		t.Errorf("6 minutes after it: exit %d: %s", code, out)
	}
}

// The recorded answers for the one job, byte by byte.
func TestIncidentAsRecorded(t *testing.T) {
	s := start(t, func(s *nomadtest.Server) {
		jobs := nomadtest.Body("cluster/incident-jobs-pending.json")
		end := strings.Index(jobs, "\n },")
		s.Jobs(jobs[:end] + "}]")
		for _, part := range []string{"evaluations", "allocations"} {
			s.Handle("/v1/job/ci/dispatch-1796090259-5d561159/"+part, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Nomad-Index", "21018")
				fmt.Fprint(w, nomadtest.Body("cluster/incident-job-without-eval-"+part+".json"))
			})
		}
	})
	out, code := run(t, s, "--now", tenPastTwo)
	if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - job ci/dispatch-1796090259-5d561159 lost: pending, no evaluation, for 12m 20s") ||
		!strings.Contains(first(out), "do: nomad job eval ci/dispatch-1796090259-5d561159") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// One job of each kind, on both versions: what is told and what is not.
func TestLabs(t *testing.T) {
	for name, r := range map[string]struct {
		lab       func(*nomadtest.Server)
		now, args string
		code      int
		says      []string
	}{
		"1.6.3 before anything is late": {lab163, "2026-12-01T01:36:00Z", "", 0, []string{"(1 pending, 10 blocked), 1 allocation pending"}},
		"1.6.3 an hour later": {lab163, "2026-12-01T02:36:00Z", "", 2, []string{
			"[CRITICAL] - job web-crash: 1 evaluation overdue", "job web-pendingalloc: 1 allocation placed but not started", "group g on node dev1: task t pending: Building Task Directory",
			"10 evaluations of 8 jobs blocked", "job web-noconstraint: 1 evaluation, oldest 1h 3m: constraint ${attr.kernel.name} = windows not met on 1 node",
			"missing drivers on 1 node", "no node is ready in its datacenters", "job cron-toobig: 3 evaluations, oldest 59m 55s: cpu exhausted on 1 node"}},
		"1.6.3 without what is late":    {lab163, "2026-12-01T01:45:00Z", "--exclude-job web-pendingalloc", 0, []string{"(1 pending, 10 blocked), 0 allocations pending"}},
		"2.0.5 before anything is late": {lab205, "2026-12-01T02:06:00Z", "", 0, []string{"(1 pending, 7 blocked), 1 allocation pending"}},
		"2.0.5 an hour later": {lab205, "2026-12-01T03:10:00Z", "", 2, []string{
			"job web-crash: 1 evaluation overdue", "alloc-reschedule", "7 evaluations of 7 jobs blocked", "cpu exhausted on 1 node", "job runner-toobig: 1 evaluation"}},
		"a client died": {func(s *nomadtest.Server) {
			s.Evaluations(nomadtest.Body("cluster/node-down-evaluations.json"))
			s.Jobs(nomadtest.Body("cluster/node-down-jobs.json"))
			s.Allocations(nomadtest.Body("cluster/node-down-allocations.json"))
		}, "2026-12-01T02:17:00Z", "", 0, []string{"(2 pending, 2 blocked)", "no job lost"}},
		"a refused plan and its follow-up": {func(s *nomadtest.Server) {
			s.Evaluations("["+nomadtest.Body("cluster/evaluation-failed-max-attempts.json")+"]", "["+nomadtest.Body("cluster/evaluation-max-plan-attempts-followup.json")+"]")
		}, tenPastTwo, "", 0, []string{"no evaluation overdue"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, code := run(t, start(t, r.lab), append(strings.Fields(r.args), "--now", r.now)...)
			if code != r.code {
				t.Errorf("exit %d, want %d", code, r.code)
			}
			for _, text := range r.says {
				if !strings.Contains(out, text) {
					t.Errorf("no %q", text)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
