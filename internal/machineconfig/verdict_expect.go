package machineconfig

import (
	"fmt"
	"slices"
	"strings"

	"overdue/internal/plugin"
)

// Expectation is a MachineConfig that has to have reached every node of a pool, or of all pools that are judged.
type Expectation struct{ Pool, Name string }

func parseExpectation(s string) (Expectation, error) {
	pool, name, ok := strings.Cut(s, "/")
	if !ok {
		pool, name = "", s
	}
	if name == "" || (ok && pool == "") || strings.Contains(name, "/") {
		return Expectation{}, fmt.Errorf("%q is no MachineConfig; write it as 99-worker-ssh, or worker/99-worker-ssh for one pool", plugin.Clean(s))
	}
	return Expectation{Pool: pool, Name: name}, nil
}

// expectations: proof after a deployment. The MachineConfig is in the target and every node runs the target, or it is not OK.
func (j *judgement) expectations() {
	for _, e := range j.limits.Expect {
		switch {
		case e.Pool != "" && e.Pool != j.pool.Name:
		case !j.pool.has(e.Name):
			if e.Pool != "" {
				f := absent(e.Name)
				if j.pool.Conditions[condRenderDegraded].True {
					f.Cause = "the target cannot be rendered"
				}
				j.add(f)
			}
		case j.outdated() > 0:
			total := max(len(j.rollout.nodes), j.pool.Machines)
			j.add(plugin.Finding{State: plugin.Warning,
				Problem: fmt.Sprintf("MachineConfig %s has reached %d of %s", e.Name, total-j.outdated(), plugin.Count(total, "node"))})
		case j.nodesRead:
			j.add(plugin.Finding{State: plugin.OK, Problem: fmt.Sprintf("MachineConfig %s has reached all %s", e.Name, plugin.Count(len(j.rollout.nodes), "node"))})
		}
	}
}

// inNoPool: a MachineConfig that was named without a pool has to be in one of those that are judged.
func inNoPool(pools []Pool, expect []Expectation) []plugin.Finding {
	var out []plugin.Finding
	for _, e := range expect {
		if e.Pool == "" && !slices.ContainsFunc(pools, func(p Pool) bool { return p.has(e.Name) }) {
			f := absent(e.Name)
			f.Subject = "cluster"
			out = append(out, f)
		}
	}
	return out
}

func absent(name string) plugin.Finding {
	return plugin.Finding{State: plugin.Critical, Problem: "MachineConfig " + name + " is in no target",
		Cause:       "it does not exist, or no pool's machineConfigSelector matches its labels, or it is not rendered yet",
		Consequence: "it reaches no node",
		Remedy:      "oc get mc " + name + " --show-labels"}
}
