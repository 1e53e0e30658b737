package resync

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"overdue/internal/nomad/nomadtest"
	"overdue/internal/plugin"
	"overdue/internal/poseidon"
	"overdue/internal/poseidon/poseidontest"
)

// site is a Poseidon and a Nomad, whose clock moves only while the handler waits.
type site struct {
	*poseidontest.Server
	nomad *nomadtest.Server
	by    surroundings
	dir   string
}

func newSite(t *testing.T, idleInNomad int) *site {
	s := &site{poseidontest.New(), nomadtest.New(), machine(), t.TempDir()}
	t.Cleanup(s.Close)
	t.Cleanup(s.nomad.Close)
	s.by.pause = s.Pause
	s.by.log = func(context.Context, slog.Record) error { return nil }
	s.runs(idleInNomad)
	return s
}

// runs sets how many idle runners of environment 29 Nomad runs.
func (s *site) runs(idle int) {
	s.nomad.Handle("/v1/jobs", poseidontest.Jobs(map[int]int{10: 4, 29: idle}))
}

func (s *site) call(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out strings.Builder
	args = append([]string{"--environment", "29", "--address", s.URL(), "--nomad-address", s.nomad.URL(), "--state-dir", s.dir}, args...)
	return plugin.Main(t.Context(), program(s.by), args, nil, &out), out.String()
}

// store is where the handler remembers what it did to this Poseidon.
func (s *site) store() store {
	name, _ := poseidon.Options{Address: s.URL()}.FileName(nil)
	return store{s.dir, name}
}

const statistics = "/api/v1/statistics/execution-environments"

