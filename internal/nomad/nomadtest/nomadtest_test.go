package nomadtest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func get(t *testing.T, s *Server, path string) (code int, known, body string) {
	t.Helper()
	res, err := http.Get(s.URL() + path)
	if err != nil {
		return 0, "", err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("X-Nomad-KnownLeader"), string(text)
}

// The stand-in answers as was recorded, at the time at which it was.
func TestFaults(t *testing.T) {
	const evaluations, health = "/v1/evaluations?namespace=*&status=pending", "/v1/agent/health?type=server"
	for name, r := range map[string]struct {
		befall      func(*Server)
		after       time.Duration
		path        string
		code        int
		known, body string
	}{
		"the leader is killed":               {(*Server).KillLeader, 0, evaluations, 500, "", "rpc error: EOF"},
		"a second later":                     {(*Server).KillLeader, time.Second, evaluations, 500, "", "rpc error: failed to get conn: dial tcp"},
		"another is elected":                 {(*Server).KillLeader, 3 * time.Second, evaluations, 200, "true", `"web-crash"`},
		"autopilot then":                     {(*Server).KillLeader, 3 * time.Second, "/v1/operator/autopilot/health", 429, "", `"Servers":null`},
		"autopilot a little later":           {(*Server).KillLeader, 9 * time.Second, "/v1/operator/autopilot/health", 429, "", `s1.global`},
		"no quorum":                          {func(s *Server) { s.LoseQuorum(0) }, time.Hour, evaluations, 500, "", "No cluster leader"},
		"no quorum, health":                  {func(s *Server) { s.LoseQuorum(0) }, 0, health, 500, "", `{"server":{"ok":false,"message":"No cluster leader"}}`},
		"no quorum, stale":                   {func(s *Server) { s.LoseQuorum(0) }, 0, evaluations + "&stale", 200, "false", "[]"},
		"a follower was restarted, stale":    {(*Server).Restart, time.Second, evaluations + "&stale", 200, "true", "[]"},
		"a follower was restarted":           {(*Server).Restart, time.Second, evaluations, 200, "true", `"web-crash"`},
		"some seconds after, stale":          {(*Server).Restart, 6 * time.Second, evaluations + "&stale", 200, "true", `"web-crash"`},
		"a filter that kills":                {func(*Server) {}, 0, "/v1/evaluations?filter=WaitUntil%20is%20empty", 0, "", "EOF"},
		"an unknown namespace has no entry":  {func(*Server) {}, 0, "/v1/evaluations?namespace=nope", 200, "true", "[]"},
		"an unknown region is an error":      {func(*Server) {}, 0, evaluations + "&region=nope", 500, "", "No path to region"},
		"times keep all their digits":        {func(*Server) {}, 0, evaluations, 200, "true", `"CreateTime":1796088723497765956`},
		"a job that is not there":            {func(*Server) {}, 0, "/v1/job/nope", 404, "", "job not found"},
		"evaluations of a job that is not":   {func(*Server) {}, 0, "/v1/job/nope/evaluations?namespace=default", 200, "true", "[]"},
		"a list that was asked for in pages": {func(s *Server) { s.Evaluations(Body("1.6.3/evaluations-blocked.json")) }, 0, "/v1/evaluations?namespace=*&per_page=1&reverse=true", 200, "true", `sys-toobig`},
	} {
		t.Run(name, func(t *testing.T) {
			s := New()
			defer s.Close()
			s.Evaluations(Body("1.6.3/evaluations-pending.json"))
			r.befall(s)
			_ = s.Pause(context.Background(), r.after)
			if code, known, body := get(t, s, r.path); code != r.code || known != r.known || !strings.Contains(body, r.body) {
				t.Errorf("%d, leader known %q: %s", code, known, body)
			}
		})
	}
}

// Holding an answer moves the clock: two requests of 5 s see the quorum that is back after 7.
func TestClock(t *testing.T) {
	s := New()
	defer s.Close()
	s.LoseQuorum(7 * time.Second)
	for i, want := range []int{500, 500, 200} {
		if code, _, body := get(t, s, "/v1/jobs?namespace=*"); code != want {
			t.Errorf("request %d: %d %s", i, code, body)
		}
	}
}
