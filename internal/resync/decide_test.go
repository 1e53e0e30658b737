package resync

import (
	"strings"
	"testing"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/prewarm"
)

var noon = Moment{Wall: time.Date(2026, 12, 3, 12, 0, 0, 0, time.UTC), Host: "mon1", Boot: "a", Uptime: 100 * time.Hour}

// ago is a record of something that was done on this boot.
func ago(d time.Duration, outcome string) Record {
	r := Record{Action: doResync, Outcome: outcome, Host: "mon1", PID: 7, Before: Pool{Idle: 1, Size: 4}, After: Pool{Idle: 0, Size: 4}}
	r.stamp(Moment{Wall: noon.Wall.Add(-d), Boot: noon.Boot, Uptime: noon.Uptime - d})
	return r
}

// depleted is the one case in which the handler acts: all that is known speaks for it.
func depleted() Facts {
	return Facts{
		Environment: 29,
		Call:        Call{State: plugin.Critical, Hard: true, Attempt: 1},
		State:       &State{},
		Pools:       map[int]Pool{10: {Idle: 4, Size: 4}, 29: {Idle: 1, Size: 4}},
		Nomad:       nomadRuns(1, 0),
	}
}

// nomadRuns is Nomad with so many idle runners of environment 29, and so many more that are starting.
func nomadRuns(running, starting int) *prewarm.Nomad {
	return &prewarm.Nomad{Environments: map[int]prewarm.Runners{
		10: {Running: 4, Template: "running"},
		29: {Running: running, Starting: starting, Fresh: starting, Template: "running"},
	}}
}

func troubled(trouble string) *prewarm.Nomad { return &prewarm.Nomad{Trouble: trouble} }

func usual() Rules {
	return Rules{On: When{Soft: 6, Hard: true}, Cooldown: 30 * time.Minute, Spare: SpareAuto}
}

func soft(attempt int) func(*Facts, *Rules) {
	return func(f *Facts, _ *Rules) { f.Call.Hard, f.Call.Attempt = false, attempt }
}

func pools(p map[int]Pool) func(*Facts, *Rules) { return func(f *Facts, _ *Rules) { f.Pools = p } }

// recovered is a pool of which Nomad runs as many as Poseidon counts.
func recovered(idle, size int) func(*Facts, *Rules) {
	return func(f *Facts, _ *Rules) {
		f.Pools, f.Nomad = map[int]Pool{29: {Idle: idle, Size: size}}, nomadRuns(idle, 0)
	}
}

