package prewarm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"overdue/internal/nomad/nomadtest"
	"overdue/internal/plugin"
	"overdue/internal/poseidon/poseidontest"
)

// run runs the plugin in this process.
func run(t *testing.T, env []string, args ...string) (string, int) {
	t.Helper()
	var out strings.Builder
	code := plugin.Main(t.Context(), program(func(ctx context.Context, _ time.Duration) error { return ctx.Err() }), args, env, &out)
	return out.String(), code
}

func start(t *testing.T) *poseidontest.Server {
	t.Helper()
	s := poseidontest.New()
	t.Cleanup(s.Close)
	return s
}

// jobs is Nomad's list of the templates and idle runners of two environments.
func jobs(t *testing.T, counts map[int]Runners) string {
	t.Helper()
	list := []map[string]any{}
	for id, r := range counts {
		list = append(list, map[string]any{"ID": fmt.Sprintf("template-%d", id), "Status": r.Template, "Namespace": "poseidon"})
		for i := range r.Running + r.Starting {
			summary := map[string]int{"Running": 1}
			if i >= r.Running {
				summary = map[string]int{"Starting": 1}
			}
			list = append(list, map[string]any{"ID": fmt.Sprintf("%d-3d8b031c-ed2a-11f1-b332-%012d", id, i), "Status": "running", "Namespace": "poseidon",
				"SubmitTime": noon.UnixNano(), "JobSummary": map[string]any{"Summary": map[string]any{"default-group": summary}}})
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func startNomad(t *testing.T, counts map[int]Runners) *nomadtest.Server {
	t.Helper()
	s := nomadtest.New()
	t.Cleanup(s.Close)
	s.Handle("/v1/jobs", listing(t, counts))
	return s
}

func listing(t *testing.T, counts map[int]Runners) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if filter := r.URL.Query().Get("filter"); filter != idleRunners {
			t.Errorf("filter %q", filter)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Nomad-Index", "1")
		_, _ = io.WriteString(w, jobs(t, counts))
	}
}

func TestOneRequest(t *testing.T) {
	s := start(t)
	out, code := run(t, nil, "--address", s.URL())
	if code != 0 || !strings.HasPrefix(out, "[OK] - 2 pre-warming pools, 8 of 8 runners idle\n") || len(s.Requests()) != 1 {
		t.Errorf("exit %d, %q: %s", code, s.Requests(), out)
	}
}

// One pool through its life (time lines resync-without-builtin-reload and nomad-hang-and-kill).
func TestLife(t *testing.T) {
	s := start(t)
	s.Set(30, 4, 4, 0)
	for _, step := range []struct {
		change func()
		code   int
		says   string
	}{
		{func() {}, 0, "[OK] - 1 pre-warming pool, 4 of 4 runners idle"},
		{func() { s.Set(29, 4, 1, 1) }, 1, "[WARNING] - environment 29: 1 of 4 runners idle (25 %), 1 used: what Nomad runs is not known"},
		{func() { s.Set(29, 4, 0, 2) }, 2, "[CRITICAL] - environment 29: 0 of 4 runners idle (0 %), 2 used"},
		{func() { s.KillNomad() }, 2, "[CRITICAL] - Poseidon: 3 of 3 pools low at once: an outage"},
		{func() { s.Set(29, 4, 5, 0); s.Set(10, 4, 4, 0) }, 0, "[OK] - 1 pre-warming pool, 5 of 4 runners idle"},
		{func() { s.Lose(29) }, 2, "[CRITICAL] - environment 29: Poseidon does not know it"},
		{s.Crash, 2, "[CRITICAL] - cannot read the statistics: Poseidon's handler crashed"},
		{s.Close, 2, "[CRITICAL] - cannot read the statistics: connection refused by http://127.0.0.1:"},
	} {
		step.change()
		out, code := run(t, nil, "--address", s.URL(), "--environment", "29")
		if code != step.code || !strings.HasPrefix(out, step.says) {
			t.Errorf("exit %d, want %d with %q: %s", code, step.code, step.says, out)
		}
		_, points, _ := strings.Cut(out, "|")
		var labels []string
		for point := range strings.FieldsSeq(points) {
			label, _, _ := strings.Cut(point, "=")
			labels = append(labels, label)
		}
		if want := strings.Fields("environments environments_low environments_stale idle used size missing_percent environment_29_idle environment_29_used environment_29_size environment_29_missing_percent"); !slices.Equal(labels, want) {
			t.Errorf("%s: labels %q", step.says, labels)
		}
	}
	for _, asked := range s.Requests() {
		if asked != "GET /api/v1/statistics/execution-environments" {
			t.Errorf("asked %s", asked)
		}
	}
}

func TestCrossCheck(t *testing.T) {
	running := func(n, starting int) Runners { return Runners{Running: n, Starting: starting, Template: "running"} }
	for name, c := range map[string]struct {
		idle int
		runs Runners
		code int
		says string
	}{
		"lost":    {1, running(4, 0), 1, "lost in Poseidon's memory: Nomad runs 4 idle"},
		"missing": {1, running(1, 0), 1, "really missing: Nomad runs 1 idle, and none is starting"},
		"filling": {1, running(1, 3), 1, "3 more starting or waiting for room"},
		"stale":   {4, running(1, 0), 1, "Poseidon's statistics are stale (4 of 4 runners idle): Nomad runs 1"},
		"fine":    {4, running(4, 0), 0, "[OK]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.Set(29, 4, c.idle, 0)
			s.Set(30, 4, 4, 0)
			servers := startNomad(t, map[int]Runners{10: running(4, 0), 29: c.runs, 30: running(4, 0)})
			out, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL())
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit %d: %s", code, out)
			}
			if command := "resync_prewarm_pool --environment 29 --address " + s.URL() + "\n"; name == "missing" && !strings.Contains(out, command) {
				t.Errorf("what it advises is about another Poseidon than %q: %s", command, out)
			}
		})
	}
}

