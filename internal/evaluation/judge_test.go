package evaluation

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

// Situations from public reports, each named.
func TestJudgeReports(t *testing.T) {
	const hour, day = time.Hour, 24 * time.Hour
	pile := func(n int) func(*Snapshot) {
		var all []Evaluation
		for i := range n {
			all = append(all, waiting("logs", "node-update", 2*hour-time.Duration(i)*time.Second))
		}
		return pending(all...)
	}
	gone := func(what string) func(*Snapshot) {
		return func(s *Snapshot) { s.Remains[id("web")] = what }
	}
	delayed := func(trigger string, due time.Duration) Evaluation {
		e := waiting("web", trigger, due)
		e.Created, e.Delayed = before(due+hour), true
		return e
	}
	chain := FailedEvaluation{JobID: id("gone"), ID: "c", Trigger: followUp, FollowUp: "next", Description: "evaluation reached delivery limit (3)", Created: before(8 * time.Minute)}
	next := func(trigger string) func(*Snapshot) {
		e := waiting("gone", trigger, 0)
		e.ID, e.Due = "next", before(-2*time.Minute)
		return pending(e)
	}
	for _, r := range []row{
		{name: "hashicorp/nomad#26655: a dispatched job without evaluation", snapshot: region(job("runner/dispatch-1796089187-88a0f9a6", 12*time.Minute)), want: plugin.Critical,
			says: []string{"CRITICAL ¶ job runner/dispatch-1796089187-88a0f9a6 lost ¶ pending, no evaluation ¶ since 2026-12-02 11:48 UTC", "nothing will ever start it", "nomad job eval runner/dispatch-1796089187-88a0f9a6"}},
		{name: "hashicorp/nomad#8435: a registration during a change of leader never starts", snapshot: region(job("web", 7*time.Minute)), want: plugin.Warning,
			says: []string{"job web lost", "nomad job eval web"}},
		{name: "hashicorp/nomad#15980: batch evaluations pending for hours", want: plugin.Critical,
			snapshot: region(pending(waiting("nightly", "job-register", 3*hour), waiting("hourly", "job-register", 2*hour))),
			says:     []string{"evaluations ¶ 2 evaluations of 2 jobs overdue ¶ since 2026-12-02 09:00 UTC", "the oldest is pending for job nightly (job-register)", "job hourly: 1 evaluation, oldest 2h"}},
		{name: "hashicorp/nomad#15858: evaluations of a system job pile up", snapshot: region(pile(40)), want: plugin.Critical,
			says: []string{"job logs ¶ 40 evaluations overdue", "node-update", "set-config -pause-eval-broker=true, and again with =false"}},
		{name: "hashicorp/nomad#3333: broker disabled though a leader is there", want: plugin.Critical,
			snapshot: region(pile(3), func(s *Snapshot) { s.Broker = BrokerRunning }),
			says:     []string{"none is worked on, though a leader answers and the broker is not paused"}},
		{name: "hashicorp/nomad#25808: plans refused again and again", want: plugin.Critical, snapshot: region(blocked("", waiting("gpu", "max-plan-attempts", hour))),
			says: []string{"job gpu ¶ 1 evaluation overdue", "its plans were refused again and again", "plan for node rejected"}, not: []string{"blocked ¶"}},
		{name: "hashicorp/nomad#17278: a blocked batch is not unblocked", snapshot: region(blocked("cpu exhausted on 4 nodes", waiting("batch", "queued-allocs", 2*hour))), want: plugin.Warning,
			says: []string{"job batch ¶ 1 evaluation blocked ¶ since 2026-12-02 10:00 UTC ¶ cpu exhausted on 4 nodes"}},
		{name: "hashicorp/nomad#28275: blocked on a missing CSI volume", want: plugin.Warning,
			snapshot: region(blocked("missing CSI Volume data on 3 nodes", waiting("db", "queued-allocs", 40*time.Minute))), says: []string{"missing CSI Volume data"}},
		{name: "hashicorp/nomad#25525: blocked on eligible clients, cores", want: plugin.Warning,
			snapshot: region(blocked("cores exhausted on 2 nodes", waiting("ml", "queued-allocs", 40*time.Minute))), says: []string{"cores exhausted on 2 nodes"}},
		{name: "hashicorp/nomad#28041: no placement after an update", want: plugin.Warning,
			snapshot: region(blocked("8 nodes looked at, none fits", waiting("api", "queued-allocs", 31*time.Minute))), says: []string{"none fits"}},
		{name: "hashicorp/nomad#19805: allocations pending for days after a node's return", snapshot: region(stuck("web", "n7", "", 2*day), stuck("api", "n7", "", 2*day)), want: plugin.Critical,
			says: []string{"allocations ¶ 2 allocations of 2 jobs placed but not started, all on node n7 ¶ since 2026-11-30 12:00 UTC", "nomad alloc status a1f36ef0"}},
		{name: "hashicorp/nomad#4437, #3932: an allocation left pending after a node was lost", snapshot: region(stuck("web", "n1", "", 11*time.Minute)), want: plugin.Critical,
			says: []string{"job web ¶ 1 allocation placed but not started", "group g on node n1: No tasks have started"}},
		{name: "hashicorp/nomad#24981: an image that cannot be pulled", snapshot: region(stuck("web", "n1", "task app pending: Downloading image 9m ago", 9*time.Minute)), want: plugin.Warning,
			says: []string{"task app pending: Downloading image"}},
		{name: "hashicorp/nomad#23640: lost batch allocations are not replaced", snapshot: region(job("batch", hour, func(j *Job) { j.Closed, j.Queued = true, 1 })), want: plugin.Warning,
			says: []string{"job batch left alone ¶ pending, and all its evaluations are closed", "could not place 1 allocation", "nomad job eval batch"}},
		{name: "hashicorp/nomad#15031: a delayed evaluation outlives its job, not due", snapshot: region(pending(delayed("alloc-failure", -hour)), gone("stopped")), want: plugin.OK},
		{name: "hashicorp/nomad#15031: the same, due", snapshot: region(pending(delayed("alloc-failure", hour)), gone("stopped")), want: plugin.Warning,
			says: []string{"1 delayed evaluation overdue, the job is stopped", "nothing is missing"}},
		{name: "hashicorp/nomad#25923: outlives a reconnect", snapshot: region(pending(delayed("max-disconnect-timeout", hour)), gone("stopped")), want: plugin.Warning},
		{name: "hashicorp/nomad#10788: outlives a purge", snapshot: region(pending(delayed("alloc-failure", hour)), gone("purged")), want: plugin.Warning, says: []string{"the job is purged"}},
		{name: "a delayed evaluation of a living job, overdue", snapshot: region(pending(delayed("alloc-failure", hour)), gone("")), want: plugin.Critical},
		{name: "hashicorp/nomad#16877: an orphan fails every few minutes", want: plugin.Warning,
			snapshot: region(failed(chain), next(followUp), func(s *Snapshot) { s.Failed.Evaluations[0].Purged = true }),
			says: []string{"1 evaluation failed, and the follow-ups fail too; the job does not exist", "delivery limit",
				"nomad operator scheduler set-config -pause-eval-broker=true; nomad eval delete next; nomad operator scheduler set-config -pause-eval-broker=false"}},
		{name: "hashicorp/nomad#16877: the same, of a job that is there", want: plugin.Warning, snapshot: region(failed(chain), next(followUp)),
			says: []string{"1 evaluation failed, and the follow-ups fail too ¶", "nomad eval status c"}, not: []string{"eval delete"}},
		{name: "each kind of failure is told by itself", want: plugin.Warning,
			snapshot: region(failed(chain, FailedEvaluation{JobID: id("web"), ID: "w", Created: before(time.Minute)}), next(followUp), func(s *Snapshot) { s.Failed.Evaluations[0].Purged = true }),
			says:     []string{"WARNING ¶ job web ¶ 1 failed evaluation without a follow-up", "WARNING ¶ job gone ¶ 1 evaluation failed, and the follow-ups fail too; the job does not exist"}},
		{name: "a chain of follow-ups that has ended well", snapshot: region(failed(chain)), want: plugin.OK},
		{name: "hashicorp/nomad#9054: closed, and the allocation comes later", snapshot: region(job("web", 3*time.Minute, func(j *Job) { j.Dead, j.Count, j.Closed = true, 1, true })), want: plugin.OK},
		{name: "openHPI/poseidon#470, #651: servers rebooted in turn, runners lost", want: plugin.Critical,
			snapshot: region(job("29-3f2b", 38*time.Minute), tolerance(0), func(s *Snapshot) {
				s.Pings = []Ping{{Address: "http://10.0.0.1:4646"}, {Address: "http://10.0.0.2:4646"}, {Address: "http://10.0.0.3:4646", Silent: "no answer from http://10.0.0.3:4646 in time"}}
			}),
			says: []string{"CRITICAL ¶ job 29-3f2b lost", "servers: 1 of 3 does not answer, failure tolerance 0 (no answer from http://10.0.0.3:4646 in time)", "WARNING ¶ servers ¶ 1 of 3 does not answer"}},
	} {
		t.Run(r.name, r.check)
	}
}

