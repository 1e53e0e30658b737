package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/nomad/nomadtest"
	"overdue/internal/plugin"
)

// What was recorded while servers were killed, hung and restarted, in the stand-in's own time.
func TestOutages(t *testing.T) {
	for name, r := range map[string]struct {
		befall  func(*nomadtest.Server)
		code    int
		says    string
		entries int // requests for the first question, with its repetition
	}{
		"the leader is killed, another is elected":    {(*nomadtest.Server).KillLeader, 1, "[WARNING] - servers: failure tolerance 0", 2},
		"an election, and all servers live on":        {(*nomadtest.Server).Elect, 0, "no evaluation overdue", 2},
		"the leader hangs, another is elected":        {(*nomadtest.Server).HangLeader, 1, "failure tolerance 0", 2},
		"no quorum":                                   {func(s *nomadtest.Server) { s.LoseQuorum(0) }, 2, "[CRITICAL] - servers: no leader: they answer: No cluster leader", 2},
		"no quorum, which comes back in the meantime": {func(s *nomadtest.Server) { s.LoseQuorum(7 * time.Second) }, 0, "no evaluation overdue", 2},
		"one of three is gone, and autopilot calls the two healthy": {func(s *nomadtest.Server) {
			s.Autopilot(nomadtest.Body("cluster/autopilot-health-two-of-three-after-cleanup.json"))
		}, 1, "[WARNING] - servers: failure tolerance 0", 1},
		"a follower was restarted: stale reads are []": {(*nomadtest.Server).Restart, 0, "(1 pending, 10 blocked)", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, lab163, r.befall)
			out, code := run(t, s, "--now", "2026-12-01T01:36:00Z")
			if code != r.code || !strings.Contains(first(out), r.says) {
				t.Errorf("exit %d, want %d with %q: %s", code, r.code, r.says, out)
			}
			n := 0
			for _, request := range s.Requests() {
				if strings.HasPrefix(request, "GET /v1/namespaces") {
					n++
				}
			}
			if n != r.entries {
				t.Errorf("asked %d times: %q", n, s.Requests())
			}
		})
	}
}

// An autopilot that tells of no server hides that there are too few: they are counted.
func TestMuteAutopilot(t *testing.T) {
	answer := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); fmt.Fprint(w, body) }
	}
	for name, r := range map[string]struct {
		status           int
		autopilot, peers string
		code             int
		says             string
		asked            int
	}{
		"unhealthy, in no JSON":        {429, `unhealthy`, `["a","b","c","d","e"]`, 1, "[WARNING] - servers: autopilot calls them unhealthy: it answers 429 and does not say which of 5", 1},
		"requests are limited":         {429, "Your IP is issuing too many concurrent connections, please rate limit your calls", `["a"]`, 1, "[WARNING] - servers: 1 of 5 expected, autopilot cannot be asked, failure tolerance at most 0: cannot read the servers' health: ", 1},
		"no such path":                 {404, `not here`, `["a","b","c","d","e"]`, 1, "[WARNING] - servers: autopilot cannot be asked: cannot read the servers' health: ", 1},
		"no such path, no peers":       {404, `not here`, `[]`, 2, "is not a list of servers", 1},
		"autopilot crashes":            {500, `boom`, `["a","b","c","d","e"]`, 1, "[WARNING] - servers: autopilot cannot be asked: cannot read the servers' health: ", 1},
		"a gateway gives up":           {502, `Bad Gateway`, `["a","b","c","d","e"]`, 1, "[WARNING] - servers: autopilot cannot be asked", 1},
		"no leader all of a sudden":    {500, `No cluster leader`, `["a","b","c","d","e"]`, 2, "[CRITICAL] - servers: no leader", 2},
		"unhealthy, without a word":    {429, ``, `["a","b","c","d","e"]`, 1, "[WARNING] - servers: autopilot calls them unhealthy", 1},
		"null for ever":                {429, `{"FailureTolerance":0,"Healthy":false,"Servers":null}`, `["a","b","c"]`, 1, "[WARNING] - servers: 3 of 5 expected, autopilot tells nothing of them", 4},
		"an empty list":                {200, `{"FailureTolerance":3,"Healthy":true,"Servers":[]}`, `["a","b"]`, 1, "2 of 5 expected, autopilot tells nothing of them, failure tolerance at most 0", 4},
		"nor any peers":                {200, `{"FailureTolerance":3,"Healthy":true,"Servers":[]}`, `[]`, 2, "is not a list of servers", 4},
		"no right, and too few":        {403, `Permission denied`, `["a"]`, 1, "1 of 5 expected, failure tolerance at most 0", 1},
		"no right, and a list of none": {403, `Permission denied`, `[]`, 2, "is not a list of servers", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.Handle("/v1/operator/autopilot/health", answer(r.status, r.autopilot))
			s.Handle("/v1/status/peers", answer(200, r.peers))
			out, code := run(t, s, "--expect-servers", "5")
			asked := strings.Count(strings.Join(s.Requests(), "\n"), "autopilot")
			if code != r.code || !strings.Contains(first(out), r.says) || asked != r.asked {
				t.Errorf("asked %d times, exit %d: %s", asked, code, out)
			}
		})
	}
}

