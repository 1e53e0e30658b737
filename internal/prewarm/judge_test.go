package prewarm

import (
	"math"
	"testing"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
	"overdue/internal/poseidon"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// pools are those of environments 10, 29, 30…, each as size, idle, used.
func pools(counts ...[3]int) (out []poseidon.Pool) {
	for i, id := range []int{10, 29, 30, 31, 32, 33}[:len(counts)] {
		out = append(out, poseidon.Pool{ID: id, Size: counts[i][0], Idle: counts[i][1], Used: counts[i][2]})
	}
	return out
}

// runs is what Nomad runs of them, each as running and starting.
func runs(counts ...[2]int) *Nomad {
	n := &Nomad{Environments: map[int]Runners{}}
	for i, id := range []int{10, 29, 30, 31, 32, 33}[:len(counts)] {
		n.Environments[id] = Runners{Running: counts[i][0], Starting: counts[i][1], Fresh: counts[i][1], Newest: noon.Add(-2 * time.Hour), Template: "running"}
	}
	return n
}

// waitingForRoom makes what is starting old.
func waitingForRoom(n *Nomad, id int) *Nomad {
	r := n.Environments[id]
	r.Fresh = 0
	n.Environments[id] = r
	return n
}

func template(n *Nomad, id int, status string) *Nomad {
	r := n.Environments[id]
	r.Template = status
	n.Environments[id] = r
	return n
}

func TestJudge(t *testing.T) {
	full := [3]int{4, 4, 0}
	deaf := &Nomad{Trouble: "cannot list jobs: no cluster leader", Outage: true, Remedy: "see to it"}
	forbidden := &Nomad{Trouble: "cannot list jobs: refused (403)", Remedy: "give its policy list-jobs"}
	for _, r := range []struct {
		name     string // with the report or time line that it comes from
		snapshot Snapshot
		selected []int
		limits   func(*Limits)
		want     judgetest.Want
	}{
		{name: "all full", snapshot: Snapshot{Pools: pools(full, full)}, want: judgetest.Want{State: plugin.OK, Says: []string{"2 pre-warming pools, 8 of 8 runners idle"}}},
		{name: "exactly half stays half for good, and is well (facts 3)", snapshot: Snapshot{Pools: pools(full, [3]int{4, 2, 0})}, want: judgetest.Want{State: plugin.OK}},
		{name: "below half", snapshot: Snapshot{Pools: pools(full, [3]int{5, 2, 0})}, want: judgetest.Want{State: plugin.Warning, Says: []string{"environment 29", "2 of 5 runners idle (40 %)", "learners get errors once they are claimed"}}},
		{name: "a quarter", snapshot: Snapshot{Pools: pools(full, [3]int{4, 1, 3})}, want: judgetest.Want{State: plugin.Warning, Says: []string{"1 of 4 runners idle (25 %), 3 used", "once it is claimed", "it ends the 3 used runners", "--nomad-address"}}},
		{name: "empty", snapshot: Snapshot{Pools: pools(full, [3]int{4, 0, 4})}, want: judgetest.Want{State: plugin.Critical, Says: []string{"0 of 4 runners idle (0 %)", "learners get errors now"}}},
		{name: "size 0 is listed with 0/0, and is well (facts 1)", snapshot: Snapshot{Pools: pools(full, [3]int{0, 0, 0})}, want: judgetest.Want{State: plugin.OK, Says: []string{"1 of size 0"}}},
		{name: "overfull after a hang: 5 of 4 (poseidon#381)", snapshot: Snapshot{Pools: pools([3]int{4, 5, 1}, [3]int{2, 4, 0})}, want: judgetest.Want{State: plugin.OK}},
		{name: "thresholds of the site", snapshot: Snapshot{Pools: pools(full, [3]int{4, 3, 0})}, limits: func(l *Limits) { l.Warning = plugin.NewRange("100:") }, want: judgetest.Want{State: plugin.Warning}},
		{name: "--min-idle", snapshot: Snapshot{Pools: pools([3]int{10, 5, 0}, [3]int{1, 1, 0})}, limits: func(l *Limits) { l.MinIdle = 6 }, want: judgetest.Want{State: plugin.Critical, Says: []string{"environment 10"}, Not: []string{"environment 29"}}},
		{name: "no environment at all", snapshot: Snapshot{}, want: judgetest.Want{State: plugin.Unknown, Says: []string{"knows no environment"}}},

		{name: "lost after a restart (poseidon#522): the key is absent, health is well", snapshot: Snapshot{Pools: pools(full)}, selected: []int{10, 29},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"environment 29 ¶ Poseidon does not know it", "synchronise it in CodeOcean"}}},
		{name: "lost, and Nomad runs its runners unseen", snapshot: Snapshot{Pools: pools(full), Nomad: runs([2]int{4, 0}, [2]int{4, 0})}, selected: []int{29},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"Nomad runs 4 idle runners of it: Poseidon has lost the environment"}}},
		{name: "lost, and nobody named it: Nomad tells (time line builtin-reload-15s, 101 s)", snapshot: Snapshot{Pools: pools(full), Nomad: template(runs([2]int{4, 0}, [2]int{4, 0}), 29, "dead")},
			want: judgetest.Want{State: plugin.Warning, Says: []string{"environment 29 ¶ Poseidon does not know it", "Nomad runs 4 idle runners of it", "synchronise it in CodeOcean"}}},
		{name: "deleted: only its dead job is left", snapshot: Snapshot{Pools: pools(full), Nomad: template(runs([2]int{4, 0}, [2]int{0, 0}), 29, "dead")}, want: judgetest.Want{State: plugin.OK}},
		{name: "lost, but another one is watched", snapshot: Snapshot{Pools: pools(full), Nomad: runs([2]int{4, 0}, [2]int{4, 0})}, selected: []int{10}, want: judgetest.Want{State: plugin.OK}},
		{name: "another environment is low", snapshot: Snapshot{Pools: pools(full, [3]int{4, 0, 0}, full)}, selected: []int{10}, want: judgetest.Want{State: plugin.OK, Not: []string{"29"}}},

		{name: "incident 2 (poseidon#470): events missed, Nomad runs them", snapshot: Snapshot{Pools: pools(full, [3]int{4, 1, 0}, full), Nomad: runs([2]int{4, 0}, [2]int{4, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Warning, Says: []string{"lost in Poseidon's memory: Nomad runs 4 idle", "systemctl restart poseidon", "submitted 2h ago"}, Not: []string{"resync_prewarm_pool"}}},
		{name: "really missing (time line resync-without-builtin-reload)", snapshot: Snapshot{Pools: pools([3]int{4, 1, 1}, full, full), Nomad: runs([2]int{1, 0}, [2]int{4, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Warning, Says: []string{"really missing: Nomad runs 1 idle, and none is starting", "resync_prewarm_pool --environment 10 --spare-used never (it ends the 1 used runner)"}, Not: []string{"restart"}}},
		{name: "only starting (poseidon#399)", snapshot: Snapshot{Pools: pools([3]int{4, 0, 0}, full, full), Nomad: runs([2]int{0, 4}, [2]int{4, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"Nomad runs 0 idle, 4 more starting or waiting for room", "a resync will not help"}, Not: []string{"resync_prewarm_pool"}}},
		{name: "a class claims at once, and the replacements start: nothing is lost (poseidon#399)", snapshot: Snapshot{Pools: pools([3]int{4, 1, 3}, full, full), Nomad: runs([2]int{2, 2}, [2]int{4, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Warning, Says: []string{"Nomad runs 2 idle, 2 more starting"}, Not: []string{"restart", "lost"}}},
		{name: "Nomad learns of a claim 0.2 to 0.5 s later than Poseidon (facts 4)", snapshot: Snapshot{Pools: pools([3]int{4, 1, 3}, full, full), Nomad: runs([2]int{4, 3}, [2]int{4, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Warning, Says: []string{"3 more starting"}, Not: []string{"restart", "lost"}}},
		{name: "lost, and one replacement starts", snapshot: Snapshot{Pools: pools([3]int{4, 0, 4}, full, full), Nomad: runs([2]int{3, 1}, [2]int{4, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"lost in Poseidon's memory: Nomad runs 3 idle"}}},
		{name: "stale (time line event-stream-stalled, 2 s): Poseidon says 4, Nomad runs 1", snapshot: Snapshot{Pools: pools(full, full), Nomad: runs([2]int{1, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Warning, Says: []string{"environment 10 ¶ Poseidon's statistics are stale (4 of 4 runners idle)", "Nomad runs 1, and 0 are starting", "a resync would"}}},
		{name: "stale though half runs: two of four are ghosts", snapshot: Snapshot{Pools: pools(full, full), Nomad: runs([2]int{2, 0}, [2]int{4, 0})}, want: judgetest.Want{State: plugin.Warning, Says: []string{"Poseidon's statistics are stale (4 of 4 runners idle)", "Nomad runs 2"}}},
		{name: "stale, and what is starting has waited for room for days", snapshot: Snapshot{Pools: pools(full, full), Nomad: waitingForRoom(runs([2]int{0, 4}, [2]int{4, 0}), 10)}, want: judgetest.Want{State: plugin.Critical, Says: []string{"stale"}}},
		{name: "low, and Poseidon counts one that Nomad does not run: a resync would go wrong", snapshot: Snapshot{Pools: pools([3]int{4, 1, 3}, full, full), Nomad: runs([2]int{0, 0}, [2]int{4, 0}, [2]int{4, 0})}, want: judgetest.Want{State: plugin.Critical, Says: []string{"stale (1 of 4 runners idle)", "restart Poseidon"}, Not: []string{"resync_prewarm_pool"}}},
		{name: "low, and Nomad runs one that Poseidon does not count", snapshot: Snapshot{Pools: pools([3]int{10, 0, 3}, full, full), Nomad: runs([2]int{4, 0}, [2]int{4, 0}, [2]int{4, 0})}, want: judgetest.Want{State: plugin.Critical, Says: []string{"lost in Poseidon's memory: Nomad runs 4 idle", "restart Poseidon"}, Not: []string{"resync_prewarm_pool"}}},
		{name: "stale and none left", snapshot: Snapshot{Pools: pools(full, full), Nomad: runs([2]int{0, 0}, [2]int{4, 0})}, want: judgetest.Want{State: plugin.Critical, Says: []string{"stale"}}},
		{name: "stale, 21 s later Nomad runs 3: no longer low", snapshot: Snapshot{Pools: pools(full, full), Nomad: runs([2]int{3, 0}, [2]int{4, 0})}, want: judgetest.Want{State: plugin.OK}},
		{name: "a claim in between: one starts", snapshot: Snapshot{Pools: pools([3]int{2, 1, 1}, full, full), Nomad: runs([2]int{0, 1}, [2]int{4, 0}, [2]int{4, 0})}, want: judgetest.Want{State: plugin.OK}},

		{name: "Nomad killed: all 0 within a second (time line nomad-hang-and-kill)", snapshot: Snapshot{Pools: pools([3]int{4, 0, 1}, [3]int{4, 0, 0}), Nomad: deaf}, selected: []int{29},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"2 of 2 pools low at once: an outage, not a pool's problem", "Nomad cannot start runners: cannot list jobs: no cluster leader", "a resync would end used runners"}, Not: []string{"resync_prewarm_pool"}}},
		{name: "all low, and Nomad cannot be asked: that says nothing of Nomad", snapshot: Snapshot{Pools: pools([3]int{4, 0, 1}, [3]int{4, 0, 0}), Nomad: forbidden},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"Nomad could not be asked: cannot list jobs: refused (403)", "look at Nomad first"}, Not: []string{"Nomad cannot start runners"}}},
		{name: "after list?fetch=true: all emptied in memory (time line builtin-reload-15s)", snapshot: Snapshot{Pools: pools([3]int{4, 0, 1}, [3]int{4, 0, 0}), Nomad: runs([2]int{4, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"lost in Poseidon's memory: Nomad runs the idle runners of 2 environments", "systemctl restart poseidon"}}},
		{name: "all agents restarted, jobs vanished (poseidon#612)", snapshot: Snapshot{Pools: pools([3]int{4, 0, 0}, [3]int{4, 1, 0}, full), Nomad: runs([2]int{0, 0}, [2]int{1, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"2 of 3 pools low", "Nomad answers, and runs none of them", "environment 10: 0 of 4", "environment 29: 1 of 4"}, Not: []string{"resync_prewarm_pool"}}},
		{name: "no capacity anywhere", snapshot: Snapshot{Pools: pools([3]int{4, 0, 0}, [3]int{4, 1, 0}), Nomad: runs([2]int{0, 4}, [2]int{1, 3})}, want: judgetest.Want{State: plugin.Critical, Says: []string{"wait for room", "add capacity"}}},
		{name: "several low, Nomad not asked", snapshot: Snapshot{Pools: pools([3]int{4, 0, 0}, [3]int{4, 1, 0}, full)}, want: judgetest.Want{State: plugin.Critical, Says: []string{"look at Nomad first"}}},
		{name: "an outage elsewhere does not alarm a pool that is well", snapshot: Snapshot{Pools: pools([3]int{4, 0, 0}, [3]int{4, 1, 0}, full)}, selected: []int{30}, want: judgetest.Want{State: plugin.OK}},
		{name: "two of five are no outage", snapshot: Snapshot{Pools: pools([3]int{4, 0, 0}, [3]int{4, 1, 0}, full, full, full)}, want: judgetest.Want{State: plugin.Critical, Says: []string{"environment 10", "environment 29"}, Not: []string{"at once"}}},
		{name: "the only pool is low: no outage", snapshot: Snapshot{Pools: pools([3]int{4, 1, 0})}, want: judgetest.Want{State: plugin.Warning, Not: []string{"at once"}}},

		{name: "Nomad hung: 4/4 and 204 throughout (facts 3.4)", snapshot: Snapshot{Pools: pools(full, full), Nomad: deaf}, want: judgetest.Want{State: plugin.Warning, Says: []string{"Nomad ¶ the statistics cannot be checked", "no cluster leader", "see to it"}}},
		{name: "no right in Nomad, one pool low", snapshot: Snapshot{Pools: pools(full, [3]int{4, 1, 0}, full), Nomad: forbidden}, want: judgetest.Want{State: plugin.Warning, Says: []string{"Nomad could not be asked: cannot list jobs: refused (403)", "give its policy list-jobs"}}},
		{name: "template job stopped: lost at the next restart (facts 3.7)", snapshot: Snapshot{Pools: pools(full, full), Nomad: template(runs([2]int{4, 0}, [2]int{4, 0}), 29, "dead")},
			want: judgetest.Want{State: plugin.Warning, Says: []string{"environment 29 ¶ its job is dead in Nomad", "template-29", "at its next restart"}, Not: []string{"environment 10"}}},
		{name: "lost in memory, and a restart would forget it (time line builtin-reload-15s, 106 s)", snapshot: Snapshot{Pools: pools(full, [3]int{4, 0, 2}, full), Nomad: template(runs([2]int{4, 0}, [2]int{4, 0}, [2]int{4, 0}), 29, "dead")},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"lost in Poseidon's memory", "first synchronise in CodeOcean what a restart would forget (environment 29, its used runners end), then restart Poseidon"}}},
		{name: "stale, and a restart would forget another one", snapshot: Snapshot{Pools: pools(full, full), Nomad: template(runs([2]int{1, 0}, [2]int{4, 0}), 29, "")},
			want: judgetest.Want{State: plugin.Warning, Says: []string{"stale", "what a restart would forget (environment 29,"}}},
		{name: "on AWS: 1 of 1 for ever, and nothing in Nomad (facts 1)", snapshot: Snapshot{Pools: pools(full, [3]int{1, 1, 0}), Nomad: runs([2]int{4, 0})},
			want: judgetest.Want{State: plugin.OK, Says: []string{"environment 29 ¶ taken for one on AWS: 1 of 1 runner idle (100 %), and Nomad knows nothing of it"}}},
		{name: "of size 1, and stale", snapshot: Snapshot{Pools: pools(full, [3]int{1, 1, 0}), Nomad: runs([2]int{4, 0}, [2]int{0, 0})}, want: judgetest.Want{State: plugin.Critical, Says: []string{"stale (1 of 1"}}},
		{name: "lost in memory, and a restart does not forget what is on AWS", snapshot: Snapshot{Pools: pools(full, [3]int{4, 0, 2}, [3]int{1, 1, 0}), Nomad: runs([2]int{4, 0}, [2]int{4, 0})},
			want: judgetest.Want{State: plugin.Critical, Says: []string{"lost in Poseidon's memory"}, Not: []string{"what a restart would forget"}}},
		{name: "template job purged", snapshot: Snapshot{Pools: pools(full, full), Nomad: template(runs([2]int{4, 0}, [2]int{4, 0}), 29, "")}, want: judgetest.Want{State: plugin.Warning, Says: []string{"its job is gone from Nomad"}}},
	} {
		t.Run(r.name, func(t *testing.T) {
			l := DefaultLimits()
			if r.limits != nil {
				r.limits(&l)
			}
			v := Judge(r.snapshot, r.selected, l, noon)
			r.want.Check(t, v.Findings, v.Summary)
		})
	}
}

func TestMetrics(t *testing.T) {
	l := DefaultLimits()
	value := func(label string, metrics []plugin.Metric) plugin.Metric {
		for _, m := range metrics {
			if m.Label == label {
				return m
			}
		}
		t.Fatalf("there is no %s", label)
		return plugin.Metric{}
	}
	got := metrics(pools([3]int{4, 1, 3}, [3]int{4, 5, 0}, [3]int{0, 0, 0}), runs([2]int{0, 0}, [2]int{5, 0}), nil, l)
	for label, want := range map[string]float64{"environments": 3, "environments_low": 1, "environments_stale": 1, "idle": 6, "used": 3, "size": 8, "missing_percent": 75,
		"environment_10_idle": 1, "environment_10_missing_percent": 75, "environment_29_missing_percent": 0, "environment_30_missing_percent": 0} {
		if v := value(label, got).Value; v != want {
			t.Errorf("%s is %v, want %v", label, v, want)
		}
	}
	if m := value("environment_10_missing_percent", got); m.Warning.String() != "50" || m.Critical.String() != "75" {
		t.Errorf("thresholds %v and %v", m.Warning, m.Critical)
	}
	if len(metrics(make([]poseidon.Pool, 23), nil, nil, l)) > 99 || len(metrics(make([]poseidon.Pool, 24), nil, nil, l)) != 7 {
		t.Error("the points are not bounded")
	}
	// The labels of what was selected do not depend on what is there.
	there, gone := metrics(pools([3]int{4, 1, 3}), nil, []int{10, 29}, l), unknownMetrics([]int{10, 29}, l)
	if len(there) != 15 || len(gone) != len(there) {
		t.Fatalf("%d and %d points", len(there), len(gone))
	}
	for i := range there {
		if there[i].Label != gone[i].Label || !math.IsNaN(gone[i].Value) {
			t.Errorf("%s and %s=%v", there[i].Label, gone[i].Label, gone[i].Value)
		}
	}
	if !math.IsNaN(value("environment_29_idle", there).Value) {
		t.Error("an environment that is gone has no count")
	}
}