// A resync between the reads of Poseidon and of Nomad looks like a loss; the second look tells.
func TestSecondLook(t *testing.T) {
	s := start(t)
	s.Set(29, 4, 4, 0)
	runs := func(n int) map[int]Runners {
		return map[int]Runners{10: {Running: 4, Template: "running"}, 29: {Running: n, Template: "running"}}
	}
	servers := startNomad(t, runs(1))
	asked := 0
	second := listing(t, runs(4))
	first := listing(t, runs(1))
	servers.Handle("/v1/jobs", func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			first(w, r)
			return
		}
		second(w, r)
	})
	if out, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL()); code != 0 || asked != 2 {
		t.Errorf("exit %d after %d looks: %s", code, asked, out)
	}
	asked = -1000
	first = second
	second = listing(t, runs(1))
	servers.Handle("/v1/jobs", second)
	if out, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL()); code != 1 || !strings.Contains(out, "stale") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// Two Poseidons in one cluster: their counts are not added up.
func TestTwoNamespaces(t *testing.T) {
	s := start(t)
	s.Set(29, 4, 0, 0)
	s.Set(30, 4, 4, 0)
	servers := startNomad(t, nil)
	servers.Handle("/v1/jobs", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Nomad-Index", "1")
		const one = `{"ID":"29-3d8b031c-%d","Namespace":%q,"Status":"running","JobSummary":{"Summary":{"default-group":{"Running":1}}}}`
		list := []string{fmt.Sprintf(one, 1, "staging"), fmt.Sprintf(one, 2, "staging"), fmt.Sprintf(one, 3, "staging")}
		if r.URL.Query().Get("namespace") == "*" {
			list = append(list, `{"ID":"template-29","Namespace":"prod","Status":"running"}`)
		}
		_, _ = io.WriteString(w, "["+strings.Join(list, ",")+"]")
	})
	out, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL())
	if code != 2 || !strings.Contains(out, "runners are in the namespaces prod and staging") || !strings.Contains(out, "--nomad-namespace") || strings.Contains(out, "lost in") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// Servers that cannot look into groups are asked for each job.