// A region of one server can spare none, unless that is meant.
func TestOneServer(t *testing.T) {
	for _, version := range []string{"1.6.3", "2.0.5"} {
		s := start(t, func(s *nomadtest.Server) { s.Autopilot(nomadtest.Body(version + "/autopilot-health.json")) })
		if out, code := run(t, s); code != 1 || !strings.Contains(first(out), "failure tolerance 0") || !strings.Contains(out, "servers=1;") {
			t.Errorf("%s: exit %d: %s", version, code, out)
		}
		if out, code := run(t, s, "--min-failure-tolerance", "0"); code != 0 || !strings.Contains(out, "1 server, failure tolerance 0") {
			t.Errorf("%s: exit %d: %s", version, code, out)
		}
	}
}

// Each server that is named is pinged; the first that is well is asked.
func TestSeveralServers(t *testing.T) {
	well, cutOff := start(t, lab163), start(t, func(s *nomadtest.Server) { s.LoseQuorum(0) })
	client := start(t, lab163)
	client.Handle("/v1/agent/health", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		fmt.Fprint(w, `{"server":{"ok":false,"message":"server not enabled"}}`)
	})
	dead := "http://" + ofNowhere
	for name, r := range map[string]struct {
		addresses []string
		code      int
		says      string
	}{
		"all well":                {[]string{well.URL(), well.URL()}, 0, "no evaluation overdue"},
		"one is dead":             {[]string{dead, well.URL(), well.URL()}, 1, "[WARNING] - servers: 1 of 3 does not answer: connection refused by " + dead},
		"one is cut off":          {[]string{cutOff.URL(), well.URL()}, 1, "1 of 2 knows no leader: " + cutOff.URL() + " says: No cluster leader"},
		"one is dead, one is cut": {[]string{cutOff.URL(), dead, well.URL()}, 1, "1 of 3 does not answer, 1 of 3 knows no leader"},
		"all are cut off":         {[]string{cutOff.URL(), cutOff.URL()}, 2, "[CRITICAL] - servers: no leader: they answer: No cluster leader"},
		"all are dead":            {[]string{dead, dead}, 2, "connection refused by " + dead},
		"a client agent":          {[]string{client.URL(), client.URL()}, 0, "no evaluation overdue"},
	} {
		t.Run(name, func(t *testing.T) {
			var args []string
			for _, address := range r.addresses {
				args = append(args, "--address", address)
			}
			out, code := runWith(t, well, nil, append(args, "--now", "2026-12-01T01:36:00Z")...)
			if code != r.code || !strings.Contains(out, r.says) {
				t.Errorf("exit %d, want %d with %q: %s", code, r.code, r.says, out)
			}
		})
	}
}

