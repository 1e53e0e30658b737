package evaluation

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/nomad/nomadtest"
	"overdue/internal/plugin"
)

// outcome is what a run against servers named a, b and c comes to, and how long it took in their time.
type outcome struct {
	verdict Verdict
	err     error
	took    time.Duration
	known   bool // the jobs were read
}

// inTime reads and judges within a time that runs at once: the servers hold their answers for as long as real ones did.
func inTime(t *testing.T, timeout time.Duration, servers http.RoundTripper) (o outcome) {
	t.Helper()
	limits := Limits{Warning: plugin.NewTimeRange("5m"), Critical: plugin.NewTimeRange("10m"), BlockedWarning: plugin.NewTimeRange("30m"),
		BlockedCritical: plugin.NewTimeRange("off"), AllocWarning: plugin.NewTimeRange("5m"), AllocCritical: plugin.NewTimeRange("10m"), MinFailureTolerance: 1}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		client, err := nomad.Connect(nomad.Options{Addresses: []string{"http://a", "http://b", "http://c"}}, nomad.Surroundings{
			Pause:     nomad.PauseFor,
			Transport: func(http.RoundTripper) http.RoundTripper { return servers },
		})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		now, err := time.Parse(time.RFC3339, tenPastTwo)
		if err != nil {
			t.Fatal(err)
		}
		r := reader{client: client, note: func(string, ...any) {}, limits: limits, now: now}
		s, err := r.read(ctx)
		o = outcome{verdict: Judge(s, limits, now), err: err, took: time.Since(began), known: s.Jobs != nil}
		if ctx.Err() != nil {
			t.Errorf("the deadline struck: %v", err)
		}
	})
	return o
}

func (o outcome) String() string {
	text := fmt.Sprintf("after %s, jobs known: %t, error: %v", o.took, o.known, o.err)
	for _, f := range o.verdict.Findings {
		text += fmt.Sprintf("\n%s %s: %s: %s", f.State, f.Subject, f.Problem, f.Cause)
	}
	return text
}

func leaderless(s *nomadtest.Server) { s.LoseQuorum(0); s.Speed(1) }

func hung(s *nomadtest.Server) {
	s.Handle("", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// answers makes all but the ping fail, as a server that fails between two questions does, or a gateway before it.
func answers(handler http.HandlerFunc) func(*nomadtest.Server) {
	return func(s *nomadtest.Server) {
		s.Handle("/v1/namespaces", handler)
		s.Handle("/v1/jobs", handler)
	}
}

func text(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); fmt.Fprint(w, body) }
}

// Facts 6: a server can be cut off, hung or behind a gateway that gives up, while the others are well.
func TestOneDoesNotDecide(t *testing.T) {
	page := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		text(504, "<html>Gateway Time-out</html>")(w, r)
	}
	for name, r := range map[string]struct {
		befall func(*nomadtest.Server)
		says   string
		longer time.Duration // than this no run takes: two of three fail
	}{
		"without a leader":            {leaderless, "2 of 3 know no leader", 6 * time.Second},
		"hung":                        {hung, "2 of 3 do not answer", 7 * time.Second},
		"gone":                        {nil, "2 of 3 do not answer", time.Second},
		"without a leader meanwhile":  {answers(text(500, "No cluster leader")), "2 of 3 know no leader", 6 * time.Second},
		"behind a gateway, 502":       {answers(text(502, "Bad Gateway")), "2 of 3 do not answer", time.Second},
		"behind a gateway, 503":       {answers(text(503, "")), "2 of 3 do not answer", time.Second},
		"behind a gateway, 504 page":  {answers(page), "2 of 3 do not answer", time.Second},
		"hung after the ping":         {answers(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "2 of 3 do not answer", 13 * time.Second},
		"no leader, nor an X-Nomad-K": {answers(text(500, "rpc error: No cluster leader")), "2 of 3 know no leader", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			servers := nomadtest.Memory{"c": start(t, incident)}
			if r.befall != nil {
				servers["a"], servers["b"] = start(t, r.befall), start(t, r.befall)
			}
			o := inTime(t, 20*time.Second, servers)
			if o.err != nil || !o.known || !strings.Contains(o.String(), "13 jobs lost") || !strings.Contains(o.String(), r.says) || o.took > r.longer {
				t.Errorf("want %q within %s: %s", r.says, r.longer, o)
			}
		})
	}
}

// Where nobody has a leader that is the verdict, whatever the others do, and within the time that there is.
func TestLeaderlessInTime(t *testing.T) {
	const noLeader = "CRITICAL servers: no leader: they answer: No cluster leader"
	meanwhile := answers(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(5 * time.Second):
			text(500, "No cluster leader")(w, r)
		case <-r.Context().Done():
		}
	})
	for name, r := range map[string]struct {
		servers nomadtest.Memory
		timeout time.Duration
	}{
		"all three":                           {nomadtest.Memory{"a": start(t, leaderless), "b": start(t, leaderless), "c": start(t, leaderless)}, 20 * time.Second},
		"all three, and less time":            {nomadtest.Memory{"a": start(t, leaderless), "b": start(t, leaderless), "c": start(t, leaderless)}, 10 * time.Second},
		"one, the others are gone":            {nomadtest.Memory{"b": start(t, leaderless)}, 20 * time.Second},
		"one, the others hang":                {nomadtest.Memory{"a": start(t, hung), "b": start(t, hung), "c": start(t, leaderless)}, 20 * time.Second},
		"one, a gateway before the others":    {nomadtest.Memory{"a": start(t, answers(text(502, ""))), "b": start(t, answers(text(502, ""))), "c": start(t, leaderless)}, 20 * time.Second},
		"all three, from the first question":  {nomadtest.Memory{"a": start(t, meanwhile), "b": start(t, meanwhile), "c": start(t, meanwhile)}, 20 * time.Second},
		"all three, from the first, and soon": {nomadtest.Memory{"a": start(t, meanwhile), "b": start(t, meanwhile), "c": start(t, meanwhile)}, 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			if o := inTime(t, r.timeout, r.servers); o.err != nil || o.known || !strings.Contains(o.String(), noLeader) || o.took >= r.timeout {
				t.Error(o)
			}
		})
	}
}
