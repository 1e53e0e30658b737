package resync

import (
	"cmp"
	"fmt"
	"time"

	"overdue/internal/plugin"
)

// byCall heeds what Icinga told. It calls a handler for much that is no reason to act.
func byCall(f Facts, rules Rules, _ Moment) *Decision {
	c := f.Call
	switch {
	case c.Skip:
		return nothing("another node acts (--skip)")
	case c.Downtime > 0:
		return nothing("the service is in a downtime")
	case c.HostDown > 0:
		return nothing("the service's host is in a downtime")
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
		return refuse(s.Remedy, "without its record a resync could be doubled: %s", s.Trouble)
	case s.LockedBy != "":
		return refuse(cmp.Or(s.Remedy, fmt.Sprintf("wait until it has ended, which its log line tells (journalctl OVERDUE_ENVIRONMENT=%d); if it acts, --cooldown (%s) counts from then, or else this may act at once",
			f.Environment, plugin.Duration(rules.Cooldown))), "%s", s.LockedBy)
	case s.Last.Outcome == DidNotHelp && !rules.Force:
		return refuse(cmp.Or(s.Last.Remedy, advice)+"; then the recovery of the service, or --force by hand, lets the handler act again", "%s", inVain(s.Last))
	}
	if d := cooling(f, s.Last, rules, now); d != nil {
		return d
	}
	if d := cooling(f, s.Restart, rules, now); d != nil { // Poseidon may still be reading its runners
		return d
	}
	return byElsewhere(f, rules, now)
}

// inVain tells what did not help, or may not have: its pool was not seen any more.
func inVain(r Record) string {
	if r.After == (Pool{}) {
		return fmt.Sprintf("it is not known whether the %s at %s helped (idle %s before)", r.Action, clock(r), r.Before)
	}
	return fmt.Sprintf("the %s at %s did not help (idle %s → %s)", r.Action, clock(r), r.Before, r.After)
}

// cooling refuses when something was done a short while ago, and tells from when on the handler of this environment may act.
func cooling(f Facts, r Record, rules Rules, now Moment) *Decision {
	if !r.exists() {
		return nil
	}
	age, future := r.age(now)
	how := fmt.Sprintf("the last %s was at %s", r.Action, clock(r))
	if r.Outcome == Begun {
		how = fmt.Sprintf("process %d on %s began a %s at %s and did not come to its end", r.PID, r.Host, r.Action, clock(r))
	}
	if skew := now.Wall.Sub(r.At) - age; skew.Abs() > clockJitter {
		how += " by the clock of " + r.Host
	}
	from := now.Wall.Add(rules.Cooldown - age).Add(time.Minute - 1) // told in whole minutes, never too early
	next := fmt.Sprintf("from %s on it may act: at the next SOFT check, or by hand with the same options: %s", plugin.Moment(from), f.command())
	if rules.Force {
		next += " --force; --force passes over the marker, not over --cooldown"
	}
	switch {
	case future:
		return refuse(next, "%s, which is in the future: a clock was wrong; it counts as now, and --cooldown is %s", how, plugin.Duration(rules.Cooldown))
	case age < rules.Cooldown:
		return refuse(next, "%s, %s ago, and --cooldown is %s", how, plugin.Age(age), plugin.Duration(rules.Cooldown))
	}
	return nil
}