// What looks wrong and is not.
func TestJudgeFalseAlarms(t *testing.T) {
	const hour = time.Hour
	until := waiting("web", "alloc-failure", 0)
	until.Created, until.Due, until.Delayed = before(3*hour), before(-20*time.Minute), true
	skewed := waiting("web", "job-register", -10*time.Minute)
	for _, r := range []row{
		{name: "nothing is open", snapshot: region(), want: plugin.OK, says: []string{"no evaluation overdue (0 pending, 0 blocked), 0 allocations pending, no job lost, in 1 namespace, 3 servers, failure tolerance 1"}},
		{name: "WaitUntil: delayed by a reschedule", snapshot: region(pending(until)), want: plugin.OK},
		{name: "a blocked batch queue at capacity", snapshot: region(blocked("cpu exhausted on 9 nodes", waiting("nightly", "queued-allocs", 29*time.Minute))), want: plugin.OK},
		{name: "the same with the limits off", snapshot: region(blocked("cpu", waiting("nightly", "queued-allocs", 90*hour))), limits: func(l *Limits) { l.BlockedWarning = plugin.NewTimeRange("off") }, want: plugin.OK},
		{name: "a service scaled to 0 is dead with nothing in its summary", snapshot: region(job("web-zero", 90*hour, func(j *Job) { j.Dead = true })), want: plugin.OK},
		{name: "a service whose evaluation is open after all", snapshot: region(job("web", hour, func(j *Job) { j.Dead, j.Count, j.Open = true, 2, true })), want: plugin.OK},
		{name: "a pending job whose evaluation was written while it was looked at", snapshot: region(job("web", hour, func(j *Job) { j.Open = true })), want: plugin.OK},
		{name: "a pending job whose allocation began meanwhile", snapshot: region(job("web", hour, func(j *Job) { j.Live = true })), want: plugin.OK},
		{name: "a job that was gone when it was looked at", snapshot: region(job("web", hour, func(j *Job) { j.Verified = false })), want: plugin.OK},
		{name: "the minute after an election: all is pending", snapshot: region(pending(waiting("web", "job-register", 50*time.Second))), want: plugin.OK},
		{name: "failed, with a follow-up", snapshot: region(failed(FailedEvaluation{JobID: id("ci"), Trigger: "job-register", FollowUp: "b6248590", Created: before(hour)})), want: plugin.OK},
		{name: "failed, of a job that was purged, and not tried again", snapshot: region(failed(FailedEvaluation{JobID: id("ci"), Trigger: "job-register", Purged: true})), want: plugin.OK},
		{name: "failed, of a job that was stopped", snapshot: region(failed(FailedEvaluation{JobID: id("ci"), Trigger: "job-register", Stopped: true})), want: plugin.OK},
		{name: "failed, and nobody looked whether it was made good", want: plugin.OK, says: []string{"OK ¶ evaluations ¶ 1 more failed evaluation not looked at"},
			snapshot: region(func(s *Snapshot) { s.Failed.Evaluations = []FailedEvaluation{{JobID: id("ci")}} })},
		{name: "failed, and made good since", snapshot: region(failed(FailedEvaluation{JobID: id("ci"), Trigger: "job-register", Superseded: true})), want: plugin.OK},
		{name: "clocks differ: created in the future", snapshot: region(pending(skewed), stuck("web", "n", "", -hour), job("x", -hour)), want: plugin.OK},
		{name: "the broker is paused, and what is pending is not due", snapshot: region(pending(until), func(s *Snapshot) { s.Broker = BrokerPaused }), want: plugin.OK},
		{name: "one server by intent", snapshot: region(func(s *Snapshot) { s.Servers = &Servers{Known: true, Count: 1} }), limits: func(l *Limits) { l.MinFailureTolerance = 0 }, want: plugin.OK},
	} {
		t.Run(r.name, r.check)
	}
}

