package gpu

import (
	"fmt"
	"slices"

	"overdue/internal/plugin"
)

// labelsMissing names the labels that the node should have and has not, in words. The count is told with the others, as it
// comes from the same place. Nodes without a container stack (virtual machines, DRA) never have them.
func (j *judgement) labelsMissing(v *view) string {
	if virtual(v.Node) || usesDRA(v.Node, j.daemonSets) || j.params.LabelsPreset && !j.discovery {
		return ""
	}
	var out []string
	for _, label := range j.params.RequireLabels {
		if _, ok := v.Labels[label]; !ok {
			out = append(out, label)
		}
	}
	if len(out) == 0 {
		return ""
	}
	if _, ok := v.Labels[j.params.CountLabel]; !ok && j.params.CountLabel != "" && !slices.Contains(out, j.params.CountLabel) {
		out = append(out, j.params.CountLabel)
	}
	if len(out) == 1 {
		return "label " + out[0] + " missing"
	}
	return "labels " + plugin.List(out) + " missing"
}

// discovers says whether a feature discovery is part of the installation: a DaemonSet, its deploy label, or a label of its on any node.
// GKE, EKS and AKS bring a device plugin without one.
func (j *judgement) discovers() bool {
	if slices.ContainsFunc(j.daemonSets, func(d DaemonSet) bool { return d.Role == roleLabels }) {
		return true
	}
	return slices.ContainsFunc(j.snapshot.Nodes, func(n Node) bool {
		return slices.ContainsFunc(append([]string{deployDiscovery, j.params.CountLabel}, j.params.RequireLabels...), func(key string) bool {
			_, ok := n.Labels[key]
			return ok
		})
	})
}

// unlabelled: pods get GPUs, but whoever goes by the labels does not see the node. It returns the DaemonSet of which it tells that its
// pod is not well; nil: none.
func (j *judgement) unlabelled(v *view, missing string) (told *DaemonSet) {
	f := fact{Finding: plugin.Finding{State: plugin.Warning, Problem: missing + ", while " + v.offer.String(),
		Consequence: "billing, quotas and pods that go by these labels pass the node over"}}
	var found []*DaemonSet
	for i := range j.daemonSets {
		if d := &j.daemonSets[i]; d.Role == roleLabels {
			found = append(found, d)
		}
	}
	selects := slices.IndexFunc(found, func(d *DaemonSet) bool { return slices.Contains(v.selected, d) })
	switch {
	case len(found) == 0 && j.snapshot.DaemonSetsRead && len(j.snapshot.Unread) == 0:
		f.Cause = "no feature discovery DaemonSet exists"
		f.Remedy = "enable it, or say with --require-label which labels the site needs (none: --require-label none)"
	case len(found) == 0:
		f.Cause = "why is not known, as the GPU DaemonSets could not be read"
		f.Remedy = "kubectl get daemonsets -A"
	case selects < 0:
		d := found[0]
		f.Cause = d.Name + " does not run there: its affinity does not match"
		f.Remedy = showDaemonSet(d)
		if wrong := d.mismatches(v.Node); len(wrong) > 0 {
			f.Cause = fmt.Sprintf("%s does not run there because of label %s", d.Name, wrong[0])
			f.remedy = setLabel(wrong[0].label, wrong[0].has)
		}
	default:
		d := found[selects]
		f.Cause = d.Name + " runs there, but its labels do not reach the node"
		f.remedy = func(nodes []string) string { return "see to NFD's master, then restart it: " + deletePods(d, nodes) }
		if l, ok := j.troubled(v, d); ok {
			f.Cause, f.Since, f.Details, f.remedy = l.text, l.since, l.details, l.remedy
			told = d
		} else if _, known := j.pod(v.Node, d); !known {
			f.Cause = d.Name + " should run there; whether it does is not known, as pods were not read"
		}
	}
	j.add(v, f.mindful(v.Node))
	return told
}