func TestCrossCheckWithoutFilter(t *testing.T) {
	s := start(t)
	s.Set(10, 4, 1, 1)
	s.Lose(29)
	servers := nomadtest.New()
	defer servers.Close()
	servers.Handle("/v1/jobs", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("filter") == idleRunners {
			http.Error(w, "failed to create filter evaluator", http.StatusBadRequest)
			return
		}
		w.Header().Set("X-Nomad-Index", "1")
		_, _ = io.WriteString(w, poseidontest.Body("nomad-jobs-list.json"))
	})
	servers.Job("default", "10-2f02aadb-ed2a-11f1-b332-020000000001", poseidontest.Body("nomad-job-runner-used.json"))
	servers.Job("default", "10-3809a2ea-ed2a-11f1-b332-020000000001", poseidontest.Body("nomad-job-runner-unused.json"))
	out, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL())
	if code != 1 || !strings.HasPrefix(out, "[WARNING] - environment 10: 1 of 4 runners idle (25 %), 1 used: really missing: Nomad runs 1 idle") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// The recorded answer of Nomad 1.6.3 to the filter.
func TestRecordedRunners(t *testing.T) {
	s := start(t)
	servers := nomadtest.New()
	defer servers.Close()
	servers.Handle("/v1/jobs", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Nomad-Index", "1")
		_, _ = io.WriteString(w, poseidontest.Body("nomad-jobs-filter-unused.json"))
	})
	s.Set(10, 8, 3, 0)
	out, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL(), "--environment", "10")
	if code != 1 || !strings.Contains(out, "Nomad runs 4 idle") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// What goes wrong with Nomad leaves Poseidon's counts to be told, in time.
func TestNomadTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*nomadtest.Server)
		says    string
	}{
		"nothing to see": {func(s *nomadtest.Server) { s.Handle("/v1/jobs", nothing) }, "it shows no job of Poseidon's at all"},
		"no leader":      {func(s *nomadtest.Server) { s.LoseQuorum(time.Hour) }, "leader"},
		"no right":       {(*nomadtest.Server).ACLs, "there is no token: give --nomad-token-file or NOMAD_TOKEN"},
		"gone":           {(*nomadtest.Server).Close, "connection refused"},
		"hangs":          {func(s *nomadtest.Server) { s.Handle("/v1/jobs", hang) }, "no answer from"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.Set(29, 4, 0, 0)
			s.Set(30, 4, 4, 0)
			servers := nomadtest.New()
			t.Cleanup(servers.Close)
			c.prepare(servers)
			out, code := run(t, []string{"NOMAD_ADDR=" + servers.URL()}, "--address", s.URL(), "-t", "1s")
			if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - environment 29: 0 of 4 runners idle") || !strings.Contains(out, c.says) {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// All pools are low. Only what Nomad itself says, or its silence, tells that it starts no runners.
func TestWhatTellsThatNomadIsOut(t *testing.T) {
	const out = "Nomad cannot start runners"
	for name, c := range map[string]struct {
		start   func(...string) *nomadtest.Server
		prepare func(*nomadtest.Server)
		isOut   bool
	}{
		"no leader":         {nomadtest.New, func(s *nomadtest.Server) { s.LoseQuorum(time.Hour) }, true},
		"gone":              {nomadtest.New, (*nomadtest.Server).Close, true},
		"hangs":             {nomadtest.New, func(s *nomadtest.Server) { s.Handle("/v1/jobs", hang) }, true},
		"no right":          {nomadtest.New, (*nomadtest.Server).ACLs, false},
		"too many jobs":     {nomadtest.New, func(s *nomadtest.Server) { s.Handle("/v1/jobs", tooMany) }, false},
		"a login page":      {nomadtest.New, func(s *nomadtest.Server) { s.Handle("/v1/jobs", page) }, false},
		"unknown authority": {nomadtest.NewTLS, func(*nomadtest.Server) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.Set(10, 4, 0, 0)
			s.Set(29, 4, 0, 0)
			servers := c.start()
			t.Cleanup(servers.Close)
			c.prepare(servers)
			told, code := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL(), "-t", "1s")
			if code != 2 || !strings.HasPrefix(told, "[CRITICAL] - Poseidon: 2 of 2 pools low at once") || strings.Contains(told, out) != c.isOut {
				t.Errorf("exit %d: %s", code, told)
			}
			if name == "unknown authority" && !strings.Contains(told, "do: name the right one with --nomad-ca-file") {
				t.Errorf("the option is not named: %s", told)
			}
		})
	}
}

