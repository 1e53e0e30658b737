package prewarm

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// Verdict is what a judge has found.
type Verdict struct {
	Findings []plugin.Finding
	Metrics  []plugin.Metric
	Summary  string // for when all is well
}

// Judge judges the pools of the selected environments, or of all if none is selected. The selected must exist.
func Judge(s Snapshot, selected []int, l Limits, now time.Time) Verdict {
	j := judge{s, l, now}
	judged := s.Pools
	var findings []plugin.Finding
	if len(selected) > 0 {
		judged = nil
		for _, id := range selected {
			if p, ok := s.pool(id); ok {
				judged = append(judged, p)
			} else {
				findings = append(findings, j.unknown(id, plugin.Critical))
			}
		}
	}
	if len(selected) == 0 {
		for _, id := range j.strays() {
			findings = append(findings, j.unknown(id, plugin.Warning))
		}
	}
	findings = append(findings, j.nomad()...)
	if low, of, outage := l.Outage(s.Pools); outage && slices.ContainsFunc(judged, l.Low) {
		findings = append(findings, j.outage(judged, low, of))
	} else {
		for _, p := range judged {
			findings = append(findings, j.low(p)...)
		}
	}
	for _, p := range judged {
		findings = append(findings, j.stale(p)...)
		findings = append(findings, j.template(p)...)
	}
	if len(s.Pools) == 0 && len(selected) == 0 {
		findings = append(findings, plugin.Finding{State: plugin.Unknown, Subject: "Poseidon", Problem: "knows no environment",
			Remedy: "has CodeOcean synchronised its environments? if none is expected, do not check"})
	}
	return Verdict{findings, metrics(judged, s.Nomad, selected, l), summary(judged)}
}

type judge struct {
	Snapshot
	limits Limits
	now    time.Time
}

func (s Snapshot) pool(id int) (poseidon.Pool, bool) {
	for _, p := range s.Pools {
		if p.ID == id {
			return p, true
		}
	}
	return poseidon.Pool{}, false
}

func summary(pools []poseidon.Pool) string {
	idle, size, empty := 0, 0, 0
	for _, p := range pools {
		idle, size = idle+p.Idle, size+p.Size
		if p.Size == 0 {
			empty++
		}
	}
	text := fmt.Sprintf("%s, %d of %s idle", plugin.Count(len(pools), "pre-warming pool"), idle, plugin.Count(size, "runner"))
	if empty > 0 {
		text += fmt.Sprintf(", %d of size 0", empty)
	}
	return text
}

func subject(id int) string { return fmt.Sprintf("environment %d", id) }

// counts is how a pool stands by Poseidon's count.
func counts(p poseidon.Pool) string {
	text := fmt.Sprintf("%d of %s idle (%d %%)", p.Idle, plugin.Count(p.Size, "runner"), p.Idle*100/p.Size)
	if p.Used > 0 {
		text += fmt.Sprintf(", %d used", p.Used)
	}
	return text
}

// consequence is what learners notice.
func consequence(p poseidon.Pool) string {
	if p.Idle == 0 {
		return "learners get errors now"
	}
	return fmt.Sprintf("learners get errors once %s claimed", map[bool]string{true: "it is", false: "they are"}[p.Idle == 1])
}

// restart is gentler than a resync where Poseidon's memory is wrong: it reads idle and used runners back from Nomad (about 2 s), but open
// executions of all environments break.
const restart = "restart Poseidon, which counts anew (open executions of all environments break): systemctl restart poseidon"

// restart is what to do, with what must be done before: it forgets the environments whose own job is gone (poseidon#522).
func (j judge) restart() string {
	var lacking []string
	for _, p := range j.Pools {
		if r, known := j.Nomad.of(p.ID); known && !r.HasTemplate() && !j.Nomad.IsAWS(p) {
			lacking = append(lacking, fmt.Sprint(p.ID))
		}
	}
	if len(lacking) == 0 {
		return restart
	}
	return "first synchronise in CodeOcean what a restart would forget (environment " + plugin.List(lacking) + ", its used runners end), then " + restart
}