// answers has Poseidon answer a path with a body.
func (s *site) answers(path, body string) {
	s.Handle(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
}

// TestLife has the handler meet what was recorded of a real Poseidon (facts: the six experiments), over HTTP.
func TestLife(t *testing.T) {
	for name, row := range map[string]struct {
		idle    int // in Nomad
		prepare func(*site)
		args    []string
		code    int
		says    string
		puts    int
		killed  int
	}{
		"runners deleted in Nomad": {0, func(s *site) { s.Set(29, 4, 0, 0) }, nil,
			0, "[DONE] - resync 29 at ", 1, 0},
		"a PUT would kill used runners": {1, func(s *site) { s.Set(29, 4, 1, 2) }, nil,
			1, "a resync would end 2 used runners while 1 idle ones are left to claim", 0, 0},
		"they are to be killed": {1, func(s *site) { s.Set(29, 4, 1, 2) }, []string{"--spare-used", "never"},
			0, "idle 1/4 → 4/4 in 2 s, 2 used runners ended", 1, 2},
		"the pool is empty, so they are not spared": {0, func(s *site) { s.Set(29, 4, 0, 3) }, nil,
			0, "idle 0/4 → 4/4 in 2 s, 3 used runners ended", 1, 3},
		"stalled event stream, pool claimed empty": {4, func(s *site) { s.Set(29, 4, 1, 3); s.Stall() }, nil,
			1, "Poseidon counts 1/4 idle runners, Nomad runs 4: lost in Poseidon's memory, and a resync would end them; do: restart Poseidon", 0, 0},
		"stalled event stream, runners deleted": {1, func(s *site) { s.Stall() }, nil,
			1, "Poseidon counts 4/4 idle runners, Nomad runs 1: its event stream has stalled", 0, 0},
		"stalled event stream, and nobody looks at Nomad": {4, func(s *site) { s.Set(29, 4, 0, 3); s.Stall() }, []string{"--without-nomad"},
			2, "[DID NOT HELP] - resync 29 at ", 1, 3},
		"environment lost after a restart": {4, func(s *site) { s.Lose(29) }, nil,
			1, "Poseidon does not know this environment; do: synchronise it in CodeOcean", 0, 0},
		"the statistics crash": {4, func(s *site) { s.Crash() }, nil,
			3, "[NO ANSWER] - resync 29 at ", 0, 0},
		"Nomad was killed": {0, func(s *site) { s.KillNomad() }, nil,
			1, "2 of 2 environments are low at once (10 and 29): an outage", 0, 0},
		"Nomad has no leader": {0, func(s *site) { s.Set(29, 4, 0, 0); s.nomad.Handle("/v1/jobs", nil); s.nomad.LoseQuorum(0) }, nil,
			1, "while Nomad cannot be asked a resync could end runners and start none", 0, 0},
		"Nomad has no room": {0, func(s *site) { s.Set(29, 4, 0, 1); s.Crowd() }, nil,
			2, "did not help: idle 0/4 → 0/4 after 1m 30s, up to 1 used runner ended: cannot resync environment 29", 1, 1},
		"recovered by itself": {4, func(*site) {}, nil,
			0, "nothing to do: the pool has recovered: 4/4", 0, 0},
		"Poseidon is gone": {4, func(s *site) { s.Close() }, nil,
			3, "Poseidon could not be asked: cannot read the statistics: connection refused", 0, 0},
		"an HTML page": {4, func(s *site) { s.answers(statistics, "<html>login</html>") }, nil,
			3, "HTML page", 0, 0},
		"half an answer": {4, func(s *site) { s.answers(statistics, `{"29":{"id":29,"prew`) }, nil,
			3, "is not statistics of environments", 0, 0},
		"null": {4, func(s *site) { s.answers(statistics, "null") }, nil,
			3, "is not statistics of environments", 0, 0},
		"a count is missing": {4, func(s *site) { s.answers(statistics, `{"29":{"id":29,"prewarmingPoolSize":4,"usedRunners":0}}`) }, nil,
			3, "is not statistics of environments", 0, 0},
		"no environments": {4, func(s *site) { s.answers(statistics, "{}") }, nil,
			1, "does not know this environment", 0, 0},
		"a configuration of another": {0, func(s *site) {
			s.Set(29, 4, 0, 0)
			s.answers("/api/v1/execution-environments/29", poseidontest.Body("execution-environments-id-200.json"))
		}, nil, 3, "it is environment 10", 0, 0},
		"an empty configuration": {0, func(s *site) {
			s.Set(29, 4, 0, 0)
			s.answers("/api/v1/execution-environments/29", "")
		}, nil, 3, "handler crashed", 0, 0},
		"a proxy that lets the statistics through only": {0, func(s *site) {
			s.Set(29, 4, 0, 2)
			s.Handle("/api/v1/execution-environments/29", func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, "<html>nginx</html>")
			})
		}, nil, 3, "(404 with an HTML page: a proxy or a login page?); do: is the address Poseidon's", 0, 0},
		"its host is in a downtime": {0, func(s *site) { s.Set(29, 4, 0, 0) },
			[]string{"--state", "CRITICAL", "--state-type", "HARD", "--downtime-depth", "0", "--host-downtime-depth", "1"},
			0, "nothing to do: the service's host is in a downtime", 0, 0},
		"Nomad shows nothing": {0, func(s *site) { s.Set(29, 4, 0, 0); s.nomad.Handle("/v1/jobs", poseidontest.Jobs(nil)) }, nil,
			1, "no job of Poseidon's at all", 0, 0},
		"the token is wrong": {4, func(s *site) { s.Token("right") }, nil,
			3, "wants a token (401)", 0, 0},
		"dry run": {0, func(s *site) { s.Set(29, 4, 0, 1) }, []string{"--dry-run"},
			0, "would resync: 0/4 runners are idle, and it ends 1 used runner", 0, 0},
		"OK": {0, func(s *site) { s.Set(29, 4, 0, 0) }, []string{"--state", "OK", "--state-type", "HARD", "--downtime-depth", "0", "--host-downtime-depth", "0"},
			0, "nothing to do: the service is OK", 0, 0},
		"no state directory": {0, func(s *site) { s.dir = filepath.Join(s.dir, "none"); s.Set(29, 4, 0, 0) }, nil,
			1, "there is no state directory; do: as root: install -d", 0, 0},
		"no state directory, dry run": {0, func(s *site) { s.dir = filepath.Join(s.dir, "none"); s.Set(29, 4, 0, 0) }, []string{"--dry-run"},
			1, "there is no state directory; do: as root: install -d", 0, 0},
		"after the PUT the statistics are refused": {0, func(s *site) {
			s.Set(29, 4, 0, 3)
			s.Handle("/api/v1/execution-environments/29", func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					s.Handle(statistics, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
					w.WriteHeader(http.StatusNoContent)
					return
				}
				_, _ = io.WriteString(w, `{"id":29,"image":"x","prewarmingPoolSize":4}`)
			})
		}, nil, 2, "it is not known whether it helped: the pool could not be seen 1m 30s later, 3 used runners ended: cannot read the statistics: ", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, row.idle)
			row.prepare(s)
			s.by.moment = clockOf(s)
			code, text := s.call(t, row.args...)
			first, _, _ := strings.Cut(text, "\n")
			if code != row.code || !strings.Contains(first, row.says) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, row.code, row.says, text)
			}
			if s.Puts(29) != row.puts || s.Killed(29) != row.killed {
				t.Errorf("%d PUTs ended %d used runners, want %d and %d", s.Puts(29), s.Killed(29), row.puts, row.killed)
			}
			if !strings.Contains(text, "\n    time=") || !strings.Contains(text, "environment=29") {
				t.Errorf("no log line:\n%s", text)
			}
		})
	}
}

