package machineconfig

import (
	"overdue/internal/plugin"
)

// doubts are why more may be pending in a pool than its nodes show.
func (r rollout) doubts() (out []string) {
	if r.imageUnknown() {
		out = append(out, "whether an OS image is pending is not known (no right to list machineosconfigs)")
	}
	if r.pool.Generation > r.pool.ObservedGeneration {
		out = append(out, "pool "+r.pool.Name+" was changed, and machine-config-controller has not looked at it yet")
	}
	return out
}

// unrendered is one more, which the judgement of a pool tells by itself.
func (r rollout) unrendered() []string {
	if !r.pool.Conditions[condRenderDegraded].True {
		return nil
	}
	return []string{"pool " + r.pool.Name + " cannot render its configuration: what is pending once it can is not known"}
}

// doubted says in the first line what is not known, and grades no finding harmless for want of knowledge.
func doubted(finding plugin.Finding, doubts []string) plugin.Finding {
	if len(doubts) > 0 {
		finding.State = max(finding.State, plugin.Warning)
		finding.Problem += "; but " + plugin.List(doubts)
	}
	return finding
}