func TestJudgeMore(t *testing.T) {
	ageless := waiting("old", "job-register", 0)
	ageless.Created, ageless.Due = time.Time{}, time.Time{}
	paused := func(s *Snapshot) { s.Broker = BrokerPaused }
	var many []func(*Snapshot)
	for i := range 30 {
		many = append(many, job(fmt.Sprintf("ci/dispatch-1796090%03d-5d561159", i), time.Hour-time.Duration(i)*time.Second))
	}
	pings := func(pings ...Ping) func(*Snapshot) { return func(s *Snapshot) { s.Pings = pings } }
	for _, r := range []row{
		{name: "a failed evaluation without a follow-up", snapshot: region(failed(FailedEvaluation{JobID: id("web"), ID: "x", Trigger: "job-register", Description: "boom", Created: before(time.Hour)})),
			want: plugin.Warning, says: []string{"job web ¶ 1 failed evaluation without a follow-up ¶ since 2026-12-02 11:00 UTC ¶ boom", "nomad job eval web"}},
		{name: "many failed evaluations, of which the newest were read", snapshot: region(failed(FailedEvaluation{JobID: id("web")}), func(s *Snapshot) { s.Failed.More = true }), want: plugin.Warning, says: []string{"at least 1 failed evaluation"}},
		{name: "a service closed without an allocation", snapshot: region(job("web", time.Hour, func(j *Job) { j.Dead, j.Count, j.Closed = true, 2, true })), want: plugin.Critical,
			says: []string{"job web never placed ¶ a service that nobody stopped is dead, without an allocation", "nomad job eval web"}},
		{name: "an unknown time of creation is no age", snapshot: region(pending(ageless)), want: plugin.Warning, says: []string{"1 evaluation pending, age unknown"}, not: []string{"1970", "20425d", "since"}},
		{name: "the same, blocked", snapshot: region(blocked("cpu", ageless)), want: plugin.Warning, says: []string{"1 evaluation blocked, age unknown"}, not: []string{"since"}},
		{name: "the paused broker is the cause", snapshot: region(paused, pending(waiting("web", "job-register", time.Hour))), want: plugin.Critical,
			says: []string{"evaluation broker ¶ paused by an operator, 1 evaluation waiting", "-pause-eval-broker=false"}},
		{name: "a paused broker before anything is overdue", snapshot: region(paused, pending(waiting("web", "job-register", time.Minute))), want: plugin.Warning, says: []string{"evaluation broker ¶ paused"}},
		{name: "a paused broker, with a lost job and an overdue evaluation", snapshot: region(paused, pending(waiting("web", "job-register", time.Hour)), job("ci", 2*time.Hour)), want: plugin.Critical,
			says: []string{"CRITICAL ¶ evaluation broker ¶ paused by an operator, 1 evaluation waiting ¶ since 2026-12-02 11:00 UTC ¶ PauseEvalBroker is set in the scheduler configuration ¶ nothing at all is started, stopped or replaced until it is resumed ¶ nomad operator scheduler set-config -pause-eval-broker=false\nCRITICAL ¶ job ci lost",
				"it has no allocation; the evaluation broker is paused ¶", "resume the broker first; nomad job eval ci"}},
		{name: "a paused broker and only blocked evaluations", snapshot: region(paused, blocked("cpu exhausted on 1 node", waiting("web", "queued-allocs", time.Hour))), want: plugin.Warning,
			says: []string{"WARNING ¶ evaluation broker ¶ paused by an operator ¶", "cpu exhausted on 1 node; the evaluation broker is paused ¶ they do not go on"}, not: []string{"by themselves"}},
		{name: "one overdue evaluation is no reason to stop all", snapshot: region(pending(waiting("web", "job-register", time.Hour))), want: plugin.Critical,
			says: []string{"nothing is started, stopped or replaced for it until it is worked on ¶ nomad eval status 53665836\n"}, not: []string{"pause"}},
		{name: "many children of one job are one line", snapshot: region(many...), want: plugin.Critical,
			says: []string{"30 jobs lost ¶", "job ci/dispatch-1796090000-5d561159: 1h: nomad job eval ci/dispatch-1796090000-5d561159 ¶", "nomad job eval ci/dispatch-1796090029-5d561159\n", "nomad job status ci"}},
		{name: "pending jobs that were not looked at", snapshot: region(func(s *Snapshot) { s.Jobs.Unverified, s.Jobs.UnverifiedSince = 70, before(time.Hour) }), want: plugin.Warning,
			says: []string{"WARNING ¶ jobs ¶ 70 more jobs pending longer than the limit, not looked at ¶ since 2026-12-02 11:00 UTC"}, not: []string{"lost ¶"}},
		{name: "in another namespace, with a hostile name", snapshot: region(job("x", time.Hour, func(j *Job) { j.JobID = JobID{"team-a", "a'; reboot #"} })), want: plugin.Critical,
			says: []string{`nomad job eval -namespace team-a 'a'\''; reboot #'`, "job a'; reboot # in namespace team-a"}},
		{name: "a name that leaves no room", snapshot: region(job(strings.Repeat("x", 5000), time.Hour)), want: plugin.Critical, says: []string{"CRITICAL ¶ job " + strings.Repeat("x", 120) + "… lost ¶"}},
		{name: "no leader", snapshot: Snapshot{Leaderless: "No cluster leader"}, want: plugin.Critical, says: []string{"servers ¶ no leader ¶"}},
		{name: "an election that does not end", snapshot: Snapshot{Leaderless: "EOF"}, want: plugin.Critical, says: []string{"the leader does not answer, an election may be in progress"}},
		{name: "two of three servers, called healthy", snapshot: region(func(s *Snapshot) { s.Servers.Count, s.Servers.Tolerance = 2, 0 }), want: plugin.Warning, says: []string{"failure tolerance 0", "if one more fails"}},
		{name: "fewer servers than expected", snapshot: region(), limits: func(l *Limits) { l.ExpectServers = 5 }, want: plugin.Warning, says: []string{"3 of 5 expected"}},
		{name: "the same without operator read", snapshot: region(func(s *Snapshot) { s.Servers = &Servers{Count: 3, Tolerance: 1} }), limits: func(l *Limits) { l.ExpectServers = 4 }, want: plugin.Warning,
			says: []string{"3 of 4 expected"}, not: []string{"at most"}},
		{name: "too few servers to spare one, without operator read", snapshot: region(func(s *Snapshot) { s.Servers = &Servers{Count: 2} }), want: plugin.Warning, says: []string{"failure tolerance at most 0"}},
		{name: "autopilot tells of no server", snapshot: region(func(s *Snapshot) { s.Servers = &Servers{Count: 3, Tolerance: 1, Mute: true} }), want: plugin.Warning,
			says: []string{"servers ¶ autopilot tells nothing of them", "after an election"}},
		{name: "one server is cut off and knows no leader", snapshot: region(pings(Ping{Address: "a"}, Ping{Address: "b", Leaderless: "No cluster leader"})), want: plugin.Warning,
			says: []string{"1 of 2 knows no leader", "b says: No cluster leader"}},
		{name: "a token that sees one namespace", snapshot: region(func(s *Snapshot) { s.Namespaces = []string{"team-a"} }), want: plugin.OK,
			says: []string{"OK ¶ namespaces ¶ only team-a judged, 1 namespace in all", "the token may not see the others"}},
		{name: "the one namespace that was asked for", snapshot: region(func(s *Snapshot) { s.Namespaces, s.Namespace = []string{"team-a"}, "team-a" }), want: plugin.OK,
			says: []string{"only in namespace team-a"}, not: []string{"may not see"}},
		{name: "WARNING and CRITICAL apart: blocked critical", snapshot: region(blocked("memory exhausted on 4 nodes", waiting("a", "queued-allocs", 3*time.Hour))), limits: func(l *Limits) { l.BlockedCritical = plugin.NewTimeRange("2h") },
			want: plugin.Critical, says: []string{"memory exhausted on 4 nodes"}},
	} {
		t.Run(r.name, r.check)
	}
}

