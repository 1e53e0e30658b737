package evaluation

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"overdue/internal/nomad/nomadtest"
)

const (
	tenPastTwo = "2026-12-01T02:10:00Z" // 12 minutes after the leader was killed
	ofNowhere  = "127.0.0.1:1"          // nothing listens there
)

func first(out string) string {
	line, _, _ := strings.Cut(out, "\n")
	return line
}

// A healthy region costs seven small requests, none of them a stale one.
func TestHealthyAsksLittle(t *testing.T) {
	s := start(t)
	if out, code := run(t, s); code != 0 || !strings.HasPrefix(out, "[OK] - no evaluation overdue (0 pending, 0 blocked)") {
		t.Errorf("exit %d: %s", code, out)
	}
	var paths []string
	for _, request := range s.Requests() {
		path, _, _ := strings.Cut(request, "?")
		paths = append(paths, path)
		if strings.Contains(request, "stale") {
			t.Error(request)
		}
	}
	want := []string{"GET /v1/namespaces", "GET /v1/evaluations", "GET /v1/evaluations", "GET /v1/evaluations", "GET /v1/allocations", "GET /v1/jobs", "GET /v1/operator/autopilot/health"}
	if !slices.Equal(paths, want) {
		t.Errorf("asked for %q", paths)
	}
	if s.Sent() > 2000 {
		t.Errorf("%d bytes", s.Sent())
	}
}

// Jobs that have an open evaluation are not looked at one by one.
func TestOpenEvaluationsAreJoined(t *testing.T) {
	s := start(t, lab163)
	run(t, s, "--now", "2026-12-01T02:36:00Z")
	for _, request := range s.Requests() {
		if strings.HasPrefix(request, "GET /v1/job/") && !strings.Contains(request, "/web-zero") && !strings.Contains(request, "/web-crash") {
			t.Error(request)
		}
	}
}

// The cost follows what is open: a million closed evaluations cost nothing, and of many failed ones only the newest are read.
func TestCostFollowsWhatIsOpen(t *testing.T) {
	for _, r := range []struct {
		status string
		age    time.Duration
		most   int64
	}{{"complete", 0, 3_000}, {"canceled", 0, 3_000}, {"failed", 2 * time.Hour, 100_000}, {"failed", 0, 100_000}} {
		s := start(t, func(s *nomadtest.Server) { s.Many(1_000_000, r.status, time.Now().Add(-r.age)) })
		if out, code := run(t, s); code > 1 {
			t.Errorf("exit %d: %s", code, out)
		}
		if s.Sent() > r.most {
			t.Errorf("a million %s evaluations cost %d bytes", r.status, s.Sent())
		}
	}
}

// One failed evaluation of a job that was evaluated ever since: what is long closed is not read.
func TestCostOfAFailedJob(t *testing.T) {
	const n = 30_000
	filler := strings.Repeat("x", 200)
	var list strings.Builder
	for i := range n {
		status := "complete"
		if i == n-10 {
			status = "failed"
		} else if i > n-10 {
			status = "canceled"
		}
		fmt.Fprintf(&list, `,{"ID":"e%d","JobID":"a","Namespace":"default","CreateTime":%d,"Status":"%s","StatusDescription":"%s","TriggeredBy":"job-register","CreateIndex":%d}`,
			i, time.Now().Add(-time.Minute).UnixNano(), status, filler, i+1)
	}
	s := start(t, func(s *nomadtest.Server) {
		s.Evaluations("[" + list.String()[1:] + "]")
		s.Job("default", "a", `{"ID":"a","TaskGroups":[{"Count":1}]}`)
	})
	if out, code := run(t, s); code != 1 || !strings.Contains(first(out), "job a: 1 failed evaluation") {
		t.Errorf("exit %d: %s", code, out)
	}
	if s.Sent() > 100_000 {
		t.Errorf("%d closed evaluations of a job cost %d bytes", n, s.Sent())
	}
}