// TestLifeHangs holds that what hangs leaves the time to tell it, and that Icinga, which hangs too, does not change the exit code.
func TestLifeHangs(t *testing.T) {
	forever := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts by its backlog, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for name, row := range map[string]struct {
		prepare func(*site)
		code    int
		says    []string
	}{
		"Nomad":    {func(s *site) { s.nomad.Handle("/v1/jobs", forever) }, 1, []string{"[REFUSED] - resync 29 at "}},
		"Poseidon": {func(s *site) { s.Handle(statistics, forever) }, 3, []string{"[NO ANSWER] - resync 29 at ", "Poseidon could not be asked: cannot read the statistics: no answer from "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 0)
			s.Set(29, 4, 0, 0)
			row.prepare(s)
			var out strings.Builder
			code := plugin.Main(t.Context(), program(s.by), []string{"--environment", "29", "--address", s.URL(), "--nomad-address", s.nomad.URL(), "--state-dir", s.dir,
				"--timeout", "2s", "--icinga-url", "https://" + listener.Addr().String(), "--icinga-host", "learn", "--icinga-service", "pool 29"}, []string{"ICINGA_AUTH=a:password"}, &out)
			text := out.String()
			for _, say := range append(row.says, "the comment could not be added: ", "\n    time=") {
				if code != row.code || !strings.Contains(text, say) {
					t.Errorf("exit code %d, want %d and %q:\n%s", code, row.code, say, text)
				}
			}
		})
	}
}