// Each command that is told names the namespace and the region, and takes no name for an option.
func TestCommands(t *testing.T) {
	const where = " -namespace team-a -region eu"
	in := JobID{"team-a", "-x"}
	e := waiting("", "job-register", time.Hour)
	e.JobID = in
	for name, r := range map[string]struct {
		snapshot Snapshot
		command  string
	}{
		"pending":    {region(pending(e)), "nomad eval status" + where + " 53665836"},
		"blocked":    {region(blocked("cpu", e)), "nomad eval status" + where + " 53665836"},
		"replanned":  {region(blocked("", Evaluation{JobID: in, ID: e.ID, Trigger: "max-plan-attempts", Created: e.Created, Due: e.Due})), "nomad eval status" + where + " 53665836"},
		"ageless":    {region(pending(Evaluation{JobID: in, ID: e.ID})), "nomad eval status" + where + " 53665836"},
		"allocation": {region(func(s *Snapshot) { *s.Allocations = []Allocation{{JobID: in, ID: e.ID, Created: e.Created}} }), "nomad alloc status" + where + " 53665836"},
		"lost":       {region(job("", time.Hour, func(j *Job) { j.JobID = in })), "nomad job eval" + where + " -- '-x'"},
		"failed":     {region(failed(FailedEvaluation{JobID: in})), "nomad job eval" + where + " -- '-x'"},
		"paused":     {region(pending(e), func(s *Snapshot) { s.Broker = BrokerPaused }), "nomad operator scheduler set-config -region eu -pause-eval-broker=false"},
		"servers":    {region(tolerance(0)), "nomad operator autopilot health -region eu"},
	} {
		r.snapshot.Region = "eu"
		v := Judge(r.snapshot, defaults(), noon)
		if text := judgetest.Story(v.Findings, v.Summary); !strings.Contains(text, r.command) {
			t.Errorf("%s: no %q in %s", name, r.command, text)
		}
	}
}