// What is kept of an open evaluation is small, so that 200,000 of them fit anywhere.
func TestManyOpenEvaluations(t *testing.T) {
	const n = 20_000
	s := start(t, func(s *nomadtest.Server) { s.Many(n, "blocked", time.Now().Add(-time.Hour)) })
	var held int64
	s.Handle("/v1/allocations", func(w http.ResponseWriter, _ *http.Request) { // asked for after the evaluations
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		held = int64(stats.HeapAlloc)
		w.Header().Set("X-Nomad-Index", "1")
		fmt.Fprint(w, "[]")
	})
	out, code := run(t, s)
	if code != 1 || !strings.HasPrefix(out, "[WARNING] - job runner: 20000 evaluations blocked, for 1h (since") || len(out) > 3000 {
		t.Errorf("exit %d: %.600s", code, out)
	}
	if each := held / n; each > 600 {
		t.Errorf("%d bytes are held for each", each)
	}
}

func TestSelection(t *testing.T) {
	s := start(t, incident)
	for _, r := range []struct {
		args string
		code int
		says string
	}{
		{"--job ci", 2, "13 jobs lost"},
		{"--job ci/*5d561159", 2, "job ci/dispatch-1796090259-5d561159 lost"},
		{"--job c*", 2, "13 jobs lost"},
		{"--exclude-job ci --blocked-warning off", 0, "no job lost"},
		{"--exclude-job ci --exclude-job *", 0, "(0 pending, 0 blocked)"},
		{"--job web-* --exclude-job *toobig --blocked-warning 1m", 0, "(0 pending, 0 blocked)"},
		{"--job *toobig --blocked-warning 1m", 1, "job web-toobig: 1 evaluation blocked"},
		{"--job [", 3, "is no glob"},
		{"--job ''", 3, "--job and --exclude-job need a glob"},
		{"--job ci --exclude-job '' --unreachable critical", 3, "--job and --exclude-job need a glob"},
		{"--job runner* --job x --exclude-job ci", 0, "no job lost, only jobs runner* and x, without jobs ci, in"},
		{"--namespace default", 2, "13 jobs lost"},
		{"--namespace * --blocked-warning off --exclude-job ci", 0, "in 1 namespace"},
		{"--namespace nope", 3, "there is no namespace nope, or the token may not see it; it sees default"},
		{"--namespace nope --unreachable critical", 3, "there is no namespace nope"},
		{"--region nope", 3, "no server knows the region nope"},
		{"--region global", 2, "13 jobs lost"},
		{"--expect-servers -1", 3, "must not be negative"},
		{"--expect-servers 4 --exclude-job *", 1, "3 of 4 expected"},
		{"-w 20m -c 30m --blocked-warning off", 0, "no job lost"},
		{"ci", 3, "unexpected"},
	} {
		args := strings.Fields(r.args)
		for i := range args {
			args[i] = strings.Trim(args[i], "'")
		}
		out, code := run(t, s, append(args, "--now", tenPastTwo)...)
		if code != r.code || !strings.Contains(out, r.says) {
			t.Errorf("%s: exit %d, want %d with %q:\n%s", r.args, code, r.code, r.says, out)
		}
	}
}

// A user's text is in no request: it could kill the leader.
func TestUserTextStaysHere(t *testing.T) {
	s := start(t, lab163)
	run(t, s, "--job", "WaitUntil is empty", "--exclude-job", `" or WaitUntil is empty`, "--now", tenPastTwo)
	for _, request := range s.Requests() {
		if strings.Contains(request, "WaitUntil") || strings.Contains(request, "empty") {
			t.Error(request)
		}
	}
	if s.LeaderKilled() {
		t.Error("the leader is dead")
	}
}

