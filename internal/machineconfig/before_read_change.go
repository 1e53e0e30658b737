package machineconfig

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"overdue/internal/kube"
)

// configObject is a rendered MachineConfig. Its contents may be secret: they are compared, and not kept.
type configObject struct {
	Spec struct {
		OSImageURL      string          `json:"osImageURL"`
		KernelArguments []string        `json:"kernelArguments"`
		KernelType      string          `json:"kernelType"`
		Extensions      []string        `json:"extensions"`
		FIPS            bool            `json:"fips"`
		Config          json.RawMessage `json:"config"`
	} `json:"spec"`
}

// poolInWork looks at the nodes of a pool that are in work.
func (r reader) poolInWork(ctx context.Context, p *Prospect, pool string) error {
	i := slices.IndexFunc(p.Pools, func(candidate Pool) bool { return candidate.Name == pool })
	if i < 0 {
		return nil
	}
	return r.nodesInWork(ctx, &p.Snapshot, newRollout(p.Pools[i], members(p.Pools, p.Nodes).of[pool], p.Images))
}

// changes compares what the outdated nodes of a pool run with what they shall run: its target, which in no pool is empty, and on the way
// to that what they were told before, if that is something else. The asked nodes come first, as only so many comparisons are made.
func (r reader) changes(ctx context.Context, p *Prospect, target string, outdated []Node, targets []Target) error {
	var asked, others []Node
	for _, n := range outdated {
		if slices.Contains(targets, Target{targetNode, n.Name}) {
			asked = append(asked, n)
		} else {
			others = append(others, n)
		}
	}
	read := map[string]*configObject{} // nil: it does not exist
	compared := 0
	for _, n := range slices.Concat(asked, others) {
		for _, key := range [][2]string{{n.Current, target}, {n.Current, n.Desired}, {n.Desired, target}} {
			if _, done := p.Changes[key]; done || key[0] == "" || key[1] == "" || key[0] == key[1] {
				continue
			}
			if compared++; compared > closest {
				return nil
			}
			for _, name := range key {
				if _, done := read[name]; done {
					continue
				}
				o, err := kube.Get[configObject](ctx, r.client, machineConfigs, "", name)
				if err != nil && !kube.IsNotFound(err) {
					return r.optional(ctx, err, "whether the change reboots "+n.Name+" is not known")
				}
				read[name] = o
			}
			if from, to := read[key[0]], read[key[1]]; from != nil && to != nil {
				p.Changes[key] = compare(from, to)
			}
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
	x, whole := takeApart(a.Config)
	y, alsoWhole := takeApart(b.Config)
	c.Files, c.Units = differing(x.files, y.files), differing(x.units, y.units)
	c.Users = !reflect.DeepEqual(x.users, y.users)
	c.Other = !whole || !alsoWhole || !reflect.DeepEqual(x.rest, y.rest)
	return c
}

// ignition is what a MachineConfig puts on the disk.
type ignition struct {
	files, units map[string]json.RawMessage // by path, by name
	users        any
	rest         map[string]any
}

// takeApart tells also whether all of it was understood.
func takeApart(config json.RawMessage) (ignition, bool) {
	var known struct {
		Storage struct {
			Files []json.RawMessage `json:"files"`
		} `json:"storage"`
		Systemd struct {
			Units []json.RawMessage `json:"units"`
		} `json:"systemd"`
		Passwd any `json:"passwd"`
	}
	var rest map[string]any
	whole := json.Unmarshal(config, &known) == nil && json.Unmarshal(config, &rest) == nil && rest != nil
	files, named := byKey(known.Storage.Files, "path")
	units, alsoNamed := byKey(known.Systemd.Units, "name")
	for section, list := range map[string]string{"storage": "files", "systemd": "units"} {
		if m, ok := rest[section].(map[string]any); ok {
			if delete(m, list); len(m) == 0 {
				delete(rest, section)
			}
		}
	}
	delete(rest, "passwd")
	return ignition{files, units, known.Passwd, rest}, whole && named && alsoNamed
}

// byKey tells also whether each has a key of its own.
func byKey(list []json.RawMessage, key string) (map[string]json.RawMessage, bool) {
	out := map[string]json.RawMessage{}
	for _, raw := range list {
		var named map[string]json.RawMessage
		var name string
		if json.Unmarshal(raw, &named) == nil && json.Unmarshal(named[key], &name) == nil {
			out[name] = raw
		}
	}
	return out, len(out) == len(list)
}

func differing(a, b map[string]json.RawMessage) []string {
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