// TestLifeWithoutFiles holds that a secret that cannot be read costs what it is for and nothing else, and that the line is logged.
func TestLifeWithoutFiles(t *testing.T) {
	icinga := []string{"--icinga-url", "https://127.0.0.1:1", "--icinga-host", "learn", "--icinga-service", "pool 29"}
	ok := []string{"--state", "OK", "--state-type", "HARD", "--downtime-depth", "0", "--host-downtime-depth", "0"}
	for name, row := range map[string]struct {
		args []string
		code int
		says []string
		puts int
	}{
		"login":                      {append([]string{"--icinga-auth-file", "/nonexistent"}, icinga...), 0, []string{"[DONE] - ", "the comment could not be added: --icinga-auth-file: cannot read /nonexistent"}, 1},
		"authority":                  {append([]string{"--icinga-ca-file", "/nonexistent"}, icinga...), 0, []string{"[DONE] - ", "the comment could not be added: --icinga-ca-file: cannot read /nonexistent"}, 1},
		"token":                      {[]string{"--token-file", "/nonexistent"}, 3, []string{"[NO ANSWER] - resync 29 at ", "Poseidon could not be asked: --token-file: cannot read /nonexistent"}, 0},
		"token, at recovery":         {append([]string{"--token-file", "/nonexistent"}, ok...), 0, []string{"[DONE] - ", "the service is OK", "the marker of "}, 0},
		"login, at recovery":         {append(append([]string{"--icinga-auth-file", "/nonexistent"}, icinga...), ok...), 0, []string{"[DONE] - ", "the service is OK", "the marker of "}, 0},
		"wrong options, at recovery": {append([]string{"--icinga-url", "http://127.0.0.1", "--nomad-address", "10.0.0.1"}, ok...), 0, []string{"[DONE] - ", "the service is OK", "the marker of "}, 0},
		"wrong options":              {[]string{"--icinga-url", "http://127.0.0.1"}, 3, []string{"[NO ANSWER] - resync 29 at ", "--icinga-url is not of the form https://"}, 0},
		"Nomad's token":              {[]string{"--nomad-token-file", "/nonexistent"}, 3, []string{"--nomad-token-file: cannot read /nonexistent"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, 0)
			s.by.moment = clockOf(s)
			logged := 0
			s.by.log = func(context.Context, slog.Record) error { logged++; return nil }
			s.Set(29, 4, 0, 0)
			if strings.HasSuffix(name, "at recovery") {
				r := ago(0, DidNotHelp)
				r.Boot = "another"
				if err := s.store().write(environmentKey(29), r); err != nil {
					t.Fatal(err)
				}
			}
			var out strings.Builder
			args := append([]string{"--environment", "29", "--address", s.URL(), "--nomad-address", s.nomad.URL(), "--state-dir", s.dir}, row.args...)
			code := plugin.Main(t.Context(), program(s.by), args, []string{"ICINGA_AUTH=a:password"}, &out)
			lines := 1
			for _, says := range row.says {
				if !strings.Contains(out.String(), says) {
					t.Errorf("lacks %q", says)
				}
				if strings.HasPrefix(says, "the comment could not be added") {
					lines++
				}
			}
			if code != row.code || s.Puts(29) != row.puts || logged != lines {
				t.Errorf("exit code %d, %d PUTs, %d lines logged; want %d, %d and %d:\n%s", code, s.Puts(29), logged, row.code, row.puts, lines, out.String())
			}
			if r, err := s.store().read(environmentKey(29)); err != nil || r.Outcome == DidNotHelp {
				t.Errorf("remembers %+v, %v", r, err)
			}
		})
	}
}

// TestLifeWithoutALogin holds that a comment which nobody may add keeps no pool from being refilled.
func TestLifeWithoutALogin(t *testing.T) {
	s := newSite(t, 0)
	s.by.moment = clockOf(s)
	s.Set(29, 4, 0, 0)
	code, text := s.call(t, "--icinga-url", "https://127.0.0.1:1", "--icinga-host", "learn", "--icinga-service", "pool 29")
	if code != 0 || s.Puts(29) != 1 || !strings.Contains(text, "the comment could not be added: --icinga-url needs a login, USER:PASSWORD in --icinga-auth-file or ICINGA_AUTH") {
		t.Errorf("exit code %d, %d PUTs: %s", code, s.Puts(29), text)
	}
}