func (j judge) low(p poseidon.Pool) []plugin.Finding {
	if !j.limits.Low(p) || j.limits.Stand(p, j.Nomad) == Stale {
		return nil
	}
	f := plugin.Finding{State: j.limits.state(p.Idle, p.Size), Subject: subject(p.ID), Problem: counts(p), Consequence: consequence(p)}
	if p.Idle < min(j.limits.MinIdle, p.Size) {
		f.Problem += fmt.Sprintf(", fewer than --min-idle %d", j.limits.MinIdle)
	}
	runners, _ := j.Nomad.of(p.ID)
	switch j.limits.Stand(p, j.Nomad) {
	case Lost:
		f.Cause = fmt.Sprintf("lost in Poseidon's memory: Nomad runs %d idle", runners.Running)
		f.Remedy = j.restart()
	case Filling:
		f.Cause = fmt.Sprintf("Nomad runs %d idle, %d more starting or waiting for room", runners.Running, runners.Starting)
		f.Remedy = runners.WhenStuck()
	case Missing:
		f.Cause = fmt.Sprintf("really missing: Nomad runs %d idle, and none is starting", runners.Running)
		f.Remedy = j.resync(p)
	default:
		f.Cause, f.Remedy = "what Nomad runs is not known", "give --nomad-address to see whether they are missing or forgotten; then "+j.resync(p)
		if j.Nomad != nil {
			f.Cause, f.Remedy = "Nomad could not be asked: "+j.Nomad.Trouble, "see to Nomad first: check_nomad_evals"
		}
	}
	f.Details = j.newest(p.ID)
	return []plugin.Finding{f}
}

// resync is what to do about a pool whose runners are missing: what resync_prewarm_pool does, or, where it would refuse for as long as
// that stays so, another way. It knows the default limits only.
func (j judge) resync(p poseidon.Pool) string {
	limits, ends, options := DefaultLimits(), "", ""
	var low []string
	for _, other := range j.Pools {
		if other.ID != p.ID && limits.Low(other) {
			low = append(low, fmt.Sprint(other.ID))
		}
	}
	if p.Used > 0 {
		ends = fmt.Sprintf(" (it ends the %s)", plugin.Count(p.Used, "used runner"))
	}
	byHand := "synchronise it in CodeOcean" + ends
	runners, known := j.Nomad.of(p.ID)
	switch {
	case !limits.Low(p):
		return byHand + "; resync_prewarm_pool leaves alone what is half full"
	case len(low) > 0:
		return "look at Nomad first: check_nomad_evals; resync_prewarm_pool refuses while environment " + plugin.List(low) + " is low as well; one that is low for good: " +
			"set its pool size to 0 in CodeOcean; or " + byHand
	case slices.ContainsFunc(j.Pools, func(other poseidon.Pool) bool { return limits.Stand(other, j.Nomad) == Stale }):
		return j.restart()
	case known && runners == Runners{} && p.Used > 0:
		return "see that --nomad-namespace is Poseidon's, as Nomad shows nothing of it; if it is, " + byHand
	case p.Idle > 0 && p.Used > 0:
		options = " --spare-used never"
	}
	return fmt.Sprintf("resync_prewarm_pool --environment %d%s%s%s", p.ID, j.Argument, options, ends)
}

func (j judge) newest(id int) []string {
	r, known := j.Nomad.of(id)
	if !known || r.Newest.IsZero() {
		return nil
	}
	return []string{fmt.Sprintf("the youngest idle runner in Nomad was submitted %s ago (%s)", plugin.Age(j.now.Sub(r.Newest)), plugin.Moment(r.Newest))}
}

// stale finds pools that are well in Poseidon's memory only: its event stream may have stalled (poseidon#470).
func (j judge) stale(p poseidon.Pool) []plugin.Finding {
	if j.limits.Stand(p, j.Nomad) != Stale {
		return nil
	}
	r, _ := j.Nomad.of(p.ID)
	return []plugin.Finding{{
		State: max(j.limits.state(r.Running, p.Size), plugin.Warning), Subject: subject(p.ID),
		Problem:     fmt.Sprintf("Poseidon's statistics are stale (%d of %s idle)", p.Idle, plugin.Count(p.Size, "runner")),
		Cause:       fmt.Sprintf("Nomad runs %d, and %d are starting: its events did not reach Poseidon", r.Running, r.Starting),
		Consequence: "learners are given runners that are gone; a resync would take minutes and leave it empty",
		Remedy:      j.restart(), Details: j.newest(p.ID),
	}}
}

