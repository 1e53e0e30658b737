package evaluation

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"overdue/internal/nomad/nomadtest"
)

// Which jobs are lost, told from what the server lists of them and what a closer look shows.
func TestWhichJobsAreLost(t *testing.T) {
	const (
		whole = `{"ID":"a","TaskGroups":[{"Count":2}]}`
		base  = `"ID":"a","Namespace":"default","SubmitTime":1796088720927630800`
		dead  = base + `,"Type":"service","Status":"dead","Stop":false,"JobSummary":{"Summary":{"g":%s}}`
		open  = `[{"ID":"e","JobID":"a","Namespace":"default","Type":"batch","Status":"%s","CreateTime":1796090900000000000}]`
	)
	for name, r := range map[string]struct {
		stub, whole, evaluations, allocations string
		code                                  int
		says                                  string
	}{
		"pending, nothing else":                          {stub: base + `,"Type":"batch","Status":"pending"`, code: 2, says: "job a lost: pending, no evaluation"},
		"pending, since the year 1":                      {stub: `"ID":"a","Namespace":"default","Type":"batch","Status":"pending"`, code: 1, says: "job a lost"},
		"pending, with an open evaluation":               {stub: base + `,"Type":"batch","Status":"pending"`, evaluations: fmt.Sprintf(open, "blocked"), says: "no job lost"},
		"pending, with a closed evaluation":              {stub: base + `,"Type":"batch","Status":"pending"`, evaluations: fmt.Sprintf(open, "complete"), code: 1, says: "job a left alone"},
		"pending, closed before it was registered anew":  {stub: base + `,"Type":"batch","Status":"pending","JobModifyIndex":9`, evaluations: fmt.Sprintf(open, "complete"), code: 1, says: "job a left alone"},
		"an ID that is used again (facts 5)":             {stub: base + `,"Type":"batch","Status":"pending","JobModifyIndex":9`, evaluations: strings.Replace(fmt.Sprintf(open, "complete"), `"ID"`, `"JobModifyIndex":8,"ID"`, 1), code: 2, says: "job a lost"},
		"evaluated since it was registered":              {stub: base + `,"Type":"batch","Status":"pending","JobModifyIndex":9`, evaluations: strings.Replace(fmt.Sprintf(open, "complete"), `"ID"`, `"JobModifyIndex":9,"ID"`, 1), code: 1, says: "job a left alone"},
		"a canary waits for its promotion: the job runs": {stub: base + `,"Type":"service","Status":"running"`, says: "no job lost"},
		"pending, but an allocation runs":                {stub: base + `,"Type":"batch","Status":"pending"`, allocations: `[{"ID":"x","JobID":"a","Namespace":"default","ClientStatus":"running","DesiredStatus":"run"}]`, says: "no job lost"},
		"pending, its allocation was lost":               {stub: base + `,"Type":"batch","Status":"pending"`, allocations: `[{"ID":"x","JobID":"a","Namespace":"default","ClientStatus":"lost","DesiredStatus":"stop"}]`, code: 2, says: "job a lost"},
		"pending and stopped":                            {stub: base + `,"Type":"batch","Status":"pending","Stop":true`, says: "no job lost"},
		"a periodic parent, as with prohibit_overlap":    {stub: base + `,"Type":"batch","Status":"pending","Periodic":true`, says: "no job lost"},
		"a parameterized parent":                         {stub: base + `,"Type":"batch","Status":"pending","ParameterizedJob":true`, says: "no job lost"},
		"a dead service, never placed":                   {stub: fmt.Sprintf(dead, `{"Complete":0}`), whole: whole, code: 2, says: "job a never placed"},
		"a dead service, queued":                         {stub: fmt.Sprintf(dead, `{"Queued":2}`), whole: whole, code: 2, says: "could not place 2 allocations"},
		"a dead service that has run":                    {stub: fmt.Sprintf(dead, `{"Complete":1}`), whole: whole, says: "no job lost"},
		"a dead service that failed":                     {stub: fmt.Sprintf(dead, `{"Failed":1}`), whole: whole, says: "no job lost"},
		"a dead service without groups":                  {stub: fmt.Sprintf(dead, `{"Complete":0}`), whole: `{"ID":"a","TaskGroups":null}`, code: 2, says: "is not a job: it lacks what it must have"},
		"a dead service of count 0":                      {stub: fmt.Sprintf(dead, `{"Complete":0}`), whole: `{"ID":"a","TaskGroups":[{"Count":0}]}`, says: "no job lost"},
		"a dead service that is purged now":              {stub: fmt.Sprintf(dead, `{"Complete":0}`), says: "no job lost"},
		"a dead service that waits for its region":       {stub: fmt.Sprintf(dead, `{"Complete":0}`) + `,"Multiregion":{"Regions":[]}`, whole: whole, says: "no job lost"},
		"a dead service that is of no other region":      {stub: fmt.Sprintf(dead, `{"Complete":0}`) + `,"Multiregion":null`, whole: whole, code: 2, says: "job a never placed"},
		"a dead batch job has finished":                  {stub: base + `,"Type":"batch","Status":"dead","Stop":false`, whole: whole, says: "no job lost"},
		"an old server that lists what was not asked":    {stub: base + `,"Type":"batch","Status":"running"`, says: "no job lost"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.Handle("/v1/jobs", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Nomad-Index", "1")
				fmt.Fprint(w, "[{"+r.stub+"}]")
			})
			if r.whole != "" {
				s.Job("default", "a", r.whole)
			}
			for part, body := range map[string]string{"evaluations": r.evaluations, "allocations": r.allocations} {
				if body != "" {
					s.Handle("/v1/job/a/"+part, func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("X-Nomad-Index", "1")
						fmt.Fprint(w, body)
					})
				}
			}
			out, code := run(t, s, "--now", tenPastTwo)
			if code != r.code || !strings.Contains(first(out), r.says) {
				t.Errorf("exit %d, want %d with %q: %s", code, r.code, r.says, out)
			}
		})
	}
}