// TestLifeRejected holds that what was not begun leaves no record: a PUT that Poseidon itself rejected unread, and a command that
// cannot start. The next call may act. Any other refusal may be a proxy's while Poseidon is at it, so there is no second PUT.
func TestLifeRejected(t *testing.T) {
	type row struct {
		idle   int // in Nomad
		status int
		body   string
		args   []string
		says   string
		do     string
	}
	restart := func(command string) []string { return []string{"--restart-command", command} }
	const resync = "the resync was not begun: cannot resync environment 29: "
	notBegun := map[string]row{
		"JSON":            {0, 400, poseidontest.Body("execution-environments-id-put-400-json.json"), nil, resync, "do: is this the address of Poseidon"},
		"type":            {0, 400, poseidontest.Body("execution-environments-id-put-400-type.json"), nil, resync, "do: is this the address of Poseidon"},
		"login":           {0, 401, "", nil, resync, "do: give server.token"},
		"no such command": {4, 0, "", restart("/nonexistent/systemctl restart poseidon"), "the restart was not begun: /nonexistent/systemctl: ", "do: see that --restart-command names a program"},
		"no program":      {4, 0, "", restart("/etc/passwd"), "the restart was not begun: /etc/passwd: ", "do: see that"},
	}
	const mayBe = "did not help: idle 0/4 → 0/4 after 1m 30s, up to 3 used runners ended: cannot resync environment 29: "
	inDoubt := map[string]row{}
	for _, status := range []int{301, 302, 308, 400, 401, 403, 404, 405, 408, 429, 499, 502, 504} {
		inDoubt[strconv.Itoa(status)] = row{status: status, body: "<html>sorry</html>", says: mayBe}
	}
	call := func(t *testing.T, r row, puts *int) *site {
		s := newSite(t, r.idle)
		s.by.moment = clockOf(s)
		s.Set(29, 4, 0, 3)
		s.Handle("/api/v1/execution-environments/29", func(w http.ResponseWriter, q *http.Request) {
			if q.Method == http.MethodPut {
				*puts++
				w.WriteHeader(r.status)
				_, _ = io.WriteString(w, r.body)
				return
			}
			_, _ = io.WriteString(w, `{"id":29,"image":"x","prewarmingPoolSize":4}`)
		})
		return s
	}
	for name, r := range notBegun {
		t.Run(name, func(t *testing.T) {
			s := call(t, r, new(int))
			for range 2 { // the second meets no marker and no cooldown
				code, text := s.call(t, r.args...)
				first, _, _ := strings.Cut(text, "\n")
				if code != 3 || !strings.Contains(first, r.says) || !strings.Contains(first, r.do) || strings.Contains(first, "restart Poseidon") {
					t.Errorf("exit code %d, want 3, %q and %q:\n%s", code, r.says, r.do, text)
				}
			}
			for _, key := range []string{environmentKey(29), restartKey} {
				if r, err := s.store().read(key); err != nil || r.exists() {
					t.Errorf("remembers %+v, %v", r, err)
				}
			}
		})
	}
	for name, r := range inDoubt {
		t.Run(name, func(t *testing.T) {
			puts := 0
			s := call(t, r, &puts)
			code, text := s.call(t)
			if first, _, _ := strings.Cut(text, "\n"); code != 2 || !strings.Contains(first, r.says) {
				t.Errorf("exit code %d, want 2 and %q:\n%s", code, r.says, text)
			}
			if code, text := s.call(t); code != 1 || puts != 1 || (r.status < 500) == strings.Contains(text, "restart Poseidon") {
				t.Errorf("the next call: exit code %d, %d PUTs:\n%s", code, puts, text)
			}
		})
	}
}

// clockOf is this machine's clock, moved on by what the handler waited.
func clockOf(s *site) func() Moment {
	began := thisMoment()
	return func() Moment {
		now := began
		now.Wall, now.Uptime = now.Wall.Add(s.Clock()), now.Uptime+s.Clock()
		return now
	}
}

// TestLifeAfterFailure goes on after a resync that did not help: it is not repeated, until the service recovers.
func TestLifeAfterFailure(t *testing.T) {
	s := newSite(t, 0)
	s.by.moment = clockOf(s)
	s.Set(29, 4, 0, 0)
	s.Crowd()
	bad := []string{"--state", "CRITICAL", "--state-type", "SOFT", "--attempt", "6", "--downtime-depth", "0", "--host-downtime-depth", "0", "--cooldown", "0"}
	for i, step := range []struct {
		args []string
		code int
		says string
		puts int
	}{
		{bad, 2, "it is not repeated until the service recovers, or --force; do: add capacity to Nomad's clients: nomad node status", 1},
		{bad, 1, "did not help (idle 0/4 → 0/4); do: add capacity to Nomad's clients", 1},
		{[]string{"--state", "OK", "--state-type", "HARD", "--downtime-depth", "0", "--host-downtime-depth", "0"}, 0, "the service is OK", 1},
		{bad, 2, "did not help", 2},
		{[]string{"--force", "--cooldown", "0"}, 2, "did not help", 3},
	} {
		code, text := s.call(t, step.args...)
		if code != step.code || !strings.Contains(text, step.says) || s.Puts(29) != step.puts {
			t.Fatalf("step %d: exit code %d, %d PUTs, want %d, %d and %q:\n%s", i, code, s.Puts(29), step.code, step.puts, step.says, text)
		}
	}
}

