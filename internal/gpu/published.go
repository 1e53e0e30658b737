package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// publication is what a DRA driver's slices say of one node.
type publication struct {
	devices    []Device
	tainted    []Device // of these, those that taints keep from use
	places     []string // where those are, a line each
	slices     []string // that hold them
	incomplete []string // pools of which slices are not there, in words
	unusable   int64    // devices in those, at least
}

// published are the devices of a node. Of each pool only the newest generation counts, and only if all its slices are there: so does
// the scheduler (k8s.io/dynamic-resource-allocation).
func (j *judgement) published(node string) publication {
	newest := map[string]int64{}
	for _, s := range j.slices[node] {
		newest[s.Pool] = max(newest[s.Pool], s.Generation)
	}
	slicesOf := map[string][]Slice{}
	for _, s := range j.slices[node] {
		if s.Generation == newest[s.Pool] {
			slicesOf[s.Pool] = append(slicesOf[s.Pool], s)
		}
	}
	whole := map[string]bool{} // UUIDs of GPUs that are published
	for _, list := range slicesOf {
		for _, s := range list {
			for _, d := range s.Devices {
				whole[d.UUID] = whole[d.UUID] || d.UUID != "" && d.Type == "gpu"
			}
		}
	}
	var p publication
	for _, pool := range slices.Sorted(maps.Keys(slicesOf)) {
		p.add(slicesOf[pool], whole)
	}
	return p
}

// add takes up one pool. A GPU that can be divided is published with its possible parts beside it, which are not counted; one that is
// divided for good is published as its parts alone.
func (p *publication) add(pool []Slice, whole map[string]bool) {
	first := pool[0]
	complete := int64(len(pool)) >= first.Count
	unusable := int64(0)
	for _, s := range pool {
		for _, d := range s.Devices {
			switch {
			case d.Type == "mig" && whole[d.Parent]:
				continue
			case !complete:
				unusable++
				continue
			}
			p.devices = append(p.devices, d)
			if len(d.Taints) > 0 {
				p.tainted = append(p.tainted, d)
				p.slices = append(p.slices, s.Name)
				p.places = append(p.places, fmt.Sprintf("device %s: slice %s, pool %s, generation %d", d.Name, s.Name, s.Pool, s.Generation))
			}
		}
	}
	if !complete {
		p.incomplete = append(p.incomplete, fmt.Sprintf("pool %s is not complete: %d of %d slices of generation %d", first.Pool, len(pool), first.Count, first.Generation))
		p.unusable += max(unusable, 1)
	}
}

// product names the models of the devices; empty: that of one is not known.
func (p *publication) product() string {
	names := map[string]bool{}
	for _, d := range p.devices {
		names[d.Product] = true
	}
	if names[""] {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), " and ")
}

// whole says whether the devices are all whole GPUs: no parts, nor the same GPU once more for a virtual machine.
func (p *publication) whole() bool {
	return !slices.ContainsFunc(p.devices, func(d Device) bool { return d.Type != "" && d.Type != "gpu" && d.Type != "amdgpu" })
}

// offer is what the node offers by its devices, of which there should be so many.
func (p *publication) offer(driver string, want int64) offer {
	all, usable := int64(len(p.devices)), int64(len(p.devices)-len(p.tainted))
	o := offer{name: driver + " devices", registered: true, capacity: all, allocatable: usable, unhealthy: all - usable, want: max(want, all+p.unusable)}
	o.missing = o.want - usable
	if usable == 0 {
		o.missing = max(o.missing, 1)
	}
	o.parts = []part{{name: o.name, want: o.want, capacity: all, allocatable: usable}}
	return o
}

// byDevice tells the tainted devices: since when, with what effect, and what to do by the taint's key. The driver's own are
// <driver>/xid and <driver>/gpu-lost.
func (p *publication) byDevice(f *fact) {
	var words []string
	var since time.Time
	evicts, lost, xid := false, false, false
	for _, d := range p.tainted {
		var texts []string
		for _, t := range d.Taints {
			texts = append(texts, t.Text)
			evicts = evicts || t.Evicts
			key, _, _ := strings.Cut(t.Text, "=")
			lost, xid = lost || strings.HasSuffix(key, "/gpu-lost"), xid || strings.HasSuffix(key, "/xid")
			if !t.Added.IsZero() && (since.IsZero() || t.Added.Before(since)) {
				since = t.Added
			}
		}
		words = append(words, d.Name+" tainted "+strings.Join(texts, ", "))
	}
	f.Since, f.Cause = since, strings.Join(words, ", ")
	f.Consequence = "no new pod gets a tainted device, those that use one already go on"
	if evicts {
		f.Consequence = "no new pod gets a tainted device, and pods that use one are evicted"
	}
	switch {
	case lost:
		f.Remedy = "drain and reboot the node; if the GPU does not come back on the bus, replace it"
	case xid:
		f.Remedy = "look for Xid in the kernel log of the node; reset the GPU, or replace it"
	default:
		f.Remedy = "find who has tainted it: kubectl get resourceslice " + p.slices[0] + " -o yaml"
	}
}