// Which evaluations count, told from what the server lists.
func TestWhichEvaluationsCount(t *testing.T) {
	const at = `"Namespace":"default","CreateTime":1796090259281752300`
	failed := `{"ID":"f","JobID":"a",` + at + `,"Type":"batch","Status":"failed","TriggeredBy":"job-register","StatusDescription":"boom","CreateIndex":5}`
	for name, r := range map[string]struct {
		evaluations string
		job         bool // it exists
		code        int
		says        string
	}{
		"of Nomad's own":                                            {evaluations: `[{"ID":"e","JobID":"eval-gc",` + at + `,"Type":"_core","Status":"pending"},{"ID":"f","JobID":"eval-gc",` + at + `,"Type":"_core","Status":"failed"}]`, says: "(0 pending, 0 blocked)"},
		"canceled and complete":                                     {evaluations: `[{"ID":"e","JobID":"a",` + at + `,"Status":"canceled"},{"ID":"f","JobID":"a",` + at + `,"Status":"complete"}]`, says: "(0 pending, 0 blocked)"},
		"hashicorp/nomad#12147: a storm of closed ones":             {evaluations: "[" + strings.TrimSuffix(strings.Repeat(`{"ID":"e","JobID":"a",`+at+`,"Status":"complete","TriggeredBy":"alloc-failure"},`, 300), ",") + "]", says: "(0 pending, 0 blocked)"},
		"a client was lost: closed, and waiting for room (facts 5)": {evaluations: `[{"ID":"e","JobID":"a",` + at + `,"Status":"complete","TriggeredBy":"node-update","BlockedEval":"f"},{"ID":"f","JobID":"a",` + at + `,"Status":"blocked","TriggeredBy":"queued-allocs"}]`, says: "(0 pending, 1 blocked)"},
		"a system job that a constraint keeps off a node":           {evaluations: `[{"ID":"e","JobID":"a",` + at + `,"Type":"system","Status":"complete","FailedTGAllocs":{"g":{"NodesEvaluated":1,"NodesFiltered":1}}}]`, says: "(0 pending, 0 blocked)"},
		"a duplicate was canceled":                                  {evaluations: `[{"ID":"e","JobID":"a",` + at + `,"Status":"canceled","StatusDescription":"existing blocked evaluation exists for job"}]`, says: "(0 pending, 0 blocked)"},
		"a trigger that nobody knows":                               {evaluations: `[{"ID":"e","JobID":"a",` + at + `,"Type":"batch","Status":"pending","TriggeredBy":"new-in-3.0"}]`, code: 2, says: "it is pending (new-in-3.0)"},
		"failed, nothing after it":                                  {evaluations: "[" + failed + "]", job: true, code: 1, says: "job a: 1 failed evaluation without a follow-up, for 12m 20s (since 2026-12-01 01:57 UTC): boom"},
		"failed, the job is purged":                                 {evaluations: "[" + failed + "]", says: "no evaluation overdue"},
		"a chain, the job is purged": {evaluations: `[{"ID":"f","JobID":"a",` + at + `,"Type":"batch","Status":"failed","TriggeredBy":"failed-follow-up","NextEval":"0d75e2c4-3c08","CreateIndex":5},` +
			`{"ID":"0d75e2c4-3c08","JobID":"a",` + at + `,"Wait":9000000000000,"Status":"pending","TriggeredBy":"failed-follow-up","CreateIndex":6}]`, code: 1, says: "nomad eval delete 0d75e2c4-3c08;"},
		"failed, made good later":               {evaluations: "[" + failed + `,{"ID":"g","JobID":"a",` + at + `,"Status":"complete","CreateIndex":6}]`, job: true, says: "no evaluation overdue"},
		"failed, closed well before":            {evaluations: "[" + failed + `,{"ID":"g","JobID":"a",` + at + `,"Status":"complete","CreateIndex":4}]`, job: true, code: 1, says: "without a follow-up"},
		"failed, canceled later":                {evaluations: "[" + failed + `,{"ID":"g","JobID":"a",` + at + `,"Status":"canceled","CreateIndex":6}]`, job: true, code: 1, says: "without a follow-up"},
		"an allocation and its quotas":          {evaluations: `[{"ID":"e","JobID":"a","Namespace":"default","CreateTime":1796080259281752300,"Status":"blocked","FailedTGAllocs":{"g":{"NodesEvaluated":3,"QuotaExhausted":["cpu exhausted (300 needed > 200 limit)"]}}}]`, code: 1, says: "quota exhausted: cpu exhausted (300 needed › 200 limit)"},
		"a task group of which nothing is told": {evaluations: `[{"ID":"e","JobID":"a","Namespace":"default","CreateTime":1796080259281752300,"Status":"blocked","FailedTGAllocs":{"g":null}}]`, code: 1, says: "no node is ready in its datacenters and node pool"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, func(s *nomadtest.Server) { s.Evaluations(r.evaluations) })
			if r.job {
				s.Job("default", "a", `{"ID":"a","TaskGroups":[{"Count":1}]}`)
			}
			out, code := run(t, s, "--now", tenPastTwo)
			if code != r.code || !strings.Contains(first(out), r.says) {
				t.Errorf("exit %d, want %d with %q: %s", code, r.code, r.says, out)
			}
		})
	}
}

