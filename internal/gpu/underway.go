package gpu

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// Values of the driver's upgrade state in which nothing goes on: the queue, in which GPUs work and which may last for weeks, and
// the two ends.
const (
	upgradeRequired = "upgrade-required"
	upgradeDone     = "upgrade-done"
	upgradeFailed   = "upgrade-failed"
)

// underway is something that passes by itself, for which the node is given the grace.
type underway struct {
	what    string
	since   moment // last sign of progress
	stuck   bool   // of a kind that may hang; the others end with the grace
	first   bool   // explains missing pods better than any young taint does
	restart bool   // than such a taint that a program sets while a node starts
	remedy  func(nodes []string) string
}

// underway finds what goes on on the node, the most telling first.
func (j *judgement) underway(v *view) (underway, bool) {
	upgrade, paused := v.Labels[j.params.UpgradeLabel], pausedLabels(v.Node)
	changing, isChanging := inState(v.Node, "pending", "rebooting")
	switch {
	case upgrade != "" && upgrade != upgradeRequired && upgrade != upgradeDone && upgrade != upgradeFailed:
		return underway{what: "driver upgrade in progress (state " + upgrade + ")", since: j.upgraded(v), stuck: true,
			remedy: func(nodes []string) string {
				return fmt.Sprintf("see the driver's pod, then begin it anew: kubectl label nodes %s --overwrite %s=%s", some(nodes), j.params.UpgradeLabel, upgradeRequired)
			}}, true
	case isChanging:
		u := underway{what: changing.of(v.Node) + " " + v.Labels[changing.state], since: moment{Time: v.Written[changing.state]}, stuck: true,
			remedy: j.restart(changing.manager, changing.say)}
		if len(paused) > 0 {
			u.what += ", deploy labels are " + v.Labels[paused[0]]
		}
		return u, true
	case len(paused) > 0:
		u := underway{what: fmt.Sprintf("%s are %s", plugin.Count(len(paused), "deploy label"), v.Labels[paused[0]]),
			since: moment{Time: v.Written[paused[0]]}, stuck: true, remedy: setBack(v.Node, paused)}
		if !j.within(u) {
			u.what += ", and nothing goes on that would set them back"
		}
		return u, true
	case v.updating() && !v.updateFailed():
		return underway{what: "machine-config update in progress", since: latest(v.Written[mcoDesired], v.Written[mcoState])}, true
	}
	if u, ok := j.started(v.Node); ok {
		return u, true
	}
	for _, d := range v.selected {
		if d.Role == roleAuxiliary || slices.Contains(v.blocked, d) {
			continue
		}
		if since, ok := j.replaced(v, d); ok {
			what := "is young"
			if pod, _ := j.pod(v.Node, d); pod == nil || pod.Deleting {
				what = "is being replaced"
			}
			return underway{what: fmt.Sprintf("pod of %s %s", d.Name, what), since: since}, true
		}
	}
	if u, ok := j.settling(v); ok {
		return u, true
	}
	return underway{}, false
}

// driverFirst is the remedy where the driver's pod is ill too: its manager pauses the deploy labels itself, and sets them back once the
// driver runs.
func driverFirst(driver link, u underway) func([]string) string {
	return func(nodes []string) string {
		return driver.remedy(nodes) + ", and only when the driver runs: " + u.remedy(nodes)
	}
}

// started: the node is new, or has come back.
func (j *judgement) started(n *Node) (underway, bool) {
	switch {
	case j.young(n.Created):
		return underway{what: "new node", since: moment{n.Created, true}, first: true}, true
	case n.Ready && j.young(n.ReadySince):
		return underway{what: "Ready again after a restart", since: moment{n.ReadySince, true}, restart: true}, true
	}
	return underway{}, false
}

// within says whether the grace lasts. What began at an unknown time has none.
func (j *judgement) within(u underway) bool { return j.young(u.since.Time) }

// upgraded is the last sign of progress of a driver upgrade: its state, the cordon that begins it, the operator's own clocks,
// the new driver pod. A pod counts for no longer than two graces after the state was written, as it may be made anew for ever.
func (j *judgement) upgraded(v *view) moment {
	state := v.Written[j.params.UpgradeLabel]
	times := []time.Time{state, v.CordonedSince}
	for _, key := range []string{annotationValidation, annotationPodsDone} {
		if seconds := epoch(v.Annotations[key]); !seconds.IsZero() {
			times = append(times, seconds)
		}
	}
	for _, d := range v.selected {
		if pod, _ := j.pod(v.Node, d); pod != nil && d.Role == roleDriver && (state.IsZero() || pod.Created.Sub(state) < 2*j.limits.Grace) {
			times = append(times, pod.Created)
		}
	}
	return latest(times...)
}

// pausedLabels are the deploy labels that a manager has set aside while it works, the device plugin's first.
func pausedLabels(n *Node) []string {
	var out []string
	for _, key := range n.labelled(deployPrefix) {
		if strings.Contains(n.Labels[key], pausedMark) {
			if key == deployPlugin {
				out = slices.Insert(out, 0, key)
			} else {
				out = append(out, key)
			}
		}
	}
	return out
}