func TestDecide(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*Facts, *Rules)
		want   Action
		says   string
	}{
		{"all speaks for it", func(*Facts, *Rules) {}, Resync, "1/4 runners are idle, and it ends no used runner"},

		// What Icinga calls a handler for (facts: event handlers, exact rule).
		{"WARNING", func(f *Facts, _ *Rules) { f.Call.State = plugin.Warning }, Resync, ""},
		{"by hand", func(f *Facts, _ *Rules) { f.Call = Call{ByHand: true} }, Resync, ""},
		{"recovery, and the first OK ever", func(f *Facts, _ *Rules) { f.Call.State = plugin.OK }, Nothing, "is OK"},
		{"UNKNOWN", func(f *Facts, _ *Rules) { f.Call.State = plugin.Unknown }, Nothing, "UNKNOWN, which says nothing"},
		{"a state that does not exist", func(f *Facts, _ *Rules) { f.Call.State = 7 }, Nothing, "says nothing"},
		{"SOFT 1", soft(1), Nothing, "attempt 1, and --on soft:6,hard looks again until attempt 6"},
		{"SOFT 5", soft(5), Nothing, "attempt 5"},
		{"SOFT 6", soft(6), Resync, ""},
		{"SOFT 7: a refusal gets another chance", soft(7), Resync, ""},
		{"SOFT, on hard only", func(f *Facts, r *Rules) { soft(9)(f, r); r.On = When{Hard: true} }, Nothing, "waits for HARD"},
		{"HARD, on soft only", func(f *Facts, r *Rules) { r.On = When{Soft: 6} }, Nothing, "does not name that"},
		{"downtime", func(f *Facts, _ *Rules) { f.Call.Downtime = 1 }, Nothing, "downtime"},
		{"downtime, by hand", func(f *Facts, _ *Rules) { f.Call = Call{ByHand: true, Downtime: 2} }, Nothing, "downtime"},
		{"the other node of the zone", func(f *Facts, _ *Rules) { f.Call.Skip = true }, Nothing, "--skip"},

		// Other runs, now and before.
		{"another run at work", func(f *Facts, _ *Rules) { f.State.LockedBy = "process 7 on mon2" }, Refuse, "process 7 on mon2"},
		{"another run at work, forced", func(f *Facts, r *Rules) { f.State.LockedBy, r.Force = "process 7", true }, Refuse, "process 7"},
		{"no state directory", func(f *Facts, _ *Rules) { f.State.Trouble = "no such directory" }, Refuse, "no such directory"},
		{"resynchronised 29 minutes ago", func(f *Facts, _ *Rules) { f.State.Last = ago(29*time.Minute, Helped) }, Refuse, "29m ago, and --cooldown is 30m"},
		{"resynchronised 30 minutes ago", func(f *Facts, _ *Rules) { f.State.Last = ago(30*time.Minute, Helped) }, Resync, ""},
		{"cooldown, forced", func(f *Facts, r *Rules) { f.State.Last, r.Force = ago(time.Minute, Helped), true }, Refuse, "--cooldown"},
		{"the last run was killed", func(f *Facts, _ *Rules) { f.State.Last = ago(time.Minute, Begun) }, Refuse, "process 7 on mon1 began a resync"},
		{"the last run was killed long ago", func(f *Facts, _ *Rules) { f.State.Last = ago(time.Hour, Begun) }, Resync, ""},
		{"the last did not help", func(f *Facts, _ *Rules) { f.State.Last = ago(24*time.Hour, DidNotHelp) }, Refuse, "did not help (idle 1/4 → 0/4)"},
		{"what came of the last was not seen", func(f *Facts, _ *Rules) {
			f.State.Last = ago(time.Hour, DidNotHelp)
			f.State.Last.After = Pool{}
		}, Refuse, "it is not known whether the resync at 2026-12-03 11:00 UTC helped (idle 1/4 before)"},
		{"the last did not help, forced", func(f *Facts, r *Rules) { f.State.Last, r.Force = ago(time.Hour, DidNotHelp), true }, Resync, ""},
		{"the last did not help just now, forced", func(f *Facts, r *Rules) { f.State.Last, r.Force = ago(time.Minute, DidNotHelp), true }, Refuse, "--cooldown"},
		{"the last did not help, the service recovered since", func(f *Facts, _ *Rules) { f.State.Last = ago(time.Hour, Cleared) }, Resync, ""},

		// Poseidon's numbers.
		{"unknown environment (poseidon#522)", pools(map[int]Pool{10: {Idle: 4, Size: 4}}), Refuse, "does not know"},
		{"no environment at all (poseidon#408)", pools(map[int]Pool{}), Refuse, "does not know"},
		{"size 0", pools(map[int]Pool{29: {}}), Nothing, "meant to be empty"},
		{"exactly half", recovered(2, 4), Nothing, "the pool is at least half full (2/4), and this handler acts below 50 %"},
		{"just under half of an odd size", recovered(2, 5), Resync, "2/5"},
		{"over half of an odd size", recovered(3, 5), Nothing, "at least half full (3/5)"},
		{"more than full (poseidon#381)", recovered(5, 4), Nothing, "recovered"},
		{"two at once (poseidon#470)", pools(map[int]Pool{10: {Idle: 1, Size: 4}, 29: {Idle: 1, Size: 4}}), Refuse, "2 of 2 environments are low at once (10 and 29)"},
		{"all at 0: Nomad was killed", pools(map[int]Pool{9: {Size: 2}, 10: {Size: 4}, 29: {Size: 4}}), Refuse, "an outage"},
		{"the others are low, this one is not", func(f *Facts, _ *Rules) {
			f.Pools = map[int]Pool{9: {Size: 2}, 10: {Size: 4}, 29: {Idle: 4, Size: 4}}
			f.Nomad = nomadRuns(4, 0)
		}, Nothing, "recovered"},

		// Nomad's.
		{"Nomad has no leader", func(f *Facts, _ *Rules) { f.Nomad = troubled("no leader") }, Refuse, "no leader"},
		{"the pool is well, Nomad has no leader", func(f *Facts, r *Rules) {
			pools(map[int]Pool{29: {Idle: 4, Size: 4}})(f, r)
			f.Nomad = troubled("no leader")
		}, Refuse, "no leader"},
		{"Nomad runs two Poseidons", func(f *Facts, _ *Rules) {
			f.Nomad = &prewarm.Nomad{Trouble: "runners are in the namespaces a and b", Remedy: "name that of this Poseidon with --nomad-namespace"}
		}, Refuse, "the namespaces a and b"},
		{"lost in memory", func(f *Facts, _ *Rules) { f.Nomad = nomadRuns(4, 0) }, Refuse, "lost in Poseidon's memory"},
		{"lost in memory, with a command", func(f *Facts, r *Rules) { f.Nomad, r.MayRestart = nomadRuns(4, 0), true }, Restart, "lost"},
		{"lost in memory, restarted for another environment", func(f *Facts, r *Rules) {
			f.Nomad, r.MayRestart = nomadRuns(4, 0), true
			f.State.Restart = ago(time.Minute, Helped)
		}, Refuse, "--cooldown"},
		{"lost in memory, with a command, but a restart would forget another (poseidon#522)", func(f *Facts, r *Rules) {
			f.Nomad, r.MayRestart = nomadRuns(4, 0), true
			f.Nomad.Environments[10] = prewarm.Runners{Running: 4, Template: "dead"}
		}, Refuse, "would forget environment 10"},
		{"lost in memory, used ones of all are spared while idle ones are left", func(f *Facts, r *Rules) {
			f.Pools[10], f.Nomad, r.MayRestart = Pool{Idle: 4, Used: 9, Size: 4}, nomadRuns(4, 0), true
		}, Refuse, "a restart would break up to 9 executions of all environments while 1 idle ones are left to claim (--spare-used auto)"},
		{"lost in memory, used ones, none idle", func(f *Facts, r *Rules) {
			f.Pools[10], f.Pools[29], f.Nomad, r.MayRestart = Pool{Idle: 4, Used: 9, Size: 4}, Pool{Used: 1, Size: 4}, nomadRuns(4, 0), true
		}, Restart, "and it breaks up to 10 executions"},
		{"lost in memory, used ones, none idle, always spared", func(f *Facts, r *Rules) {
			f.Pools[10], f.Pools[29], f.Nomad = Pool{Idle: 4, Used: 1, Size: 4}, Pool{Size: 4}, nomadRuns(4, 0)
			r.MayRestart, r.Spare = true, SpareAlways
		}, Refuse, "a restart would break up to 1 execution of all environments (--spare-used always)"},
		{"lost in memory, none used, always spared", func(f *Facts, r *Rules) {
			f.Nomad, r.MayRestart, r.Spare = nomadRuns(4, 0), true, SpareAlways
		}, Restart, "it breaks no execution"},
		{"lost in memory, used ones, never spared", func(f *Facts, r *Rules) {
			f.Pools[10], f.Nomad, r.MayRestart, r.Spare = Pool{Idle: 4, Used: 9, Size: 4}, nomadRuns(4, 0), true, SpareNever
		}, Restart, "it breaks up to 9 executions"},
		{"missing, with a command", func(_ *Facts, r *Rules) { r.MayRestart = true }, Resync, ""},
		{"stale: Poseidon says all is well", func(f *Facts, r *Rules) {
			pools(map[int]Pool{29: {Idle: 4, Size: 4}})(f, r)
			f.Nomad = nomadRuns(1, 0)
		}, Refuse, "event stream has stalled"},
		{"filling", func(f *Facts, _ *Rules) { f.Nomad = nomadRuns(1, 3) }, Refuse, "Nomad is starting 3"},
		{"another Nomad", func(f *Facts, _ *Rules) { delete(f.Nomad.Environments, 29) }, Refuse, "shows nothing of this environment"},
		{"another Nomad, and the used runners are Poseidon's only", func(f *Facts, _ *Rules) {
			delete(f.Nomad.Environments, 29)
			f.Pools[29] = Pool{Used: 3, Size: 4}
		}, Refuse, "Poseidon counts 0/4 idle runners and 3 used runners, and Nomad shows nothing of this environment"},
		{"all gone in Nomad, the environment's job too (poseidon#612)", func(f *Facts, _ *Rules) {
			delete(f.Nomad.Environments, 29)
			f.Pools[29] = Pool{Size: 4}
		}, Resync, ""},
		{"another is stale by Nomad (poseidon#470)", func(f *Facts, _ *Rules) {
			f.Pools[29], f.Nomad = Pool{Used: 3, Size: 4}, nomadRuns(0, 0)
			f.Nomad.Environments[10] = prewarm.Runners{Template: "running"}
		}, Refuse, "of environment 10 Poseidon counts 4/4 idle runners, Nomad runs 0: an outage, or a stalled event stream"},
		{"another is on AWS, 1 of 1 for ever (internal/environment/aws_environment.go)", func(f *Facts, _ *Rules) {
			f.Pools[10] = Pool{Idle: 1, Size: 1}
			delete(f.Nomad.Environments, 10)
		}, Resync, ""},
		{"another of size 1 has a job, and none runs", func(f *Facts, _ *Rules) {
			f.Pools[10], f.Nomad.Environments[10] = Pool{Idle: 1, Size: 1}, prewarm.Runners{Template: "running"}
		}, Refuse, "of environment 10 Poseidon counts 1/1 idle runners, Nomad runs 0"},
		{"lost, and another is on AWS, which a restart does not forget", func(f *Facts, r *Rules) {
			f.Pools[10], f.Nomad, r.MayRestart = Pool{Idle: 1, Size: 1}, nomadRuns(4, 0), true
			delete(f.Nomad.Environments, 10)
		}, Restart, ""},
		{"half of them run in Nomad, fewer in memory (poseidon#598)", func(f *Facts, _ *Rules) { f.Nomad = nomadRuns(2, 0) }, Refuse, "lost"},
		{"one more in Nomad, still low: an event was missed, so a resync may wait for events in vain", func(f *Facts, r *Rules) {
			f.Pools = map[int]Pool{29: {Idle: 1, Size: 10}}
			f.Nomad = nomadRuns(2, 0)
		}, Refuse, "lost in Poseidon's memory"},
		{"one less in Nomad, low: the same", func(f *Facts, r *Rules) {
			f.Pools = map[int]Pool{29: {Idle: 2, Size: 10}}
			f.Nomad = nomadRuns(1, 0)
		}, Refuse, "its event stream has stalled"},
		{"without Nomad", func(f *Facts, r *Rules) { f.Nomad, r.WithoutNomad = nil, true }, Resync, ""},
		{"without Nomad, recovered", func(f *Facts, r *Rules) {
			f.Nomad, r.WithoutNomad = nil, true
			f.Pools[29] = Pool{Idle: 2, Size: 4}
		}, Nothing, "at least half full (2/4)"},

		// Used runners.
		{"used ones, idle left", func(f *Facts, _ *Rules) { f.Pools[29] = Pool{Idle: 1, Used: 2, Size: 4} }, Refuse, "end 2 used runners while 1 idle"},
		{"used ones, none idle", func(f *Facts, _ *Rules) { f.Pools[29], f.Nomad = Pool{Used: 2, Size: 4}, nomadRuns(0, 0) }, Resync, "it ends 2 used runners"},
		{"used ones, always spared", func(f *Facts, r *Rules) {
			f.Pools[29], f.Nomad, r.Spare = Pool{Used: 2, Size: 4}, nomadRuns(0, 0), SpareAlways
		}, Refuse, "--spare-used always"},
		{"used ones, never spared", func(f *Facts, r *Rules) { f.Pools[29], r.Spare = Pool{Idle: 1, Used: 2, Size: 4}, SpareNever }, Resync, "2 used"},
		{"none used, always spared", func(_ *Facts, r *Rules) { r.Spare = SpareAlways }, Resync, ""},

		// What is not known yet is asked for, never guessed.
		{"state unknown", func(f *Facts, _ *Rules) { f.State = nil }, Ask, ""},
		{"statistics unknown", func(f *Facts, _ *Rules) { f.Pools = nil }, Ask, ""},
		{"Nomad unknown", func(f *Facts, _ *Rules) { f.Nomad = nil }, Ask, ""},
		{"Nomad unknown, the pool is well", func(f *Facts, r *Rules) { f.Nomad = nil; pools(map[int]Pool{29: {Idle: 4, Size: 4}})(f, r) }, Ask, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, rules := depleted(), usual()
			row.change(&f, &rules)
			d := Decide(f, rules, noon)
			if trouble := f.Nomad; trouble != nil && trouble.Remedy != "" && d.Remedy != trouble.Remedy {
				t.Errorf("do: %s, want %s", d.Remedy, trouble.Remedy)
			}
			if d.Action != row.want || !strings.Contains(d.Reason, row.says) {
				t.Errorf("decides %d because %q; want %d because %q", d.Action, d.Reason, row.want, row.says)
			}
			if d.Action != Ask && d.Reason == "" {
				t.Error("gives no reason")
			}
		})
	}
}

