//go:build integration && linux

package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"overdue/internal/nomad/nomadtest"
	"overdue/internal/poseidon/poseidontest"
	"overdue/test/realicinga"
)

const poseidonToken = "poseidon-token-that-nobody-may-see"

// learning is Poseidon with two environments, and the Nomad below it.
type learning struct {
	poseidon *poseidontest.Server
	nomad    *nomadtest.Server
	idle     atomic.Int64 // runners of environment 29 that Nomad has, while fewer than Poseidon's own count
	leader   atomic.Bool
}

func startLearning(t *testing.T) *learning {
	t.Helper()
	l := &learning{poseidon: poseidontest.New(), nomad: nomadtest.New()}
	t.Cleanup(l.poseidon.Close)
	t.Cleanup(l.nomad.Close)
	l.poseidon.Token(poseidonToken)
	l.idle.Store(4)
	l.leader.Store(true)
	l.nomad.Handle("/v1/jobs", func(w http.ResponseWriter, _ *http.Request) {
		if !l.leader.Load() {
			http.Error(w, "No cluster leader", http.StatusInternalServerError)
			return
		}
		idle := l.idle.Load()
		if l.poseidon.Puts(29) > 0 {
			idle = 4
		}
		w.Header().Set("X-Nomad-Index", "1000")
		w.Header().Set("X-Nomad-KnownLeader", "true")
		w.Header().Set("X-Nomad-LastContact", "0")
		_, _ = io.WriteString(w, jobs(map[int]int64{10: 4, 29: idle}))
	})
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	go func() { // the stand-in's clock goes with ours, also where this machine is slow
		for last := time.Now(); ; {
			time.Sleep(50 * time.Millisecond)
			now := time.Now()
			if l.poseidon.Pause(ctx, now.Sub(last)) != nil {
				return
			}
			last = now
		}
	}()
	return l
}

// jobs is Nomad's list of the environments' templates and idle runners.
func jobs(idle map[int]int64) string {
	list := []map[string]any{}
	for id, runners := range idle {
		list = append(list, map[string]any{"ID": fmt.Sprintf("template-%d", id), "Status": "running", "Namespace": "poseidon"})
		for i := range runners {
			list = append(list, map[string]any{"ID": fmt.Sprintf("%d-3d8b031c-ed2a-11f1-b332-%012d", id, i), "Status": "running", "Namespace": "poseidon",
				"SubmitTime": time.Now().Add(-time.Hour).UnixNano(), "JobSummary": map[string]any{"Summary": map[string]any{"default-group": map[string]int{"Running": 1}}}})
		}
	}
	text, _ := json.Marshal(list)
	return string(text)
}

// host is one with Poseidon on it; icingaAt is the node that handlers comment to, if any. more are further lines.
func (l *learning) host(t *testing.T, name string, icingaAt *realicinga.Node, more string) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{"token": poseidonToken, "auth": realicinga.User + ":" + realicinga.Password} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report := ""
	if icingaAt != nil {
		report = fmt.Sprintf(`
    icinga_url = "https://%s:%d"
    icinga_auth_file = %q
    icinga_ca_file = %q`, icingaAt.Name, icingaAt.Port, filepath.Join(dir, "auth"), icingaAt.Path("data/certs/ca.crt"))
	}
	return fmt.Sprintf(`object Host %q {
  check_command = "dummy"
  enable_active_checks = false
  vars.poseidon = {
    address = %q
    token_file = %q
    nomad_address = [ %q ]
    environments = {
      "10" = { }
      "29" = { }
    }
  }
  vars.resync = {
    state_dir = %q
    recheck = 0
    no_journal = true%s
  }
  %s
}
`, name, l.poseidon.URL(), filepath.Join(dir, "token"), l.nomad.URL(), t.TempDir(), report, more)
}

const (
	pool29  = "learn!pool 29"
	idle4   = "1 pre-warming pool, 4 of 4 runners idle"
	missing = "environment 29: 0 of 4 runners idle (0 %): really missing"
)

// drain empties the pool: what Poseidon and Nomad then have in common is that nothing is there.
func (l *learning) drain() {
	l.poseidon.Set(29, 4, 0, 0)
	l.idle.Store(0)
}

// handled waits until as many runs of the handler have ended on the node as Icinga has called it there, and returns them.
func handled(t *testing.T, n *realicinga.Node, service string, times int) (runs []string) {
	t.Helper()
	realicinga.Await(t, fmt.Sprintf("%d runs of the handler on %s", times, n.Name), func() error {
		if runs = n.Handled(t, service); len(runs) != times {
			return realicinga.Not("%d runs", len(runs))
		}
		return nil
	})
	return runs
}