// NOMAD_NAMESPACE must not make the check look at less without a word.
func TestNamespaceOfTheEnvironment(t *testing.T) {
	s := start(t, incident)
	out, code := runWith(t, s, []string{"NOMAD_NAMESPACE=team-a", "NOMAD_ADDR=" + s.URL()}, "--now", tenPastTwo, "-v")
	if code != 2 || !strings.Contains(out, "13 jobs lost") || !strings.Contains(out, "note: NOMAD_NAMESPACE is not heeded") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// The rights that were recorded for each token.
func TestRights(t *testing.T) {
	s := nomadtest.New("team-a", "team-b")
	t.Cleanup(s.Close)
	s.ACLs()
	for token, want := range map[string]struct {
		code int
		says []string
	}{
		"none":        {2, []string{"the servers show none to this token"}},
		"bad":         {2, []string{"refused (403 Permission denied)", "is the token right"}},
		"malformed":   {2, []string{"403"}},
		"list-jobs":   {2, []string{"cannot list pending evaluations: refused (403 Permission denied)", "give its policy read-job (icinga/nomad-policy.hcl)"}},
		"read-job":    {2, []string{"cannot list waiting jobs: refused", "give its policy list-jobs"}},
		"policy-read": {0, []string{"in at most 3 namespaces, 3 servers, failure tolerance unknown (the token lacks operator read)"}},
		"team-a-only": {2, []string{"cannot list waiting jobs: refused"}},
		"node":        {2, []string{"show none to this token"}},
		"agent":       {2, []string{"show none to this token"}},
		"operator":    {2, []string{"show none to this token"}},
		"mgmt":        {0, []string{"in at most 3 namespaces, 3 servers, failure tolerance 1"}},
	} {
		var env []string
		if token != "none" {
			env = []string{"NOMAD_TOKEN=token-" + token}
		}
		out, code := runWith(t, s, env, "--address", s.URL())
		if code != want.code {
			t.Errorf("%s: exit %d, want %d: %s", token, code, want.code, out)
		}
		for _, text := range want.says {
			if !strings.Contains(out, text) {
				t.Errorf("%s: no %q in %s", token, text, out)
			}
		}
	}
	if out, code := runWith(t, s, []string{"NOMAD_TOKEN=team-a-only"}, "--address", s.URL(), "--namespace", "team-b"); code != 3 || !strings.Contains(out, "it sees team-a") {
		t.Errorf("another namespace: exit %d: %s", code, out)
	}
	if out, code := runWith(t, s, []string{"NOMAD_TOKEN=policy-read"}, "--address", s.URL(), "--expect-servers", "5"); code != 1 || !strings.Contains(out, "3 of 5 expected") {
		t.Errorf("servers without operator read: exit %d: %s", code, out)
	}
}

func TestPausedBroker(t *testing.T) {
	s := start(t, func(s *nomadtest.Server) {
		s.Evaluations(nomadtest.Body("1.6.3/paused-broker-evaluations-pending.json"))
		s.Scheduler(nomadtest.Body("1.6.3/paused-broker-scheduler-configuration.json"))
		s.Job("default", "web-crash", nomadtest.Body("1.6.3/job-web-ok.json"))
	})
	out, code := run(t, s, "--now", "2026-12-01T01:45:00Z")
	if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - evaluation broker: paused by an operator, 7 evaluations waiting, for 11m 5s (since 2026-12-01 01:33 UTC)") ||
		!strings.Contains(first(out), "do: nomad operator scheduler set-config -pause-eval-broker=false") || strings.Contains(out, "(+") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// A paused broker is asked for also where only a lost job or a blocked evaluation waits.
func TestPausedBrokerIsAskedFor(t *testing.T) {
	for name, change := range map[string]func(*nomadtest.Server){
		"lost job": func(s *nomadtest.Server) {
			s.Jobs(`[{"ID":"a","Namespace":"default","Type":"batch","Status":"pending","Stop":false,"SubmitTime":1796088720927630800}]`)
		},
		"blocked evaluation": func(s *nomadtest.Server) {
			s.Evaluations(`[{"ID":"e","JobID":"a","Namespace":"default","CreateTime":1796080259281752300,"Status":"blocked","TriggeredBy":"queued-allocs"}]`)
		},
	} {
		s := start(t, change, func(s *nomadtest.Server) {
			s.Scheduler(nomadtest.Body("1.6.3/paused-broker-scheduler-configuration.json"))
		})
		if out, _ := run(t, s, "--now", tenPastTwo); !strings.Contains(out, "evaluation broker: paused by an operator") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// Perfdata has the same labels whatever is found.
func TestPerfdataIsStable(t *testing.T) {
	labels := func(out string) string {
		_, data, _ := strings.Cut(out, "\n|")
		return regexp.MustCompile(`=\S*`).ReplaceAllString(data, "")
	}
	good, _ := run(t, start(t))
	for name, s := range map[string]*nomadtest.Server{"incident": start(t, incident), "no leader": start(t, func(s *nomadtest.Server) { s.LoseQuorum(0) }),
		"no rights": start(t, (*nomadtest.Server).ACLs)} {
		if bad, _ := run(t, s); labels(bad) == "" || labels(bad) != labels(good) {
			t.Errorf("%s: %s\nwant %s", name, labels(bad), labels(good))
		}
	}
}

// A recording holds no token and no job's environment, and judges alike.
func TestRecordAndReplay(t *testing.T) {
	s := start(t, func(s *nomadtest.Server) {
		s.Jobs(`[{"ID":"web","Namespace":"default","Type":"service","Status":"dead","Stop":false,"SubmitTime":1796088720927630800}]`)
		s.Job("default", "web", `{"ID":"web","Meta":{"k":"hunter2"},"TaskGroups":[{"Name":"g","Count":2,"Tasks":[{"Env":{"PASSWORD":"hunter2"}}]}]}`)
	})
	file := filepath.Join(t.TempDir(), "case.yaml")
	env := []string{"NOMAD_TOKEN=c0ffee00-1111-2222-3333-444455556666", "NOMAD_HTTP_AUTH=icinga:hunter2"}
	args := []string{"--address", s.URL(), "--address", "http://" + ofNowhere, "--now", tenPastTwo}
	live, code := runWith(t, s, env, append(args, "--record", file)...)
	if code != 2 || !strings.Contains(live, "job web never placed") || !strings.Contains(live, "1 of 2 does not answer") {
		t.Fatalf("exit %d: %s", code, live)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter2", "c0ffee00", "PASSWORD"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s is in the recording", secret)
		}
	}
	again, code := runWith(t, s, nil, append(args, "--replay", file)...)
	live = strings.ReplaceAll(live, "connection refused by http://"+ofNowhere, "no answer from http://"+ofNowhere+" when the recording was made")
	if code != 2 || again != live {
		t.Errorf("exit %d\n%s\nwant\n%s", code, again, live)
	}
}

// Names and texts from the servers are untrusted.
func TestHostileTexts(t *testing.T) {
	name := `w\n[OK] - all | a=1 <script>\u001b[31m'$(reboot)'` + strings.Repeat("x", 10_000)
	s := start(t)
	s.Handle("/v1/namespaces", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Nomad-Index", "1")
		fmt.Fprint(w, `[{"Name":"|b=2\r\n<img>"}]`)
	})
	s.Handle("/v1/jobs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Nomad-Index", "1")
		fmt.Fprint(w, `[{"ID":"`+name+`","Namespace":"|b=2\r\n<img>","Type":"batch","Status":"pending","SubmitTime":1796088720927630800}]`)
	})
	out, code := run(t, s, "--now", tenPastTwo)
	if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - job w [OK] - all ¦ a=1 ‹script›") {
		t.Errorf("exit %d: %.300s", code, out)
	}
	if len(out) > 5_000 || strings.Count(out, "|") != 1 || strings.ContainsAny(out, "<>\x1b\r") || strings.Contains(out, "\n[OK]") {
		t.Errorf("%d bytes: %.2000s", len(out), out)
	}
}