// TestDecideWhatNext holds that a refusal in time says from when on it may act, and how.
func TestDecideWhatNext(t *testing.T) {
	future := ago(-24*time.Hour, Helped)
	future.Boot = "another"
	for name, row := range map[string]struct {
		change func(*Facts, *Rules)
		remedy string
	}{
		"cooldown": {func(f *Facts, _ *Rules) { f.State.Last = ago(10*time.Minute, Helped) },
			"from 2026-12-03 12:20 UTC on it may act: at the next SOFT check, or by hand with the same options: resync_prewarm_pool --environment 29"},
		"begun":   {func(f *Facts, _ *Rules) { f.State.Last = ago(10*time.Minute, Begun) }, "from 2026-12-03 12:20 UTC on it may act"},
		"restart": {func(f *Facts, _ *Rules) { f.State.Restart = ago(29*time.Minute, Helped) }, "from 2026-12-03 12:01 UTC on it may act"},
		"future":  {func(f *Facts, _ *Rules) { f.State.Last = future }, "from 2026-12-03 12:30 UTC on it may act"},
		"forced": {func(f *Facts, r *Rules) { f.State.Last, r.Force = ago(10*time.Minute, DidNotHelp), true },
			"from 2026-12-03 12:20 UTC on it may act: at the next SOFT check, or by hand with the same options: resync_prewarm_pool --environment 29 --force; --force passes over the marker, not over --cooldown"},
		"lock": {func(f *Facts, _ *Rules) { f.State.LockedBy = "process 7" },
			"wait until it has ended, which its log line tells (journalctl OVERDUE_ENVIRONMENT=29); if it acts, --cooldown (30m) counts from then, or else this may act at once"},
	} {
		f, rules := depleted(), usual()
		row.change(&f, &rules)
		if d := Decide(f, rules, noon); d.Action != Refuse || !strings.HasPrefix(d.Remedy, row.remedy) {
			t.Errorf("%s: do: %q, want %q", name, d.Remedy, row.remedy)
		}
	}
}

