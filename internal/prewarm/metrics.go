package prewarm

import (
	"fmt"
	"math"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// mostPools is how many pools have points of their own: four each beside the seven totals stay below 100.
const mostPools = 23

// metrics are the totals, and the points of each environment if they are few or were selected. A selected environment that is gone has
// its points all the same, as U.
func metrics(pools []poseidon.Pool, n *Nomad, selected []int, l Limits) []plugin.Metric {
	warning, critical := l.missing()
	var total poseidon.Pool
	low, stale, worst := 0, 0.0, 0.0
	if n == nil || n.Trouble != "" {
		stale = math.NaN()
	}
	for _, p := range pools {
		total.Idle, total.Used, total.Size = total.Idle+p.Idle, total.Used+p.Used, total.Size+p.Size
		if l.Low(p) {
			low++
		}
		if l.Stand(p, n) == Stale {
			stale++
		}
		worst = max(worst, missingPercent(p))
	}
	out := []plugin.Metric{
		{Label: "environments", Value: float64(len(pools))},
		{Label: "environments_low", Value: float64(low)},
		{Label: "environments_stale", Value: stale},
		{Label: "idle", Value: float64(total.Idle)},
		{Label: "used", Value: float64(total.Used)},
		{Label: "size", Value: float64(total.Size)},
		{Label: "missing_percent", Value: worst, Unit: "%", Warning: warning, Critical: critical},
	}
	if len(selected) == 0 {
		for _, p := range pools {
			selected = append(selected, p.ID)
		}
	}
	if len(selected) > mostPools {
		return out
	}
	of := map[int]poseidon.Pool{}
	for _, p := range pools {
		of[p.ID] = p
	}
	for _, id := range selected {
		p, known := of[id]
		point := func(name string, value float64) plugin.Metric {
			if !known {
				value = math.NaN()
			}
			return plugin.Metric{Label: fmt.Sprintf("environment_%d_%s", id, name), Value: value}
		}
		missing := point("missing_percent", missingPercent(p))
		missing.Unit, missing.Warning, missing.Critical = "%", warning, critical
		out = append(out, point("idle", float64(p.Idle)), point("used", float64(p.Used)), point("size", float64(p.Size)), missing)
	}
	return out
}

// unknownMetrics are those of a run that got no answer: the totals and the selected, all U.
func unknownMetrics(selected []int, l Limits) []plugin.Metric {
	out := metrics(nil, nil, selected, l)
	for i := range out {
		out[i].Value = math.NaN()
	}
	return out
}

// missingPercent grows with the trouble, as Icinga's graphs draw no threshold for what falls.
func missingPercent(p poseidon.Pool) float64 {
	if p.Size == 0 || p.Idle >= p.Size {
		return 0
	}
	return 100 - float64(p.Idle)*100/float64(p.Size)
}

// missing turns the thresholds "at least N %" round into plain ones: "at most 100-N % missing". Other ranges have no such form.
func (l Limits) missing() (warning, critical *plugin.Range) {
	turn := func(r plugin.Range) *plugin.Range {
		t := r.Threshold()
		if t == nil || t.Inside || !math.IsInf(t.Upper, 1) || t.Lower < 0 || t.Lower > 100 {
			return nil
		}
		turned := plugin.NewRange(fmt.Sprintf("%g", 100-t.Lower))
		return &turned
	}
	return turn(l.Warning), turn(l.Critical)
}