// Whatever answers, it is never OK, and the state is that of --unreachable.
func TestBadAnswers(t *testing.T) {
	text := func(code int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Nomad-Index", "1")
			w.Header().Set("X-Nomad-KnownLeader", "true")
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Location", "http://127.0.0.1:1/login?secret=hunter2")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	ok := func(body string) http.HandlerFunc { return text(200, "application/json", body) }
	answers := map[string]http.HandlerFunc{
		"nothing":             ok(""),
		"null":                ok("null"),
		"an object":           ok("{}"),
		"a string":            ok(`"x"`),
		"truncated":           ok(`[{"ID":"a","Status":"pending","Name":"x","Na`),
		"two lists":           ok(`[][]`),
		"null in a list":      ok(`[null]`),
		"an empty object":     ok(`[{}]`),
		"numbers for strings": ok(`[{"ID":1,"Status":2,"Name":3}]`),
		"strings for numbers": ok(`[{"ID":"a","Name":{},"Status":"pending","CreateTime":"yesterday","ClientStatus":[],"SubmitTime":"x"}]`),
		"a huge item":         ok(`[{"ID":"` + strings.Repeat("x", 5<<20) + `","Status":"pending","ClientStatus":"pending","Name":"x"}]`),
		"HTML":                text(200, "text/html", "<html>log in</html>"),
		"HTML called JSON":    ok("<html>log in</html>"),
		"gzip that is none": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			ok("[]\x1f\x8b")(w, r)
		},
		"no index": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "[]") },
		"broken off": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			ok(`[{"ID":"a",`)(w, r)
		},
		"no connection": func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
		"a huge header": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) },
	}
	for code := 201; code < 600; code++ {
		if http.StatusText(code) != "" {
			answers[fmt.Sprint(code)] = text(code, "text/plain", "hunter3 says no\x1b[31m")
		}
	}
	s := start(t)
	for _, path := range []string{"/v1/namespaces", "/v1/evaluations", "/v1/allocations", "/v1/jobs", "/v1/operator/autopilot/health"} {
		for name, handler := range answers {
			if path == "/v1/operator/autopilot/health" && (name == "403" || name == "429" || name == "no index") {
				continue // optional; how autopilot says unhealthy; and autopilot has no index
			}
			s.Handle(path, handler)
			out, code := run(t, s, "--unreachable", "warning")
			start := "[WARNING] - cannot "
			if path == "/v1/operator/autopilot/health" { // the servers are counted then
				start = "[WARNING] - servers: autopilot cannot be asked: cannot "
			}
			if code != 1 || !strings.HasPrefix(out, start) || strings.ContainsAny(out, "\x1b<") || strings.Contains(out, "hunter2") || len(out) > 3000 {
				t.Errorf("%s: %s: exit %d: %.500s", path, name, code, out)
			}
		}
		s.Handle(path, nil)
	}
	if out, code := run(t, s); code != 0 {
		t.Errorf("and without: exit %d: %s", code, out)
	}
}

// The deadline covers the whole run, and what was known until then is told.
func TestDeadline(t *testing.T) {
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	trickle := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Nomad-Index", "1")
		for {
			if _, err := io.WriteString(w, "[ "); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(time.Millisecond):
			}
		}
	}
	for path, handler := range map[string]http.HandlerFunc{"": silent, "/v1/jobs": silent, "/v1/namespaces": silent, "/v1/evaluations": trickle} {
		s := start(t, lab163)
		s.Handle(path, handler)
		began := time.Now()
		out, code := run(t, s, "--now", "2026-12-01T02:36:00Z", "-t", "0.3s")
		if took := time.Since(began); took > 1300*time.Millisecond {
			t.Errorf("%s: %s", path, took)
		}
		if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - ") {
			t.Errorf("%s: exit %d: %s", path, code, out)
		}
		if path == "/v1/jobs" && !strings.Contains(out, `known until then:`) {
			t.Errorf("%s: what was known is not told: %s", path, out)
		}
	}
}

// One that is pinged and hangs does not keep the others from being asked.
func TestHungServer(t *testing.T) {
	hung, well := start(t), start(t)
	hung.Handle("", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	out, code := runWith(t, well, nil, "--address", hung.URL(), "--address", well.URL(), "-t", "0.6s")
	if code != 1 || !strings.Contains(first(out), "1 of 2 does not answer: no answer from "+hung.URL()+" in time: still waiting for the answer") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// The one that is asked dies between two questions: the next is asked.
func TestServerDiesMeanwhile(t *testing.T) {
	dying, well := start(t, incident), start(t, incident)
	dying.Handle("/v1/jobs", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	out, code := runWith(t, well, nil, "--address", dying.URL(), "--address", well.URL(), "--now", tenPastTwo)
	if code != 2 || !strings.Contains(first(out), "13 jobs lost") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// Without leader the servers hold a request for 5 s: a run with a real clock, at a hundredth of the time.
func TestHeldInRealTime(t *testing.T) {
	s := start(t, func(s *nomadtest.Server) { s.LoseQuorum(0); s.Speed(0.01) })
	var out bytes.Buffer
	pause := func(ctx context.Context, d time.Duration) error { return nomad.PauseFor(ctx, d/100) }
	code := plugin.Main(context.Background(), program(pause), []string{"--address", s.URL()}, nil, &out)
	if code != 2 || !strings.Contains(out.String(), "servers: no leader") {
		t.Errorf("exit %d: %s", code, out.String())
	}
}