// More lost jobs than can be looked at one by one.
func TestManyLostJobs(t *testing.T) {
	var jobs []string
	for i := range 500 {
		jobs = append(jobs, fmt.Sprintf(`{"ID":"ci/dispatch-1796090259-%08x","ParentID":"ci","Namespace":"default","Type":"batch","Status":"pending","Stop":false,"SubmitTime":%d}`, i, 1796090259281752300+i))
	}
	s := start(t, func(s *nomadtest.Server) { s.Jobs("[" + strings.Join(jobs, ",") + "]") })
	out, code := run(t, s, "--now", tenPastTwo, "-v")
	if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - 20 jobs lost") || !strings.Contains(out, "480 more jobs pending longer than the limit, not looked at") || !strings.Contains(out, "jobs_lost=20;") {
		t.Errorf("exit %d: %s", code, out)
	}
	if n := len(s.Requests()); n > 50 {
		t.Errorf("%d requests", n)
	}
}

// A consistent read from a server that knows no leader proves nothing.
func TestKnownLeader(t *testing.T) {
	s := start(t)
	s.Handle("/v1/evaluations", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Nomad-Index", "1")
		w.Header().Set("X-Nomad-KnownLeader", "false")
		fmt.Fprint(w, "[]")
	})
	if out, code := run(t, s); code != 2 || !strings.Contains(out, "servers: the leader does not answer") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// A proxy that refuses %2F answers 404 for a list of Nomad's, which knows no such answer: the job is not gone.
