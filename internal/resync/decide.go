package resync

import (
	"fmt"

	"overdue/internal/plugin"
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
	Breaks int    // of a restart: how many runners are used, whose executions it may break
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
	if was.Used < is.Used { // only an idle runner can be claimed: runners come
		return *refuse("", "its pool moves: %s, and %d at the second look; somebody refills it already", plugin.Count(was.Used, "used runner"), is.Used)
	}
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

// clock tells when a record was made.
func clock(r Record) string { return plugin.Moment(r.At) }
