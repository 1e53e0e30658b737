package evaluation

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"overdue/internal/nomad/nomadtest"
)

// deadServices are services without allocations, the first of which is the newest; those of count 0 were scaled down.
func deadServices(s *nomadtest.Server, counts ...int) {
	var jobs []string
	for i, count := range counts {
		jobs = append(jobs, fmt.Sprintf(`{"ID":"web%03d","Namespace":"default","Type":"service","Status":"dead","Stop":false,"SubmitTime":%d}`, i, 1796088720927630800-i))
		s.Job("default", fmt.Sprintf("web%03d", i), fmt.Sprintf(`{"ID":"web%03d","TaskGroups":[{"Count":%d}]}`, i, count))
	}
	s.Jobs("[" + strings.Join(jobs, ",") + "]")
}

// Services that are scaled to 0 stay in the list for ever. They must not hide the older one that was never placed, and where they
// are too many the first line must not claim what was not looked at.
func TestDeadBehindOthers(t *testing.T) {
	for scaled, r := range map[int]struct {
		code   int
		says   string
		points string
	}{
		60:  {2, "job web060 never placed", "jobs_unverified=0;"},
		130: {0, "no job lost, 31 dead services not looked at", "jobs_unverified=31;"},
	} {
		s := start(t, func(s *nomadtest.Server) { deadServices(s, append(make([]int, scaled), 2)...) })
		out, code := run(t, s, "--now", tenPastTwo)
		if code != r.code || !strings.Contains(first(out), r.says) || !strings.Contains(out, r.points) {
			t.Errorf("%d scaled to 0: exit %d, want %d with %q and %q: %s", scaled, code, r.code, r.says, r.points, out)
		}
	}
}

// A failure behind many that are no fault: the first line says that the older ones were not read, and --job finds it.
func TestFailedBehindTheNewest(t *testing.T) {
	const stub = `{"ID":"f%d","JobID":"%s","Namespace":"default","CreateTime":%d,"Status":"failed","TriggeredBy":"job-register","BlockedEval":"%s","CreateIndex":%d}`
	list := []string{fmt.Sprintf(stub, 0, "dead", 1796089000000000000, "", 1)}
	for i := range 90 {
		list = append(list, fmt.Sprintf(stub, i+1, "busy", 1796090259281752300, "b", i+2))
	}
	s := start(t, func(s *nomadtest.Server) {
		s.Evaluations("[" + strings.Join(list, ",") + "]")
		s.Job("default", "dead", `{"ID":"dead","TaskGroups":[{"Count":1}]}`)
	})
	for args, r := range map[string]struct {
		code int
		says string
	}{
		"":                            {0, "no job lost, older failed evaluations not read"},
		"--job d*":                    {0, "older failed evaluations not read"},
		"--job dead":                  {1, "job dead: at least 1 failed evaluation without a follow-up"},
		"--job dead --exclude-job d*": {0, "older failed evaluations not read"},
	} {
		out, code := run(t, s, append(strings.Fields(args), "--now", tenPastTwo)...)
		if code != r.code || !strings.Contains(first(out), r.says) {
			t.Errorf("%q: exit %d, want %d with %q: %s", args, code, r.code, r.says, out)
		}
	}
	s.Handle("/v1/evaluations", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("job") != "" {
			t.Errorf("%s, though all failed ones were read", r.URL)
		}
		w.Header().Set("X-Nomad-Index", "1")
		fmt.Fprint(w, "[]")
	})
	run(t, s, "--job", "dead", "--now", tenPastTwo)
}

// Of a job with a long history only the newest page is read to tell whether a failure was made good; what it does not reach is not
// known.
func TestFailedOfALongHistory(t *testing.T) {
	const stub = `{"ID":"e%d","JobID":"a","Namespace":"default","CreateTime":1796090259281752300,"Status":"%s","TriggeredBy":"job-register","CreateIndex":%d}`
	for name, r := range map[string]struct {
		before, after int
		status        string // of the later ones
		code          int
		says          string
	}{
		"made good long after":             {100, 5, "complete", 0, "no evaluation overdue"},
		"made good, and much since":        {100, 100, "complete", 0, "no evaluation overdue"},
		"not made good":                    {100, 5, "canceled", 1, "job a: 1 failed evaluation without a follow-up"},
		"not made good, the oldest of all": {0, 29, "canceled", 1, "job a: 1 failed evaluation without a follow-up"},
		"not reached":                      {100, 100, "canceled", 0, "1 more failed evaluation not looked at"},
	} {
		var list []string
		for i := range r.before {
			list = append(list, fmt.Sprintf(stub, i, "complete", 10+i))
		}
		list = append(list, fmt.Sprintf(stub, r.before, "failed", 10+r.before))
		for i := r.before + 1; i <= r.before+r.after; i++ {
			list = append(list, fmt.Sprintf(stub, i, r.status, 10+i))
		}
		s := start(t, func(s *nomadtest.Server) {
			s.Evaluations("[" + strings.Join(list, ",") + "]")
			s.Job("default", "a", `{"ID":"a","TaskGroups":[{"Count":1}]}`)
		})
		if out, code := run(t, s, "--now", tenPastTwo); code != r.code || !strings.Contains(first(out), r.says) {
			t.Errorf("%s: exit %d, want %d with %q: %s", name, code, r.code, r.says, out)
		}
	}
}

// How many jobs are looked at must not decide the verdict: four stopped jobs are no worse than three.
func TestManyRemains(t *testing.T) {
	for name, r := range map[string]struct {
		jobs    int
		refused bool
		code    int
		most    int // requests for jobs
	}{
		"three":            {3, false, 1, 3},
		"four":             {4, false, 1, 4},
		"fifty":            {50, false, 1, 50},
		"too many":         {80, false, 2, 50},
		"not to be looked": {80, true, 2, 50},
	} {
		var list []string
		s := start(t)
		for i := range r.jobs {
			for part := range 2 { // of each job
				list = append(list, fmt.Sprintf(`{"ID":"e%d.%d","JobID":"web%d","Namespace":"default","CreateTime":1796080000000000000,"WaitUntil":"2026-12-01T01:10:00Z","Status":"pending","TriggeredBy":"alloc-failure"}`, i, part, i))
			}
			s.Job("default", fmt.Sprintf("web%d", i), `{"ID":"a","Stop":true,"TaskGroups":[{"Count":1}]}`)
			if r.refused {
				s.Handle(fmt.Sprintf("/v1/job/web%d", i), func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 500) })
			}
		}
		s.Evaluations("[" + strings.Join(list, ",") + "]")
		out, code := run(t, s, "--now", tenPastTwo)
		if asked := strings.Count(strings.Join(s.Requests(), "\n"), "/v1/job/"); code != r.code || asked > r.most {
			t.Errorf("%s: asked %d times, exit %d: %s", name, asked, code, first(out))
		}
	}
}

// A right that is missing for one job is told as that, not as too many jobs.
func TestRefusedIsNotTooMany(t *testing.T) {
	s := start(t, incident)
	s.Handle("/v1/job/ci/dispatch-1796090259-5d561159/evaluations", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Permission denied", http.StatusForbidden) })
	out, code := run(t, s, "--now", tenPastTwo)
	if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - cannot list evaluations of a job: refused (403 Permission denied)") || strings.Contains(out, "not looked at") {
		t.Errorf("exit %d: %s", code, out)
	}
}
