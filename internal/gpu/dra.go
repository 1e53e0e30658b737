package gpu

import (
	"fmt"
	"slices"
	"strings"

	"overdue/internal/plugin"
)

// isDRA: the DaemonSet of a driver for dynamic resource allocation, by the name that such drivers use for their part on nodes.
func (d *DaemonSet) isDRA() bool {
	return strings.Contains(d.Name, "kubelet-plugin") || strings.Contains(d.Name, "dra-driver")
}

// usesDRA says whether the node offers its GPUs by ResourceSlices. The driver may run beside a device plugin, for other
// devices than GPUs; then the extended resource counts, also while a driver upgrade has paused that plugin.
func usesDRA(n *Node, all []DaemonSet) bool {
	if slices.ContainsFunc(n.Resources, func(r Resource) bool { return r.Capacity > 0 }) {
		return false
	}
	dra := n.Labels[deployDRA] == "true"
	paused := strings.Contains(n.Labels[deployPlugin], pausedMark)
	for i := range all {
		d := &all[i]
		switch {
		case d.Role != rolePlugin:
		case d.isDRA():
			dra = dra || d.selects(n)
		case paused || d.selects(n):
			return false
		}
	}
	return dra
}

// devices judges a node by what its DRA driver publishes.
func (j *judgement) devices(v *view) {
	if !j.snapshot.SlicesRead {
		v.offer.missing = 0
		j.add(v, fact{Finding: plugin.Finding{State: plugin.Unknown, Problem: "its GPUs are offered by dynamic resource allocation", Cause: "its ResourceSlices could not be read",
			Remedy: "grant list on resourceslices.resource.k8s.io (icinga/rbac/check-gpu-node.yaml); Kubernetes before 1.34 does not serve them"}})
		return
	}
	p := j.seeDevices(v)
	want, by := j.expects(v.Node)
	usable := v.offer.allocatable
	f := fact{Finding: plugin.Finding{State: j.grade(v.offer), Problem: fmt.Sprintf("%d of %d %s usable", usable, v.offer.want, v.offer.name)}}
	if v.offer.want == 0 {
		f.Problem = fmt.Sprintf("no %s device is published", j.params.Driver)
	}
	now, passing := j.underway(v)
	switch {
	case f.State == plugin.OK:
		j.sound(v)
		return
	case passing && j.excuses(v, now, len(p.tainted) == 0 && j.keptAway(v)):
		f.State, f.Problem, f.Since, f.AtLeast = plugin.OK, now.what+", "+f.Problem, now.since.Time, !now.since.exact
		j.add(v, f)
		return
	case len(p.tainted) > 0:
		p.byDevice(&f)
		f.Cause = joined("; ", f.Cause, strings.Join(p.incomplete, ", "))
	case j.keptAway(v):
		j.byTaint(v, &f)
	case len(p.incomplete) > 0:
		f.Cause = strings.Join(p.incomplete, ", ") + ": the scheduler uses none of its devices"
		f.remedy = func(nodes []string) string {
			return fmt.Sprintf("see the log of the DRA driver, and kubectl get resourceslices --field-selector spec.nodeName=%s,spec.driver=%s", nodes[0], j.params.Driver)
		}
	default:
		j.byChain(v, &f)
	}
	f.Details = append(f.Details, p.places...)
	if by != "" && want > v.offer.capacity {
		f.Details = append(f.Details, "expected: "+by)
	}
	j.add(v, f.mindful(v.Node))
}

// seeDevices sets a node's offer to what its slices say, if it uses DRA and they were read.
func (j *judgement) seeDevices(v *view) publication {
	if !j.snapshot.SlicesRead || !usesDRA(v.Node, j.daemonSets) {
		return publication{}
	}
	p := j.published(v.Name)
	want, _ := j.expects(v.Node)
	v.offer = p.offer(j.params.Driver, want)
	return p
}