func TestNotFoundByAProxy(t *testing.T) {
	const child = "ci/dispatch-1796090259-5d561159"
	for part, stub := range map[string]string{
		"/evaluations": `"Type":"batch","Status":"pending"`,
		"/allocations": `"Type":"batch","Status":"pending"`,
		"":             `"Type":"service","Status":"dead"`,
	} {
		s := start(t, func(s *nomadtest.Server) {
			s.Jobs(`[{"ID":"` + child + `","Namespace":"default","Stop":false,"SubmitTime":1796088720927630800,` + stub + `}]`)
		})
		s.Handle("/v1/job/"+child+part, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "The requested URL was not found", 404) })
		out, code := run(t, s, "--now", tenPastTwo)
		if code != 2 || !strings.Contains(first(out), "do: is there a proxy that decodes or refuses %2F?") {
			t.Errorf("%q: exit %d: %s", part, code, out)
		}
	}
}

// What is not found without a %2F in its path is no proxy's fault.
func TestNotFoundWithoutAnEscape(t *testing.T) {
	s := start(t)
	s.Handle("/v1/evaluations", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "The requested URL was not found", 404) })
	if out, code := run(t, s); code != 2 || strings.Contains(out, "%2F") || !strings.Contains(first(out), "do: is this the address of a Nomad server") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// Jobs that are not lost must not hide those that are: they are older, and come first.
func TestLostBehindOthers(t *testing.T) {
	for name, r := range map[string]struct {
		others int
		says   []string
	}{
		"few":      {30, []string{"[CRITICAL] - 5 jobs lost", "jobs_lost=5;"}},
		"too many": {120, []string{"[WARNING] - jobs: 25 more jobs pending longer than the limit, not looked at", "jobs_lost=0;"}},
	} {
		t.Run(name, func(t *testing.T) {
			const stub = `{"ID":"%s-%03d","Namespace":"default","Type":"batch","Status":"pending","Stop":false,"SubmitTime":%d}`
			var jobs, allocations []string
			for i := range r.others {
				jobs = append(jobs, fmt.Sprintf(stub, "old", i, 1796080000000000000+i))
				allocations = append(allocations, fmt.Sprintf(`{"ID":"a%d","JobID":"old-%03d","Namespace":"default","ClientStatus":"unknown","DesiredStatus":"run"}`, i, i))
			}
			for i := range 5 {
				jobs = append(jobs, fmt.Sprintf(stub, "lost", i, 1796088720927630800))
			}
			s := start(t, func(s *nomadtest.Server) {
				s.Jobs("[" + strings.Join(jobs, ",") + "]")
				s.Allocations("[" + strings.Join(allocations, ",") + "]")
			})
			out, _ := run(t, s, "--now", tenPastTwo)
			for _, text := range r.says {
				if !strings.Contains(out, text) {
					t.Errorf("no %q in %s", text, out)
				}
			}
		})
	}
}

