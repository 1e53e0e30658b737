package gpu

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// offer is what a node offers of its GPUs, in units of its resources: a GPU that is shared four ways counts four, a MIG device
// one.
type offer struct {
	capacity, allocatable int64
	unhealthy             int64 // registered but not allocatable
	missing               int64 // of what there should be; a lower bound
	want                  int64 // what there should be, as far as anything tells; 0: nothing does
	registered            bool  // a key is there: a plugin has registered since the node object exists
	name                  string
	parts                 []part
}

// part is a group of resources whose numbers add up, with what labels say they should add up to: a lower bound, as labels are
// known to say too little (NVIDIA/k8s-device-plugin#732).
type part struct {
	name                        string
	want, capacity, allocatable int64
}

func (p part) String() string {
	return fmt.Sprintf("%d of %d %s", p.allocatable, max(p.capacity, p.want), p.name)
}

func (p part) missing() int64 { return max(p.capacity, p.want) - p.allocatable }

// offered adds up a node's resources and compares them with its labels. The kubelet never takes a key away, so one with 0 that
// no label asks for is a leftover of another name or profile, and no fault.
func offered(n *Node, p Params, expect int64) offer {
	o := offer{name: p.mainResource(), registered: len(n.Resources) > 0, parts: wantsMIG(n)}
	at := map[string]int{}
	for i, w := range o.parts {
		at[w.name] = i
	}
	whole := int64(0)
	if len(o.parts) == 0 { // else no label tells how many whole GPUs remain: the count includes those that are divided
		whole = wants(n, p)
	}
	for _, r := range n.Resources {
		// A shared GPU has another name only if the plugin is told to rename it.
		base := strings.TrimSuffix(r.Name, ".shared")
		i, ok := at[base]
		if !ok {
			if r.Capacity == 0 && r.Allocatable == 0 {
				continue
			}
			i, at[base] = len(o.parts), len(o.parts)
			o.parts = append(o.parts, part{name: r.Name})
		}
		if r.Capacity > 0 {
			o.parts[i].name = r.Name
		}
		o.parts[i].capacity += r.Capacity
		o.parts[i].allocatable += r.Allocatable
		o.unhealthy += max(r.Capacity-r.Allocatable, 0)
	}
	o.expectWhole(whole, wholeResource(n, p))
	slices.SortFunc(o.parts, func(a, b part) int { return cmp.Compare(a.name, b.name) })
	worst := int64(0)
	for i, p := range o.parts {
		o.capacity, o.allocatable, o.want, o.missing = o.capacity+p.capacity, o.allocatable+p.allocatable, o.want+p.want, o.missing+max(p.missing(), 0)
		if i == 0 || p.missing() > worst {
			o.name, worst = p.name, p.missing()
		}
	}
	if len(o.parts) == 0 && len(n.Resources) == 1 {
		o.name = n.Resources[0].Name
	}
	if o.want = max(o.want, expect); o.want > 0 {
		o.missing = max(o.missing, o.want-o.allocatable)
	}
	return o
}

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
	for _, key := range slices.Sorted(maps.Keys(n.Labels)) {
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

// String tells what is offered: "7 of 8 nvidia.com/gpu allocatable, 1 unhealthy".
func (o offer) String() string {
	total := max(o.capacity, o.want)
	switch {
	case !o.registered && o.want == 0:
		return fmt.Sprintf("no %s resource at all", o.name)
	case !o.registered:
		return fmt.Sprintf("no %s resource at all, %d expected", o.name, o.want)
	case o.allocatable == 0 && total == 0:
		return fmt.Sprintf("0 %s offered", o.name)
	case o.allocatable == 0:
		return fmt.Sprintf("0 of %d %s offered", total, o.name)
	}
	var parts []string
	for _, p := range o.parts {
		parts = append(parts, p.String())
	}
	if o.want > o.capacity && len(parts) == 1 {
		parts = []string{fmt.Sprintf("%d of %d %s", o.allocatable, o.want, o.name)}
	}
	text := strings.Join(parts, ", ") + " allocatable"
	if o.unhealthy > 0 {
		text += fmt.Sprintf(", %d unhealthy", o.unhealthy)
	}
	return text
}

// history is what the kubelet's numbers tell of the device plugin.
func (o offer) history() string {
	switch {
	case !o.registered:
		return "the key is absent: no device plugin has registered since the node object exists"
	case o.capacity == 0:
		return "the key is there with 0: a device plugin was registered once and has been gone for more than 5 minutes, or the kubelet has restarted without it"
	case o.allocatable == 0:
		return "capacity is there, allocatable is 0: the device plugin stopped less than 5 minutes ago, or all are unhealthy"
	}
	return ""
}
