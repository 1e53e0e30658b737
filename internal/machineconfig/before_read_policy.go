package machineconfig

import (
	"context"
	"maps"
	"slices"

	"overdue/internal/kube"
)

type policyObject struct {
	Status struct {
		Policy struct {
			Cluster *struct {
				Files []struct {
					Path    string         `json:"path"`
					Actions []policyAction `json:"actions"`
				} `json:"files"`
				Units []struct {
					Name    string         `json:"name"`
					Actions []policyAction `json:"actions"`
				} `json:"units"`
				SSHKey struct {
					Actions []policyAction `json:"actions"`
				} `json:"sshkey"`
			} `json:"clusterPolicies"`
		} `json:"nodeDisruptionPolicyStatus"`
	} `json:"status"`
}

type policyAction struct {
	Type string `json:"type"`
}

// policy is there from OpenShift 4.17 on. It is read where it may spare a reboot.
func (r reader) policy(ctx context.Context, p *Prospect) error {
	if !slices.ContainsFunc(slices.Collect(maps.Values(p.Changes)), Change.heedsPolicy) {
		return nil
	}
	o, err := kube.Get[policyObject](ctx, r.client, machineConfigurations, "", "cluster")
	if err != nil {
		return r.optional(ctx, err, "whether the node disruption policy spares a reboot is not known")
	}
	p.Policy = reducePolicy(o)
	return nil
}

func reducePolicy(o *policyObject) *Policy {
	c := o.Status.Policy.Cluster
	if c == nil {
		return nil
	}
	types := func(actions []policyAction) []string {
		var out []string
		for _, a := range actions {
			out = append(out, a.Type)
		}
		return out
	}
	p := Policy{Files: map[string][]string{}, Units: map[string][]string{}, SSHKeys: types(c.SSHKey.Actions)}
	for _, f := range c.Files {
		p.Files[f.Path] = types(f.Actions)
	}
	for _, u := range c.Units {
		p.Units[u.Name] = types(u.Actions)
	}
	return &p
}
