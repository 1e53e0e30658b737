package resync

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"overdue/internal/plugin"
	"overdue/internal/prewarm"
)

// Action is what a decision is about.
type Action int

// A decision to Ask says that nothing known so far forbids to act, and that the next facts are to be had.
const (
	Ask     Action = iota
	Nothing        // there is nothing to do
	Refuse
	Resync  // PUT the environment anew
	Restart // run the operator's command that restarts Poseidon
)

// Decision is what to do and why.
type Decision struct {
	Action Action
	Reason string
	Remedy string // for a person; "" if there is nothing to do by hand
}

const advice = "restart Poseidon (systemctl restart poseidon): it reads its runners from Nomad anew"

// Decide says what to do. It goes from what costs nothing to know to what must be asked for, and when in doubt it refuses.
func Decide(f Facts, rules Rules, now Moment) Decision {
	for _, judge := range []func(Facts, Rules, Moment) *Decision{byCall, byState, byPools, byNomad, byUsed} {
		if d := judge(f, rules, now); d != nil {
			return *d
		}
	}
	pool := f.Pools[f.Environment]
	return Decision{Action: Resync, Reason: fmt.Sprintf("%s runners are idle, and %s", pool, ended(pool.Used))}
}

// DecideAgain decides at a second look, some seconds after the first. What moved in between is being refilled already: by
// CodeOcean, by Poseidon's own reload, or by a person (poseidon#716). Two resyncs at once end each other's runners.
func DecideAgain(first, second Facts, rules Rules, now Moment) Decision {
	d := Decide(second, rules, now)
	if d.Action != Resync && d.Action != Restart {
		return d
	}
	if before := Decide(first, rules, now); before.Action != d.Action {
		return *refuse("", "its pool moves: before, %s; now %s", before.Reason, d.Reason)
	}
	if d.Action == Restart { // claims and their replacements go on meanwhile
		return d
	}
	was, is := first.Pools[first.Environment], second.Pools[second.Environment]
	if was.Idle != is.Idle || was.Size != is.Size {
		return *refuse("", "its pool moves: idle %s → %s between two looks; somebody is at it already", was, is)
	}
	if ran, runs := first.running(), second.running(); ran != runs {
		return *refuse("", "its pool moves: Nomad ran %d idle runners, and runs %d at the second look; somebody is at it already", ran, runs)
	}
	return d
}

func nothing(format string, args ...any) *Decision {
	return &Decision{Action: Nothing, Reason: fmt.Sprintf(format, args...)}
}

func refuse(remedy, format string, args ...any) *Decision {
	return &Decision{Action: Refuse, Reason: fmt.Sprintf(format, args...), Remedy: remedy}
}

// byCall heeds what Icinga told. It calls a handler for much that is no reason to act.
func byCall(f Facts, rules Rules, _ Moment) *Decision {
	c := f.Call
	switch {
	case c.Skip:
		return nothing("another node acts (--skip)")
	case c.Downtime > 0:
		return nothing("the service is in a downtime")
	case c.ByHand:
		return nil
	case c.State == plugin.OK:
		return nothing("the service is OK")
	case c.State != plugin.Warning && c.State != plugin.Critical:
		return nothing("the service is %s, which says nothing of the pool", c.State)
	case c.Hard && !rules.On.Hard:
		return nothing("the state is HARD, and --on %s does not name that", &rules.On)
	case !c.Hard && rules.On.Soft == 0:
		return nothing("the state is SOFT, and --on %s waits for HARD", &rules.On)
	case !c.Hard && c.Attempt < rules.On.Soft:
		return nothing("the state is SOFT at attempt %d, and --on %s looks again until attempt %d", c.Attempt, &rules.On, rules.On.Soft)
	}
	return nil
}

// byState heeds other runs, those of the past included.
func byState(f Facts, rules Rules, now Moment) *Decision {
	if f.State == nil {
		return &Decision{Action: Ask}
	}
	s := f.State
	switch {
	case s.Trouble != "":
		return refuse("see docs/resync_prewarm_pool.md, The state directory", "without it a resync could be doubled: %s", s.Trouble)
	case s.LockedBy != "":
		return refuse("", "%s", s.LockedBy)
	case s.Last.Outcome == DidNotHelp && !rules.Force:
		return refuse(advice+"; then the recovery of the service, or --force by hand, lets the handler act again",
			"the %s at %s did not help (idle %s → %s)", s.Last.Action, clock(s.Last), s.Last.Before, s.Last.After)
	}
	if d := cooling(s.Last, rules, now); d != nil {
		return d
	}
	return nil
}

// cooling refuses when something was done a short while ago.
func cooling(r Record, rules Rules, now Moment) *Decision {
	if !r.exists() {
		return nil
	}
	age, future := r.age(now)
	how := fmt.Sprintf("the last %s was at %s", r.Action, clock(r))
	if r.Outcome == Begun {
		how = fmt.Sprintf("process %d on %s began a %s at %s and did not come to its end", r.PID, r.Host, r.Action, clock(r))
	}
	switch {
	case future:
		return refuse("", "%s, which is in the future: a clock was wrong; it counts as now, and --cooldown is %s", how, plugin.Duration(rules.Cooldown))
	case age < rules.Cooldown:
		return refuse("", "%s, %s ago, and --cooldown is %s", how, plugin.Age(age), plugin.Duration(rules.Cooldown))
	}
	return nil
}