// An allocation whose age is not known is told, and not as new.
func TestAgelessAllocation(t *testing.T) {
	ageless := func(s *Snapshot) {
		*s.Allocations = append(*s.Allocations, Allocation{JobID: id("web"), ID: "a1f36ef0-12f8-e032-abc0-2bae0deefa23", Group: "g", Node: "dev1"})
	}
	row{snapshot: region(ageless), want: plugin.Warning, says: []string{"job web ¶ 1 allocation placed but not started, age unknown ¶  ¶", "alloc status a1f36ef0"}, not: []string{"since"}}.check(t)
	row{snapshot: region(ageless, stuck("api", "dev1", "", time.Hour)), want: plugin.Critical, says: []string{"job api", "age unknown"}}.check(t)
}

// Whoever draws the performance data sees what the verdict says: a point beyond its critical limit is a CRITICAL finding, a count of
// what is wrong is no 0 while something is told of it, and nothing is counted that is not told.
func TestMetricsAgreeWithTheVerdict(t *testing.T) {
	one := func(e Evaluation, change func(*Evaluation)) Evaluation { change(&e); return e }
	kinds := map[string]func(time.Duration) func(*Snapshot){
		"pending": func(d time.Duration) func(*Snapshot) { return pending(waiting("a", "job-register", d)) },
		"ageless": func(time.Duration) func(*Snapshot) {
			return pending(Evaluation{JobID: id("b"), ID: "53665836-6ea1-3b74-0de6-323b831f4c11"})
		},
		"remains": func(d time.Duration) func(*Snapshot) {
			return func(s *Snapshot) {
				pending(one(waiting("c", "alloc-failure", d), func(e *Evaluation) { e.Delayed = true }))(s)
				s.Remains[id("c")] = "purged"
			}
		},
		"replanned": func(d time.Duration) func(*Snapshot) { return blocked("", waiting("d", "max-plan-attempts", d)) },
		"blocked": func(d time.Duration) func(*Snapshot) {
			return blocked("cpu exhausted", waiting("e", "queued-allocs", d))
		},
		"allocation": func(d time.Duration) func(*Snapshot) { return stuck("f", "dev1", "", d) },
		"old allocation": func(time.Duration) func(*Snapshot) {
			return func(s *Snapshot) { *s.Allocations = append(*s.Allocations, Allocation{JobID: id("g"), ID: "a1f36ef0"}) }
		},
		"lost":       func(d time.Duration) func(*Snapshot) { return job("h", d) },
		"left alone": func(d time.Duration) func(*Snapshot) { return job("i", d, func(j *Job) { j.Closed = true }) },
		"never placed": func(d time.Duration) func(*Snapshot) {
			return job("j", d, func(j *Job) { j.Dead, j.Count, j.Closed = true, 1, true })
		},
		"paused": func(time.Duration) func(*Snapshot) { return func(s *Snapshot) { s.Broker = BrokerPaused } },
	}
	names := slices.Sorted(maps.Keys(kinds))
	for mask := range 4 << len(names) {
		age := []time.Duration{time.Second, 6 * time.Minute, 11 * time.Minute, 2 * time.Hour}[mask>>len(names)]
		var with []string
		s := region()
		for i, name := range names {
			if mask&(1<<i) != 0 {
				with = append(with, name)
				kinds[name](age)(&s)
			}
		}
		v := Judge(s, defaults(), noon)
		state := judgetest.Worst(v.Findings)
		beyond, wrong := false, 0.0
		for _, m := range v.Metrics {
			beyond = beyond || m.Critical != nil && m.Critical.Violates(m.Value)
			switch m.Label {
			case "evaluations_overdue", "evaluations_blocked_long", "allocations_late", "jobs_lost":
				wrong += m.Value
			}
		}
		paused := s.Broker == BrokerPaused // a fault that no point counts
		if beyond != (state == plugin.Critical) || wrong > 0 && state == plugin.OK || wrong == 0 && state != plugin.OK && !paused {
			t.Fatalf("%v, %v old: state %s, a point beyond critical: %v, %v counted as wrong:\n%s", with, age, state, beyond, wrong, judgetest.Story(v.Findings, v.Summary))
		}
	}
}

