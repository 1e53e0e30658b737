package resync

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"overdue/internal/plugin"
	"overdue/internal/prewarm"
)

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
		return refuse("look at Nomad first: nomad server members, nomad node status; then at Poseidon's log; one that is low for good: set its pool size to 0 in CodeOcean, or synchronise there by hand what is needed",
			"%d of %d environments are low at once (%s): an outage, not a pool problem", len(low), len(f.Pools), plugin.List(low))
	}
	return nil
}

// byNomad heeds what Nomad says of the same runners.
func byNomad(f Facts, rules Rules, now Moment) *Decision {
	pool := f.Pools[f.Environment]
	if rules.WithoutNomad {
		if !pool.Low() {
			return enough(pool)
		}
		return nil
	}
	if f.Nomad == nil {
		return &Decision{Action: Ask}
	}
	if f.Nomad.Trouble != "" {
		return refuse(cmp.Or(f.Nomad.Remedy, "look at Nomad first: check_nomad_evals"), "while Nomad cannot be asked a resync could end runners and start none: %s", f.Nomad.Trouble)
	}
	runners := f.Nomad.Environments[f.Environment]
	switch standing := limits.Stand(pool.of(f.Environment), f.Nomad); {
	case pool.Idle+pool.Used > 0 && runners == prewarm.Runners{}:
		return refuse("is --nomad-namespace right, and --nomad-address that of Poseidon's servers? if they are, synchronise it in CodeOcean",
			"Poseidon counts %s idle runners and %s, and Nomad shows nothing of this environment", pool, plugin.Count(pool.Used, "used runner"))
	case standing == prewarm.Stale:
		return refuse(advice, "Poseidon counts %s idle runners, Nomad runs %d: its event stream has stalled, and a resync would empty the pool", pool, runners.Running)
	case standing == prewarm.Fine:
		return enough(pool)
	case standing == prewarm.Filling:
		return refuse(runners.WhenStuck(),
			"%s runners are idle and Nomad is starting %d: it is filling or has no room, and a resync would begin anew", pool, runners.Starting)
	case standing == prewarm.Lost:
		return lost(f, rules, now)
	case standing != prewarm.Missing:
		return refuse("look at Poseidon's and Nomad's logs", "Poseidon counts %s idle runners, Nomad runs %d: that fits no known case", pool, runners.Running)
	}
	return byOthers(f)
}

// enough has nothing to do. A service with another threshold may be bad while the pool is half full.
func enough(p Pool) *Decision {
	if p.Idle < p.Size {
		return nothing("the pool is at least half full (%s), and this handler acts below 50 %%", p)
	}
	return nothing("the pool has recovered: %s runners are idle", p)
}

// byOthers heeds that one event stream and one Nomad serve all environments: where those of another one fail, a resync of this one
// ends runners and starts none (poseidon#470).
func byOthers(f Facts) *Decision {
	for _, id := range slices.Sorted(maps.Keys(f.Pools)) {
		standing := limits.Stand(f.Pools[id].of(id), f.Nomad)
		if id != f.Environment && (standing == prewarm.Stale || standing == prewarm.Lost || standing == prewarm.Missing) {
			return refuse(advice, "of environment %d Poseidon counts %s idle runners, Nomad runs %d: an outage, or a stalled event stream, and a resync would empty the pool",
				id, f.Pools[id], f.Nomad.Environments[id].Running)
		}
	}
	return nil
}

// lost is for runners that Poseidon has forgotten. A resync would end them, the used ones too; a restart finds them again, but
// forgets the environments whose own job is gone (poseidon#522).
func lost(f Facts, rules Rules, now Moment) *Decision {
	reason := fmt.Sprintf("Poseidon counts %s idle runners, Nomad runs %d: lost in Poseidon's memory", f.Pools[f.Environment], f.running())
	var lacking []string
	for _, id := range slices.Sorted(maps.Keys(f.Pools)) {
		if !f.Nomad.Environments[id].HasTemplate() && !f.Nomad.IsAWS(f.Pools[id].of(id)) {
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
	if d := unfinished(f, rules, now); d != nil {
		return d
	}
	used := 0
	for _, pool := range f.Pools {
		used += pool.Used
	}
	breaks := "no execution"
	if used > 0 {
		breaks = "up to " + plugin.Count(used, "execution")
	}
	if d := spare(rules, used, f.Pools[f.Environment].Idle, "a restart would break "+breaks+" of all environments"); d != nil {
		return d
	}
	return &Decision{Action: Restart, Reason: reason + ", and it breaks " + breaks, Breaks: used}
}

// unfinished refuses a restart that might break off the resync of another environment: Poseidon goes on with one whose caller is gone.
func unfinished(f Facts, rules Rules, now Moment) *Decision {
	s := f.State
	if s.OthersTrouble != "" {
		return refuse(lookAtIt, "a restart could break off the resync of another environment: %s", s.OthersTrouble)
	}
	for _, id := range slices.Sorted(maps.Keys(s.Others)) {
		if r := s.Others[id]; r.Outcome == Begun {
			if d := cooling(f, r, rules, now); d != nil {
				d.Reason = fmt.Sprintf("environment %d: %s", id, d.Reason)
				return d
			}
		}
	}
	return nil
}

// byUsed heeds the runners that people work with.
func byUsed(f Facts, rules Rules, _ Moment) *Decision {
	pool := f.Pools[f.Environment]
	return spare(rules, pool.Used, pool.Idle, "a resync would end "+plugin.Count(pool.Used, "used runner"))
}

// spare refuses harm to so many used runners, as --spare-used has it. idle is how many are left to claim.
func spare(rules Rules, used, idle int, harm string) *Decision {
	switch {
	case used == 0 || rules.Spare == SpareNever:
		return nil
	case rules.Spare == SpareAlways:
		return refuse("wait until they end, or by hand: --spare-used never", "%s (--spare-used always)", harm)
	case idle > 0:
		return refuse("wait until they end or the pool is empty, or by hand: --spare-used never",
			"%s while %d idle ones are left to claim (--spare-used auto)", harm, idle)
	}
	return nil
}

func ended(used int) string {
	if used == 0 {
		return "it ends no used runner"
	}
	return fmt.Sprintf("it ends %s", plugin.Count(used, "used runner"))
}