// byPools heeds what Poseidon counts.
func byPools(f Facts, _ Rules, _ Moment) *Decision {
	if f.Pools == nil {
		return &Decision{Action: Ask}
	}
	pool, known := f.Pools[f.Environment]
	switch {
	case !known:
		return refuse("synchronise it in CodeOcean, which holds its configuration", "Poseidon does not know this environment")
	case pool.Size == 0:
		return nothing("its pool is meant to be empty (size 0)")
	case !pool.Low():
		return nil // Nomad may know better
	}
	var low []string
	for _, id := range slices.Sorted(maps.Keys(f.Pools)) {
		if f.Pools[id].Low() {
			low = append(low, strconv.Itoa(id))
		}
	}
	if len(low) > 1 {
		return refuse("look at Nomad first: nomad server members, nomad node status; then at Poseidon's log",
			"%d of %d environments are low at once (%s): an outage, not a pool problem", len(low), len(f.Pools), plugin.List(low))
	}
	return nil
}

// byNomad heeds what Nomad says of the same runners.
func byNomad(f Facts, rules Rules, now Moment) *Decision {
	pool := f.Pools[f.Environment]
	if rules.WithoutNomad {
		if !pool.Low() {
			return nothing("the pool has recovered: %s runners are idle", pool)
		}
		return nil
	}
	if f.Nomad == nil {
		return &Decision{Action: Ask}
	}
	if f.Nomad.Trouble != "" {
		return refuse("look at Nomad first: check_nomad_evals", "while Nomad cannot be asked a resync could end runners and start none: %s", f.Nomad.Trouble)
	}
	runners := f.Nomad.Environments[f.Environment]
	switch standing := limits.Stand(pool.of(f.Environment), f.Nomad); {
	case standing == prewarm.Stale:
		return refuse(advice, "Poseidon counts %s idle runners, Nomad runs %d: its event stream has stalled, and a resync would empty the pool", pool, runners.Running)
	case standing == prewarm.Fine:
		return nothing("the pool has recovered: %s runners are idle", pool)
	case standing == prewarm.Filling:
		return refuse("wait; if it stays so, add capacity: nomad node status",
			"%s runners are idle and Nomad is starting %d: it is filling or has no room, and a resync would begin anew", pool, runners.Starting)
	case standing == prewarm.Lost:
		return lost(f, rules, now)
	case standing != prewarm.Missing, runners.Template == "" && runners.Running == 0 && pool.Idle > 0:
		return refuse("is --nomad-namespace right, and --nomad-address that of Poseidon's servers?",
			"Poseidon counts %s idle runners, and Nomad shows nothing of this environment", pool)
	}
	return nil
}

// lost is for runners that Poseidon has forgotten. A resync would end them, the used ones too; a restart finds them again, but
// forgets the environments whose own job is gone (poseidon#522).
func lost(f Facts, rules Rules, now Moment) *Decision {
	reason := fmt.Sprintf("Poseidon counts %s idle runners, Nomad runs %d: lost in Poseidon's memory", f.Pools[f.Environment], f.running())
	var lacking []string
	for _, id := range slices.Sorted(maps.Keys(f.Pools)) {
		if !f.Nomad.Environments[id].HasTemplate() {
			lacking = append(lacking, strconv.Itoa(id))
		}
	}
	switch {
	case len(lacking) > 0:
		return refuse("first synchronise those in CodeOcean (their used runners end), then "+advice,
			"%s; a resync would end them, and a restart would forget environment %s, whose job in Nomad is gone", reason, plugin.List(lacking))
	case !rules.MayRestart:
		return refuse(advice, "%s, and a resync would end them", reason)
	}
	if d := cooling(f.State.Restart, rules, now); d != nil {
		return d
	}
	return &Decision{Action: Restart, Reason: reason}
}

// byUsed heeds the runners that people work with.
func byUsed(f Facts, rules Rules, _ Moment) *Decision {
	pool := f.Pools[f.Environment]
	switch {
	case pool.Used == 0 || rules.Spare == SpareNever:
		return nil
	case rules.Spare == SpareAlways:
		return refuse("wait until they end, or by hand: --spare-used never", "a resync would end %s (--spare-used always)", plugin.Count(pool.Used, "used runner"))
	case pool.Idle > 0:
		return refuse("wait until they end or the pool is empty, or by hand: --spare-used never",
			"a resync would end %s while %d idle ones are left to claim (--spare-used auto)", plugin.Count(pool.Used, "used runner"), pool.Idle)
	}
	return nil
}

func ended(used int) string {
	if used == 0 {
		return "it ends no used runner"
	}
	return fmt.Sprintf("it ends %s", plugin.Count(used, "used runner"))
}

// clock tells when a record was made.
func clock(r Record) string { return plugin.Moment(r.At) }