func TestMetrics(t *testing.T) {
	s := region(pending(waiting("a", "job-register", 20*time.Minute), waiting("b", "job-register", -time.Hour)), blocked("cpu", waiting("c", "queued-allocs", 2*time.Hour)),
		stuck("d", "n", "", 7*time.Minute), job("e", time.Hour), failed(FailedEvaluation{JobID: id("f")}))
	v := Judge(s, defaults(), noon)
	for label, want := range map[string]float64{"evaluations_pending": 2, "evaluations_blocked": 1, "evaluations_overdue": 1, "evaluations_blocked_long": 1, "evaluations_failed": 1,
		"evaluations_pending_oldest": 1200, "evaluations_blocked_oldest": 7200, "allocations_pending": 1, "allocations_late": 1, "allocations_pending_oldest": 420,
		"jobs_lost": 1, "jobs_lost_oldest": 3600, "servers": 3, "servers_silent": 0, "failure_tolerance": 1} {
		if got := value(t, v, label); got != want {
			t.Errorf("%s is %v, want %v", label, got, want)
		}
	}
	for _, m := range Judge(Snapshot{Leaderless: "EOF"}, defaults(), noon).Metrics {
		if !math.IsNaN(m.Value) {
			t.Errorf("%s is %v though nothing was read", m.Label, m.Value)
		}
	}
}
