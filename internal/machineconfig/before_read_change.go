package machineconfig

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"overdue/internal/kube"
)

// configObject is a rendered MachineConfig. Its contents may be secret: they are compared, and not kept.
type configObject struct {
	Spec struct {
		OSImageURL      string   `json:"osImageURL"`
		KernelArguments []string `json:"kernelArguments"`
		KernelType      string   `json:"kernelType"`
		Extensions      []string `json:"extensions"`
		FIPS            bool     `json:"fips"`
		Config          struct {
			Storage struct {
				Files []json.RawMessage `json:"files"`
			} `json:"storage"`
			Systemd struct {
				Units []json.RawMessage `json:"units"`
			} `json:"systemd"`
			Passwd struct {
				Users []map[string]json.RawMessage `json:"users"`
			} `json:"passwd"`
		} `json:"config"`
	} `json:"spec"`
}

// changeOf compares what the node runs with what it shall run: its pool's target, and what it was told before if that is something else.
func (r reader) changeOf(ctx context.Context, p *Prospect, node string) error {
	n := p.Nodes[slices.IndexFunc(p.Nodes, func(n Node) bool { return n.Name == node })]
	pool, _, ok := p.poolOf(node)
	if !ok {
		return nil
	}
	for _, to := range []string{pool.Target, n.Desired} {
		if err := r.change(ctx, p, node, [2]string{n.Current, to}); err != nil {
			return err
		}
	}
	return nil
}

// change compares two rendered MachineConfigs, if that is not done.
func (r reader) change(ctx context.Context, p *Prospect, node string, key [2]string) error {
	if _, done := p.Changes[key]; done || key[0] == "" || key[1] == "" || key[0] == key[1] {
		return nil
	}
	var both [2]*configObject
	for i, name := range key {
		var err error
		if both[i], err = kube.Get[configObject](ctx, r.client, machineConfigs, "", name); err != nil {
			return r.optional(ctx, err, "whether the change reboots "+node+" is not known")
		}
	}
	p.Changes[key] = compare(both[0], both[1])
	if c := p.Changes[key]; p.Policy != nil || len(c.System) > 0 {
		return nil
	}
	return r.policy(ctx, p)
}

// poolInWork looks at the nodes of a pool that are in work, and compares what its first outdated node runs with the target.
func (r reader) poolInWork(ctx context.Context, p *Prospect, pool string) error {
	m := members(p.Pools, p.Nodes)
	for _, candidate := range p.Pools {
		if candidate.Name != pool {
			continue
		}
		ro := newRollout(candidate, m.of[pool], p.Images)
		if err := r.nodesInWork(ctx, &p.Snapshot, ro); err != nil {
			return err
		}
		if outdated := ro.pending(); len(outdated) > 0 {
			return r.changeOf(ctx, p, outdated[0].Name)
		}
	}
	return nil
}

// defaultKernel is the kernel type of a MachineConfig that names none.
const defaultKernel = "default"

func compare(from, to *configObject) Change {
	var c Change
	a, b := from.Spec, to.Spec
	for _, part := range []struct {
		name string
		same bool
	}{
		{"OS image", a.OSImageURL == b.OSImageURL},
		{"kernel arguments", slices.Equal(a.KernelArguments, b.KernelArguments)},
		{"kernel type", cmp.Or(a.KernelType, defaultKernel) == cmp.Or(b.KernelType, defaultKernel)},
		{"extensions", slices.Equal(a.Extensions, b.Extensions)},
		{"FIPS mode", a.FIPS == b.FIPS},
	} {
		if !part.same {
			c.System = append(c.System, part.name)
		}
	}
	c.Files = differing(byKey(a.Config.Storage.Files, "path"), byKey(b.Config.Storage.Files, "path"))
	c.Units = differing(byKey(a.Config.Systemd.Units, "name"), byKey(b.Config.Systemd.Units, "name"))
	c.SSHKeys, c.Other = usersDiffer(a.Config.Passwd.Users, b.Config.Passwd.Users)
	return c
}

func byKey(list []json.RawMessage, key string) map[string][]byte {
	out := map[string][]byte{}
	for _, raw := range list {
		var named map[string]json.RawMessage
		var name string
		if json.Unmarshal(raw, &named) == nil && json.Unmarshal(named[key], &name) == nil {
			out[name] = raw
		}
	}
	return out
}

func differing(a, b map[string][]byte) []string {
	var out []string
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			out = append(out, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

const sshKeys = "sshAuthorizedKeys"

// usersDiffer tells a change of SSH keys, which has a policy, from any other of the users.
func usersDiffer(a, b []map[string]json.RawMessage) (ssh, other bool) {
	same := func(x, y map[string]json.RawMessage) bool {
		return maps.EqualFunc(x, y, func(v, w json.RawMessage) bool { return bytes.Equal(v, w) })
	}
	without := func(m map[string]json.RawMessage) map[string]json.RawMessage {
		m = maps.Clone(m)
		delete(m, sshKeys)
		return m
	}
	if len(a) != len(b) {
		return false, true
	}
	for i := range a {
		ssh = ssh || !bytes.Equal(a[i][sshKeys], b[i][sshKeys])
		other = other || !same(without(a[i]), without(b[i]))
	}
	return ssh, other
}