// A job may have a long history. It is read only until the verdict is certain, and none of it is kept: here it has no end.
func TestLongHistory(t *testing.T) {
	for part, item := range map[string]string{
		"evaluations": `{"ID":"e","JobID":"a","Namespace":"default","Status":"%s"}`,
		"allocations": `{"ID":"x","JobID":"a","Namespace":"default","ClientStatus":"%s","DesiredStatus":"run"}`,
	} {
		s := start(t, func(s *nomadtest.Server) {
			s.Jobs(`[{"ID":"a","Namespace":"default","Type":"batch","Status":"pending","Stop":false,"SubmitTime":1796088720927630800}]`)
		})
		s.Handle("/v1/job/a/"+part, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Nomad-Index", "1")
			fmt.Fprintf(w, "["+item, map[string]string{"evaluations": "complete", "allocations": "lost"}[part])
			for range 2000 {
				fmt.Fprintf(w, ","+item, "complete")
			}
			fmt.Fprintf(w, ","+item, map[string]string{"evaluations": "blocked", "allocations": "running"}[part])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
		if out, code := run(t, s, "--now", tenPastTwo, "-t", "3s"); code != 0 {
			t.Errorf("%s: exit %d: %s", part, code, out)
		}
	}
}

// Of more than three jobs with failed evaluations each is looked at; what cannot be looked at is no fault of the job's.
func TestManyFailed(t *testing.T) {
	const stub = `{"ID":"%s%d","JobID":"sys%d","Namespace":"default","CreateTime":1796090259281752300,"Status":"%s","TriggeredBy":"node-update","CreateIndex":%d}`
	var list []string
	for i := range 9 {
		list = append(list, fmt.Sprintf(stub, "f", i, i, "failed", 10), fmt.Sprintf(stub, "c", i, i, "complete", 20))
	}
	s := start(t, func(s *nomadtest.Server) { s.Evaluations("[" + strings.Join(list, ",") + "]") })
	for i := range 9 {
		s.Job("default", fmt.Sprintf("sys%d", i), `{"ID":"a","TaskGroups":[{"Count":1}]}`)
	}
	if out, code := run(t, s, "--now", tenPastTwo); code != 0 || strings.Contains(out, "not looked at") {
		t.Errorf("exit %d: %s", code, out)
	}
	s.Handle("/v1/job/sys3", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	s.Handle("/v1/job/sys4", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) })
	if out, code := run(t, s, "--now", tenPastTwo, "-v"); code != 0 || !strings.Contains(out, "2 more failed evaluations not looked at") || !strings.Contains(out, "note: whether a failed") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// Failures that are no fault must not hide the one that is; that not all were read is told also when all is well.
func TestFailedBehindOthers(t *testing.T) {
	const stub = `{"ID":"f%d","JobID":"%s","Namespace":"default","CreateTime":%d,"Status":"failed","TriggeredBy":"job-register","BlockedEval":"%s","CreateIndex":%d}`
	for others, r := range map[int]struct {
		code, pages int
		says        string
		more        bool
	}{
		20:  {1, 1, "job dead: 1 failed evaluation without a follow-up", false},
		50:  {1, 2, "job dead: 1 failed evaluation without a follow-up", false},
		400: {0, 2, "no evaluation overdue", true},
	} {
		list := []string{fmt.Sprintf(stub, 0, "dead", 1796089000000000000, "", 1)}
		for i := range others {
			list = append(list, fmt.Sprintf(stub, i+1, "busy", 1796090259281752300, "b", i+2))
		}
		s := start(t, func(s *nomadtest.Server) { s.Evaluations("[" + strings.Join(list, ",") + "]") })
		s.Job("default", "dead", `{"ID":"dead","TaskGroups":[{"Count":1}]}`)
		out, code := run(t, s, "--now", tenPastTwo, "-v")
		pages := strings.Count(strings.Join(s.Requests(), "\n"), "status=failed")
		if code != r.code || pages != r.pages || !strings.Contains(first(out), r.says) || strings.Contains(out, "note: there are more failed evaluations") != r.more {
			t.Errorf("%d others: %d pages, exit %d: %s", others, pages, code, out)
		}
	}
}