// TestDecideIncidentLine goes through the calls that Icinga makes in one incident: 5 minutes of looking again, action at the
// sixth attempt, silence after it, recovery.
func TestDecideIncidentLine(t *testing.T) {
	f := depleted()
	for attempt := 1; attempt <= 5; attempt++ {
		soft(attempt)(&f, nil)
		if d := Decide(Facts{Environment: 29, Call: f.Call}, usual(), noon); d.Action != Nothing {
			t.Fatalf("attempt %d: %v", attempt, d)
		}
	}
	soft(6)(&f, nil)
	if d := Decide(f, usual(), noon); d.Action != Resync {
		t.Fatalf("attempt 6: %v", d)
	}
	later := Moment{Wall: noon.Wall.Add(time.Minute), Host: noon.Host, Boot: noon.Boot, Uptime: noon.Uptime + time.Minute}
	f.State.Last = ago(0, DidNotHelp)
	for _, call := range []Call{{State: plugin.Critical, Attempt: 7}, {State: plugin.Critical, Hard: true, Attempt: 1}} {
		f.Call = call
		if d := Decide(f, usual(), later); d.Action != Refuse || !strings.Contains(d.Remedy, "restart Poseidon") {
			t.Fatalf("%s after a resync that did not help: %v", call, d)
		}
	}
	f.Call = Call{State: plugin.OK, Hard: true, Attempt: 1}
	if d := Decide(f, usual(), later); d.Action != Nothing {
		t.Fatalf("recovery: %v", d)
	}
}