// template finds environments that Poseidon will not know after its next restart (poseidon#522, #612).
func (j judge) template(p poseidon.Pool) []plugin.Finding {
	r, known := j.Nomad.of(p.ID)
	if !known || r.HasTemplate() {
		return nil
	}
	if j.Nomad.IsAWS(p) {
		return []plugin.Finding{{State: plugin.OK, Subject: subject(p.ID), Problem: "taken for one on AWS: " + counts(p) + ", and Nomad knows nothing of it",
			Remedy: "if it is none, synchronise it in CodeOcean: its job is gone from Nomad"}}
	}
	what := "its job is dead in Nomad"
	if r.Template == "" {
		what = "its job is gone from Nomad"
	}
	return []plugin.Finding{{State: plugin.Warning, Subject: subject(p.ID), Problem: what, Cause: fmt.Sprintf("job template-%d", p.ID),
		Consequence: "Poseidon forgets the environment at its next restart, and nothing in its statistics will tell",
		Remedy:      "synchronise the environment in CodeOcean when its used runners may be ended"}}
}

func (j judge) unknown(id int, state plugin.State) plugin.Finding {
	f := plugin.Finding{State: state, Subject: subject(id), Problem: "Poseidon does not know it",
		Consequence: "learners get errors", Remedy: "synchronise it in CodeOcean, which has its configuration"}
	if r, known := j.Nomad.of(id); known && r.Running > 0 {
		f.Cause = fmt.Sprintf("Nomad runs %s of it: Poseidon has lost the environment", plugin.Count(r.Running, "idle runner"))
	}
	return f
}

// strays are environments that Nomad runs idle runners of, and Poseidon's statistics leave out (poseidon#522). They may be another
// Poseidon's, so they are worth a warning only; which must exist is what --environment tells.
func (j judge) strays() (ids []int) {
	if j.Nomad == nil {
		return nil
	}
	for id, r := range j.Nomad.Environments {
		if _, known := j.pool(id); !known && r.Running > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// outage is told instead of the single pools when so many are low that none of them is the cause.
func (j judge) outage(judged []poseidon.Pool, low, of int) plugin.Finding {
	f := plugin.Finding{Subject: "Poseidon", Problem: fmt.Sprintf("%d of %d pools low at once: an outage, not a pool's problem", low, of),
		Consequence: "a resync would end used runners, and not help"}
	standings := map[Standing]int{}
	for _, p := range judged {
		if !j.limits.Low(p) {
			continue
		}
		f.State = max(f.State, j.limits.state(p.Idle, p.Size))
		standings[j.limits.Stand(p, j.Nomad)]++
		f.Details = append(f.Details, subject(p.ID)+": "+counts(p))
	}
	switch {
	case j.Nomad != nil && j.Nomad.Outage:
		f.Cause, f.Remedy = "Nomad cannot start runners: "+j.Nomad.Trouble, "see to Nomad; the pools fill by themselves once it is back: check_nomad_evals"
	case standings[Lost] > 0:
		f.Cause, f.Remedy = fmt.Sprintf("lost in Poseidon's memory: Nomad runs the idle runners of %s", plugin.Count(standings[Lost], "environment")), j.restart()
	case standings[Filling] > 0:
		f.Cause, f.Remedy = "runners are starting or wait for room in Nomad", "wait some minutes; if they do not start, add capacity: check_nomad_evals"
	case standings[Missing] > 0:
		f.Cause, f.Remedy = "Nomad answers, and runs none of them", "look at Nomad's clients and evaluations first: check_nomad_evals, nomad node status"
	default:
		if j.Nomad != nil {
			f.Cause = "Nomad could not be asked: " + j.Nomad.Trouble
		}
		f.Remedy = "look at Nomad first: check_nomad_evals; then at Poseidon's log: journalctl -u poseidon"
	}
	return f
}

// nomad tells that the cross-check could not be made.
func (j judge) nomad() []plugin.Finding {
	if j.Nomad == nil || j.Nomad.Trouble == "" {
		return nil
	}
	return []plugin.Finding{{State: plugin.Warning, Subject: "Nomad", Problem: "the statistics cannot be checked", Cause: j.Nomad.Trouble,
		Consequence: "Poseidon's counts may be old: it goes on giving out runners while Nomad is away", Remedy: cmp.Or(j.Nomad.Remedy, "see to Nomad: check_nomad_evals")}}
}
