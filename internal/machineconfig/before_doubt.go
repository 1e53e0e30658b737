package machineconfig

import (
	"fmt"

	"overdue/internal/plugin"
)

// doubts are why more may be pending in a pool than its nodes show.
func (r rollout) doubts() (out []string) {
	name := r.pool.Name
	if !r.images.read {
		out = append(out, "whether an OS image is pending is not known (machineosconfigs could not be listed)")
	} else if _, layered := r.images.of[name]; layered && r.images.unbuilt {
		out = append(out, "whether an OS image is being built for pool "+name+" is not known (machineosbuilds could not be listed)")
	}
	if r.pool.Generation > r.pool.ObservedGeneration {
		out = append(out, "pool "+name+" was changed, and machine-config-controller has not looked at it yet")
	}
	return out
}

// doubtsOfPool are further ones, which the judgement of the pool tells by itself.
func (r rollout) doubtsOfPool() (out []string) {
	name := r.pool.Name
	if r.pool.Conditions[condRenderDegraded].True {
		out = append(out, "pool "+name+" cannot render its configuration: what is pending once it can is not known")
	}
	if r.pool.Target == "" {
		out = append(out, "pool "+name+" has no rendered configuration: what is pending once it has one is not known")
	}
	if r.pool.imageFailed() {
		out = append(out, "the OS image of pool "+name+" could not be built: once it can, its nodes are drained and rebooted")
	}
	if r.nodesMissing() {
		out = append(out, fmt.Sprintf("only %d of the %d nodes of pool %s could be read", len(r.nodes), r.pool.Machines, name))
	}
	return out
}

// doubted says in the first line what is not known, and grades no finding harmless for want of knowledge.
func doubted(finding plugin.Finding, doubts []string) plugin.Finding {
	if len(doubts) > 0 {
		finding.State = max(finding.State, plugin.Warning)
		finding.Problem += "; but " + plugin.List(doubts)
	}
	return finding
}