// The second incident as Icinga tells and ends it: the pool runs empty, is looked at for five minutes, and is refilled once.
func TestIcingaRefillsThePool(t *testing.T) {
	l := startLearning(t)
	n := icinga(t)
	n.Write(t, "zones.d/localhost/hosts.conf", l.host(t, "learn", n, ""))
	sink := influx(t, n)
	n.Start(t)

	follow(t, n, pool29, step{"OK HARD", idle4})
	l.drain()
	for attempt := 1; attempt <= 5; attempt++ {
		follow(t, n, pool29, step{fmt.Sprintf("CRITICAL SOFT %d", attempt), missing})
	}
	handled(t, n, pool29, 6)
	if puts := l.poseidon.Puts(29); puts != 0 {
		t.Fatalf("%d PUTs before the fifth minute", puts)
	}
	l.leader.Store(false) // at attempt 6 the handler refuses, and Nomad comes back before attempt 7
	follow(t, n, pool29, step{"CRITICAL SOFT 6", ""})
	comment(t, n, pool29, "refused")
	if puts := l.poseidon.Puts(29); puts != 0 {
		t.Fatalf("%d PUTs without a leader", puts)
	}
	l.leader.Store(true)
	follow(t, n, pool29, step{"CRITICAL SOFT 7", missing})
	comment(t, n, pool29, "idle 0/4 → 4/4")
	follow(t, n, pool29, step{"OK HARD", idle4})
	handled(t, n, pool29, 9)

	// The same evening it runs dry again: HARD, and people are told, as the cooldown is not over.
	l.poseidon.Set(29, 4, 0, 0)
	if puts := l.poseidon.Puts(29); puts != 0 { // Set makes it anew
		t.Fatal(puts)
	}
	for attempt := 1; attempt <= 7; attempt++ {
		follow(t, n, pool29, step{fmt.Sprintf("CRITICAL SOFT %d", attempt), "environment 29: 0 of 4 runners idle"})
	}
	follow(t, n, pool29, step{"CRITICAL HARD", "environment 29: 0 of 4 runners idle"})
	handled(t, n, pool29, 17)
	comment(t, n, pool29, "--cooldown is 30m")
	if puts := l.poseidon.Puts(29); puts != 0 {
		t.Errorf("%d PUTs within the cooldown", puts)
	}
	sink.await(t, "prewarm_pool,hostname=learn,service=pool\\ 29,metric=environment_29_missing_percent ", "crit=75", "warn=50", "value=100")
	validPoints(t, n)
}

// comment waits until the handler has left a comment that says so.
func comment(t *testing.T, n *realicinga.Node, service, says string) {
	t.Helper()
	realicinga.Await(t, "a comment", func() error {
		texts := n.Comments(t, service)
		for _, text := range texts {
			if strings.HasPrefix(text, "resync_prewarm_pool: ") && strings.Contains(text, says) {
				fmt.Fprintf(t.Output(), "\ncomment         %s\n%s\n", service, text)
				return nil
			}
		}
		return realicinga.Not("none says %q: %q", says, texts)
	})
}

// Icinga calls the handler in a downtime too (facts 0.4), of the service or of its host, and counts the two apart; it does nothing then.
func TestIcingaRefillsNothingInADowntime(t *testing.T) {
	for kind, of := range map[string]string{"Service": pool29, "Host": "learn"} {
		t.Run(kind, func(t *testing.T) {
			l := startLearning(t)
			n := icinga(t)
			n.Write(t, "zones.d/localhost/hosts.conf", l.host(t, "learn", n, ""))
			n.Start(t)
			follow(t, n, pool29, step{"OK HARD", idle4})
			now := time.Now().Unix()
			n.Act(t, "schedule-downtime", map[string]any{"type": kind, strings.ToLower(kind): of, "author": "test", "comment": "maintenance", "start_time": now - 60, "end_time": now + 3600, "fixed": true})
			l.drain()
			for attempt := 1; attempt <= 8; attempt++ {
				n.Check(t, pool29)
			}
			if got := n.Service(t, pool29); got.String() != "CRITICAL HARD" {
				t.Fatalf("%s", got)
			}
			handled(t, n, pool29, 9)
			for _, request := range l.poseidon.Requests() {
				if !strings.HasPrefix(request, "GET /api/v1/statistics/") {
					t.Errorf("%s in a downtime", request)
				}
			}
		})
	}
}

// A Poseidon that is dead alarms once, by a service that no pool's state moves: the pools depend on it.
func TestIcingaAndADeadPoseidon(t *testing.T) {
	l := startLearning(t)
	n := icinga(t)
	n.Write(t, "zones.d/localhost/hosts.conf", l.host(t, "learn", nil, ""))
	n.Start(t)
	const poseidon = "learn!poseidon"
	l.poseidon.Set(10, 4, 0, 0)
	l.drain()
	follow(t, n, poseidon, step{"OK HARD", "2 pre-warming pools, 0 of 8 runners idle"})
	if got := follow(t, n, pool29, step{"CRITICAL SOFT 2", "2 of 2 pools low at once: an outage"}); !got.Reachable {
		t.Errorf("the alarm of %s is held back while Poseidon answers", pool29)
	}
	l.poseidon.Close()
	dead := step{"CRITICAL HARD", "connection refused"}
	follow(t, n, poseidon, step{"CRITICAL SOFT 1", "connection refused"}, step{"CRITICAL SOFT 2", "connection refused"}, dead)
	for _, pool := range []string{"learn!pool 10", pool29} {
		if got := n.Check(t, pool); got.Reachable || got.Result.Exit != 2 {
			t.Errorf("%s is %s, reachable %v: it would alarm as well", pool, got, got.Reachable)
		}
	}
}
