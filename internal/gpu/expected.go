package gpu

import (
	"slices"
	"strconv"
	"strings"
)

// expectWhole holds the number of whole GPUs against all resources that are no MIG profile together: a vendor may have several names
// for them (Intel: i915 and xe), and no label says how many of which. What is missing is told of the one of which there are most.
func (o *offer) expectWhole(count int64, name string) {
	if count == 0 || name == "" {
		return
	}
	most, others := -1, int64(0)
	for i := range o.parts {
		p := &o.parts[i]
		if isMIG(p.name) {
			continue
		}
		p.want = p.capacity
		others += p.capacity
		if most < 0 || p.capacity > o.parts[most].capacity {
			most = i
		}
	}
	if most < 0 {
		o.parts = append(o.parts, part{name: name, want: count})
		return
	}
	o.parts[most].want = max(count-(others-o.parts[most].capacity), 0)
}

// wholeResource is what whole GPUs are called on a node that offers none: by a key that is left, or the vendor's first name.
func wholeResource(n *Node, p Params) string {
	name := ""
	for _, pattern := range p.Resources {
		if !isMIG(pattern) {
			name = pattern
			break
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(n.Resources, func(r Resource) bool { return r.Name == name })
	}
	for _, r := range n.Resources {
		if !isMIG(r.Name) && !has(name) {
			return r.Name
		}
	}
	return name
}

func isMIG(resource string) bool { return strings.HasPrefix(resource, "nvidia.com/mig-") }

// wants is how many whole GPUs feature discovery says that the node offers, shares counted; 0: nothing is known.
func wants(n *Node, p Params) int64 {
	count, replicas := number(n.Labels[p.CountLabel]), int64(1)
	if text, ok := n.Labels[p.ReplicasLabel]; ok {
		if replicas = number(text); replicas == 0 && n.Labels[labelMIGMode] != "mixed" {
			return 0 // it could not tell
		}
	}
	if invalidMIG(n) {
		return 0
	}
	return count * max(replicas, 1)
}

// wantsMIG reads the labels nvidia.com/mig-<profile>.count and .replicas of the mixed strategy.
func wantsMIG(n *Node) []part {
	if n.Labels[labelMIGMode] != "mixed" {
		return nil
	}
	var out []part
	for _, key := range n.labelled("nvidia.com/mig-") {
		profile, ok := strings.CutSuffix(key, ".count")
		if !ok || !isMIG(profile) {
			continue
		}
		if count := number(n.Labels[key]); count > 0 {
			out = append(out, part{name: profile, want: count * max(number(n.Labels[profile+".replicas"]), 1)})
		}
	}
	return out
}

// invalidMIG: with the strategy single every GPU must be divided alike, or the plugin refuses to start.
func invalidMIG(n *Node) bool { return strings.HasSuffix(n.Labels[labelProduct], "-MIG-INVALID") }

// mostDevices is more than any node has.
const mostDevices = 1_000_000

// number reads a label's number; anything else is 0.
func number(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil || v < 0 || v > mostDevices {
		return 0
	}
	return v
}
