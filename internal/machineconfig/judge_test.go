package machineconfig

import (
	"strings"
	"testing"
	"time"

	"overdue/internal/plugin"
)

func defaults() Limits {
	return Limits{
		PendingWarning: plugin.NewTimeRange("20m"), PendingCritical: plugin.NewTimeRange("30m"),
		NodeWarning: plugin.NewTimeRange("30m"), NodeCritical: plugin.NewTimeRange("60m"),
		Windows: Windows{Zone: time.UTC}, NoPools: plugin.Unknown,
	}
}

func everyPool(string) bool { return true }

// story is the judge's findings as one text, worst first, for assertions on words.
func story(v Verdict) string {
	var b strings.Builder
	for _, f := range v.Findings {
		b.WriteString(strings.Join(append([]string{f.State.String(), f.Subject, f.Problem, f.Cause, f.Consequence, f.Remedy}, f.Details...), " ¶ ") + "\n")
	}
	return b.String()
}

func worst(v Verdict) plugin.State {
	state := plugin.OK
	for _, f := range v.Findings {
		if f.State != plugin.OK && (state == plugin.OK || f.State > state && f.State != plugin.Unknown) {
			state = f.State
		}
	}
	return state
}

func TestPrintStories(t *testing.T) {
	now := at(t, "2026-12-01T04:30:00Z")
	for _, name := range []string{"a-pending-blocked-by-cordon", "b-pending-taint-only", "c-draining", "d-paused-pending", "e-degraded", "f-unrelated-notready", "g-stale-status", "h-render-degraded", "i-all-updated-two-cordoned", "j-custom-pool"} {
		t.Logf("%s\n%s", name, story(Judge(scenario(t, name), everyPool, defaults(), now)))
	}
	t.Logf("incident\n%s", story(Judge(controller(t, "incident-two-cordoned", ""), everyPool, defaults(), now)))
	t.Logf("blocked\n%s", story(Judge(controller(t, "pending-blocked-two-cordoned", "pending-blocked-two-cordoned-nodes.json"), everyPool, defaults(), now)))
	t.Logf("pdb\n%s", story(Judge(drainHeldByBudget(t), everyPool, defaults(), now)))
	t.Logf("pd\n%s", story(Judge(controller(t, "paused-pending-and-degraded", "paused-pending-and-degraded-nodes.json"), everyPool, defaults(), now)))
}