// TestDecideClocks holds that no jump of a clock doubles a resync or forbids it for good.
func TestDecideClocks(t *testing.T) {
	f := depleted()
	f.State.Last = ago(time.Minute, Helped)
	elsewhere := func(d time.Duration) Moment { return Moment{Wall: noon.Wall.Add(d), Boot: "b", Uptime: time.Minute} }
	for _, row := range []struct {
		name string
		now  Moment
		want Action
		says string
	}{
		{"a day forwards, same boot", Moment{Wall: noon.Wall.Add(24 * time.Hour), Host: noon.Host, Boot: noon.Boot, Uptime: noon.Uptime}, Refuse, "1m ago"},
		{"a day backwards, same boot", Moment{Wall: noon.Wall.Add(-24 * time.Hour), Host: noon.Host, Boot: noon.Boot, Uptime: noon.Uptime}, Refuse, "1m ago"},
		{"a day backwards, same boot, much later", Moment{Wall: noon.Wall.Add(-24 * time.Hour), Host: noon.Host, Boot: noon.Boot, Uptime: noon.Uptime + time.Hour}, Resync, ""},
		{"another boot, soon", elsewhere(10 * time.Minute), Refuse, "11m ago"},
		{"another boot, later", elsewhere(time.Hour), Resync, ""},
		{"another host, 30 s behind", elsewhere(-90 * time.Second), Refuse, "0s ago"},
		{"another boot, a year backwards", elsewhere(-365 * 24 * time.Hour), Refuse, "in the future"},
	} {
		if d := Decide(f, usual(), row.now); d.Action != row.want || !strings.Contains(d.Reason, row.says) {
			t.Errorf("%s: decides %d because %q; want %d because %q", row.name, d.Action, d.Reason, row.want, row.says)
		}
	}
}