func tooMany(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("filter") == idleRunners {
		http.Error(w, "failed to create filter evaluator", http.StatusBadRequest)
		return
	}
	w.Header().Set("X-Nomad-Index", "1")
	list := strings.Repeat(`{"ID":"10-a","Status":"running","Namespace":"default"},`, mostJobs)
	_, _ = io.WriteString(w, "["+list+`{"ID":"10-b","Status":"running","Namespace":"default"}]`)
}

func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<html>Please log in</html>")
}

func nothing(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Nomad-Index", "1")
	_, _ = io.WriteString(w, "[]")
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestRecordAndReplay(t *testing.T) {
	s := start(t)
	s.Token("pSd-t0k3n")
	s.Set(29, 4, 1, 0)
	s.Set(30, 4, 4, 0)
	all := Runners{Running: 4, Template: "running"}
	servers := startNomad(t, map[int]Runners{10: all, 29: all, 30: all})
	file := filepath.Join(t.TempDir(), "case.yaml")
	args := []string{"--address", s.URL(), "--nomad-address", servers.URL()}
	live, code := run(t, []string{"POSEIDON_TOKEN=pSd-t0k3n"}, append(args, "--record", file)...)
	if code != 1 {
		t.Fatalf("exit %d: %s", code, live)
	}
	s.Close()
	servers.Close()
	again, code := run(t, nil, append(args, "--replay", file)...)
	if code != 1 || again != live {
		t.Errorf("exit %d: %s\nwant %s", code, again, live)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--environment", "x"}, "--environment"}, {[]string{"--environment", "-1"}, "not a number in decimal digits"}, {[]string{"--min-idle", "-1"}, "--min-idle"},
		{[]string{"--environment", "0x1d"}, "--environment"}, {[]string{"--environment", "+10"}, "--environment"}, {[]string{"--environment", "10,"}, "--environment"},
		{[]string{"-w", "50"}, "--warning 50 calls an empty pool well"}, {[]string{"-c", "25"}, "write 50:"}, {[]string{"-w", "x"}, "--warning"}, {[]string{"--address", "nonsense"}, "--address"}, {[]string{"--token-file", "/absent"}, "--token-file: cannot read /absent"},
		{[]string{"--unreachable", "ok"}, "--unreachable"},
		{[]string{"--nomad-address", "nonsense"}, "an address in --nomad-address is not a URL; do: give it as http://"},
		{[]string{"--nomad-address", "http://127.0.0.1:1", "--nomad-token-file", "/absent"}, "--nomad-token-file: cannot read /absent"},
		{[]string{"--nomad-address", "http://127.0.0.1:1", "--nomad-client-cert", "/absent"}, "--nomad-client-cert: a client certificate needs its key"},
	} {
		if out, code := run(t, nil, c.args...); code != 3 || !strings.Contains(out, c.says) {
			t.Errorf("%q: exit %d: %s", c.args, code, out)
		}
	}
}
