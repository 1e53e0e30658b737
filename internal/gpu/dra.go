package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"overdue/internal/plugin"
)

// isDRA: the DaemonSet of a driver for dynamic resource allocation, by the name that such drivers use for their part on nodes.
func (d *DaemonSet) isDRA() bool {
	return strings.Contains(d.Name, "kubelet-plugin") || strings.Contains(d.Name, "dra-driver")
}

// usesDRA says whether the node offers its GPUs by ResourceSlices. The driver may run beside a device plugin, for other
// devices than GPUs; then the extended resource counts.
func usesDRA(n *Node, all []DaemonSet) bool {
	if slices.ContainsFunc(n.Resources, func(r Resource) bool { return r.Capacity > 0 }) {
		return false
	}
	dra := n.Labels[deployDRA] == "true"
	for i := range all {
		if d := &all[i]; d.Role == rolePlugin && d.selects(n) {
			if !d.isDRA() {
				return false
			}
			dra = true
		}
	}
	return dra
}

// devices judges a node by what its DRA driver publishes.
func (j *judgement) devices(v *view) {
	if !j.snapshot.SlicesRead {
		v.offer.missing = 0
		j.add(v, fact{Finding: plugin.Finding{State: plugin.Unknown, Problem: "its GPUs are offered by dynamic resource allocation",
			Cause: "its ResourceSlices could not be read", Remedy: "grant list on resourceslices.resource.k8s.io"}})
		return
	}
	all, tainted, incomplete := published(j.snapshot.Slices, v.Name)
	v.offer = offer{name: j.params.Driver + " devices", registered: true, capacity: int64(len(all)), allocatable: int64(len(all) - len(tainted)),
		unhealthy: int64(len(tainted)), missing: int64(len(tainted)), want: j.limits.Expect}
	v.offer.parts = []part{{name: v.offer.name, want: v.offer.want, capacity: v.offer.capacity, allocatable: v.offer.allocatable}}
	if v.offer.allocatable == 0 {
		v.offer.missing = max(v.offer.missing, 1)
	}
	v.offer.missing = max(v.offer.missing, v.offer.want-v.offer.allocatable)
	now, passing := j.underway(v)
	f := fact{Finding: plugin.Finding{State: j.grade(v.offer),
		Problem: fmt.Sprintf("%d of %d %s usable", v.offer.allocatable, max(v.offer.capacity, v.offer.want), v.offer.name)}}
	switch {
	case f.State == plugin.OK:
		j.sound(v)
		return
	case passing && j.within(now):
		f.State, f.Problem, f.Since, f.AtLeast = plugin.OK, now.what+", "+f.Problem, now.since.Time, !now.since.exact
	case len(tainted) > 0:
		f.Cause = strings.Join(tainted, ", ")
		f.Remedy = "look for Xid in the kernel log of the node; reset the GPU, or replace it"
	case j.keptAway(v):
		j.byTaint(v, &f)
	case incomplete != "":
		f.Cause = incomplete
		f.Remedy = "see the log of the DRA driver"
	default:
		j.byChain(v, &f)
		if len(all) == 0 && f.Cause == "" {
			f.Cause = "the driver publishes no device"
		}
	}
	if f.State != plugin.OK {
		f = f.mindful(v.Node)
	}
	j.add(v, f)
}

// published are the devices of a node, and those that taints keep from use. Of each pool only the newest generation counts, and
// only if all its slices are there: so does the scheduler (k8s.io/dynamic-resource-allocation).
func published(all []Slice, node string) (devices []Device, tainted []string, incomplete string) {
	newest := map[string]int64{}
	for _, s := range all {
		if s.Node == node {
			newest[s.Pool] = max(newest[s.Pool], s.Generation)
		}
	}
	slicesOf := map[string][]Slice{}
	for _, s := range all {
		if s.Node == node && s.Generation == newest[s.Pool] {
			slicesOf[s.Pool] = append(slicesOf[s.Pool], s)
		}
	}
	whole := false
	for _, pool := range slices.Sorted(maps.Keys(slicesOf)) {
		list := slicesOf[pool]
		if int64(len(list)) < list[0].Count {
			incomplete = fmt.Sprintf("pool %s is not complete: %d of %d slices of generation %d", pool, len(list), list[0].Count, list[0].Generation)
			continue
		}
		for _, s := range list {
			devices = append(devices, s.Devices...)
			whole = whole || slices.ContainsFunc(s.Devices, func(d Device) bool { return d.Type == "gpu" })
		}
	}
	if whole { // a GPU that can be divided is published with its parts beside it
		devices = slices.DeleteFunc(devices, func(d Device) bool { return d.Type == "mig" })
	}
	for _, d := range devices {
		if len(d.Taints) > 0 {
			tainted = append(tainted, d.Name+" tainted "+strings.Join(d.Taints, ", "))
		}
	}
	return devices, tainted, incomplete
}
