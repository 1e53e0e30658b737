package gpu

import (
	"cmp"
	"fmt"
	"slices"
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