func TestUsage(t *testing.T) {
	s := newSite(t, 0)
	for args, want := range map[string]string{
		"":                                  "--environment ID is needed",
		"--environment -1":                  "not a number in decimal digits",
		"--environment 0x1d":                "not a number in decimal digits",
		"--environment 1_0":                 "not a number in decimal digits",
		"--environment 10 --environment 29": "it is given twice",
		"--environment 29 --state CRITICAL --state-type SOFT --attempt 0x6":                                      "not a number in decimal digits",
		"--environment 29 --state CRITICAL --state-type HARD --attempt 1":                                        "--state needs --downtime-depth",
		"--environment 29 --state OK --state-type HARD":                                                          "--state needs --downtime-depth",
		"--environment 29 --state-dir state":                                                                     "--state-dir must begin with /",
		"--environment 29 --on never":                                                                            "--on",
		"--environment 29 --state bad":                                                                           "a state is ok, warning, critical or unknown",
		"--environment 29 --state OK":                                                                            "--state needs --state-type",
		"--environment 29 --state= --state-type= --attempt 0":                                                    "a state is ok, warning, critical or unknown",
		"--environment 29 --attempt 6":                                                                           "need --state",
		"--environment 29 --state-type HARD":                                                                     "need --state",
		"--environment 29 --state CRITICAL --state-type SOFT":                                                    "needs --attempt",
		"--environment 29 --state CRITICAL --state-type HARD --downtime-depth -1":                                "not a number in decimal digits",
		"--environment 29 --spare-used sometimes":                                                                "auto, always or never",
		"--environment 29 --state CRITICAL --state-type HARD --downtime-depth 0":                                 "--state needs --host-downtime-depth",
		"--environment 29 --force --state CRITICAL --state-type HARD --downtime-depth 0 --host-downtime-depth 0": "--force is for calls by hand",
		"--environment 29 --without-nomad --restart-command true":                                                "needs Nomad",
		"--environment 29 --state-dir=":                                                                          "--state-dir must begin with /",
		"--environment 29 --icinga-url https://127.0.0.1:5665":                                                   "--icinga-host",
		"--environment 29 --address poseidon:7200":                                                               "give it as http",
		"--environment 29 --nomad-address 10.0.0.1":                                                              "not a URL",
		"--environment 29 --skip extra":                                                                          "unexpected",
	} {
		var out strings.Builder
		code := plugin.Main(t.Context(), program(s.by), strings.Fields(args), nil, &out)
		if text, _, _ := strings.Cut(out.String(), "\n"); code != 3 || !strings.HasPrefix(text, "[NO ANSWER] - ") || !strings.Contains(text, want) {
			t.Errorf("%s: exit code %d, want %q: %s", args, code, want, text)
		}
	}
}

// TestLifeDecimal holds that 010 is 10, as the check and Poseidon read it, and not 8.
func TestLifeDecimal(t *testing.T) {
	s := newSite(t, 4)
	s.by.moment = clockOf(s)
	s.Set(8, 4, 0, 3)
	s.Set(10, 4, 4, 0)
	var out strings.Builder
	code := plugin.Main(t.Context(), program(s.by), []string{"--environment", "010", "--without-nomad", "--address", s.URL(), "--state-dir", s.dir}, nil, &out)
	if code != 0 || s.Puts(8) != 0 || !strings.HasPrefix(out.String(), "[DONE] - resync 10 at ") {
		t.Errorf("exit code %d, %d PUTs of 8: %s", code, s.Puts(8), out.String())
	}
}
