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
		if e.Pool != "" && e.Pool != j.pool.Name {
			continue
		}
		switch {
		case e.Name != j.pool.Target && !slices.Contains(j.pool.Sources, e.Name):
			f := plugin.Finding{State: plugin.Critical, Problem: "MachineConfig " + e.Name + " is not in the pool's target",
				Cause:       j.pool.Target + " was rendered without it",
				Consequence: "it reaches no node",
				Remedy:      fmt.Sprintf("see that it exists and that its label machineconfiguration.openshift.io/role is %s: oc get mc %s --show-labels", j.pool.Name, e.Name)}
			if j.pool.Conditions[condRenderDegraded].True {
				f.Cause = "the target cannot be rendered"
			}
			j.add(f)
		case j.outdated() > 0:
			total := max(len(j.rollout.nodes), j.pool.Machines)
			j.add(plugin.Finding{State: plugin.Warning,
				Problem: fmt.Sprintf("MachineConfig %s has reached %d of %s", e.Name, total-j.outdated(), plugin.Count(total, "node"))})
		default:
			j.add(plugin.Finding{State: plugin.OK, Problem: fmt.Sprintf("MachineConfig %s has reached all %s", e.Name, plugin.Count(len(j.rollout.nodes), "node"))})
		}
	}
}

// expectationsValue is the flag --expect-machineconfig.
type expectationsValue struct{ list *[]Expectation }

func (v expectationsValue) Set(s string) error {
	e, err := parseExpectation(s)
	if err == nil {
		*v.list = append(*v.list, e)
	}
	return err
}

func (v expectationsValue) String() string {
	var out []string
	if v.list != nil {
		for _, e := range *v.list {
			out = append(out, strings.TrimPrefix(e.Pool+"/"+e.Name, "/"))
		}
	}
	return strings.Join(out, ", ")
}

func (expectationsValue) Type() string { return "name" }
