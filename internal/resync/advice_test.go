package resync

import (
	"fmt"
	"strings"
	"testing"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
	"overdue/internal/prewarm"
)

// TestAdvice holds that the handler does what check_prewarm_pool advises to have it do, whatever the pools, Nomad and the thresholds are.
func TestAdvice(t *testing.T) {
	advised, withOption := 0, 0
	strict := prewarm.DefaultLimits()
	strict.MinIdle = 3
	for _, s := range situations() {
		for _, limits := range []prewarm.Limits{prewarm.DefaultLimits(), strict} {
			for _, finding := range prewarm.Judge(s, []int{29}, limits, noon.Wall).Findings {
				command, _, _ := strings.Cut(finding.Remedy, " (")
				if !strings.HasPrefix(command, "resync_prewarm_pool ") {
					continue
				}
				advised++
				rules := usual()
				if strings.HasSuffix(command, " --spare-used never") {
					rules.Spare = SpareNever
					withOption++
				}
				f := Facts{Environment: 29, Call: Call{ByHand: true}, State: &State{}, Pools: map[int]Pool{}, Nomad: s.Nomad}
				for _, p := range s.Pools {
					f.Pools[p.ID] = Pool{Idle: p.Idle, Used: p.Used, Size: p.Size}
				}
				if d := Decide(f, rules, noon); d.Action != Resync {
					t.Fatalf("%v, Nomad %+v: the check says %q, and the handler: %s", s.Pools, s.Nomad.Environments, finding.Remedy, d.Reason)
				}
			}
		}
	}
	if advised == 0 || withOption == 0 || withOption == advised {
		t.Errorf("advised %d times, %d of them with an option", advised, withOption)
	}
}

// situations are pools of two environments and what Nomad runs of them.
func situations() (all []prewarm.Snapshot) {
	for _, idle := range []int{0, 1, 2, 3} {
		for _, used := range []int{0, 2} {
			for _, other := range []int{0, 4} {
				for _, runs := range []prewarm.Runners{{}, {Template: "dead"}, {Running: 1, Template: "running"}, {Running: 3, Template: "running"}, {Running: 1, Starting: 1, Template: "running"}} {
					for _, otherRuns := range []int{0, 4} {
						all = append(all, prewarm.Snapshot{
							Pools: []poseidon.Pool{{ID: 10, Size: 4, Idle: other}, {ID: 11, Size: 4, Idle: 4}, {ID: 12, Size: 4, Idle: 4}, {ID: 29, Size: 4, Idle: idle, Used: used}},
							Nomad: &prewarm.Nomad{Environments: map[int]prewarm.Runners{
								10: {Running: otherRuns, Template: "running"}, 11: {Running: 4, Template: "running"}, 12: {Running: 4, Template: "running"}, 29: runs}},
						})
					}
				}
			}
		}
	}
	return all
}

// TestDecideWaysOut holds that a refusal which may last says how to get out of it.
func TestDecideWaysOut(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*Facts, *Rules)
		says   string
	}{
		"another environment that is dead for good": {pools(map[int]Pool{10: {Size: 4}, 11: {Idle: 4, Size: 4}, 12: {Idle: 4, Size: 4}, 29: {Idle: 1, Size: 4}}), "set its pool size to 0 in CodeOcean"},
		"Nomad shows nothing": {func(f *Facts, _ *Rules) {
			f.Pools, f.Nomad.Environments[29] = map[int]Pool{29: {Used: 2, Size: 4}}, prewarm.Runners{}
		}, "if they are, synchronise it in CodeOcean"},
		"starting": {func(f *Facts, _ *Rules) {
			f.Nomad.Environments[29] = prewarm.Runners{Running: 1, Starting: 1, Fresh: 1, Template: "running"}
		}, "wait some minutes"},
		"pending for ever": {func(f *Facts, _ *Rules) {
			f.Nomad.Environments[29] = prewarm.Runners{Running: 1, Starting: 1, Template: "running"}
		}, "an evaluation that was lost: check_nomad_evals"},
	} {
		f, rules := depleted(), usual()
		row.change(&f, &rules)
		if d := Decide(f, rules, noon); d.Action != Refuse || !strings.Contains(d.Remedy, row.says) {
			t.Errorf("%s: %s; do: %q, want %q", name, fmt.Sprint(d.Action), d.Remedy, row.says)
		}
	}
	if d := Decide(Facts{Call: Call{State: plugin.Critical, Hard: true, HostDown: 1}}, usual(), noon); d.Action != Nothing || !strings.Contains(d.Reason, "host is in a downtime") {
		t.Errorf("the host is in a downtime: %+v", d)
	}
}
