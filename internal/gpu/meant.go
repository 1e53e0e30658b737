package gpu

import (
	"fmt"
	"slices"
	"strings"
)

// wrongNode: the node is meant to have a DaemonSet of the role, but none of that role selects it: its deploy label was lost, or they are
// for other nodes, as with OpenShift's driver toolkit there is one for each version of the operating system.
func (j *judgement) wrongNode(v *view, r role) (link, bool) {
	if r == roleMPS { // feature discovery says which nodes are to have it
		return link{}, false
	}
	var near *DaemonSet
	var at mismatch
	fewest := 0
	for i := range j.daemonSets {
		d := &j.daemonSets[i]
		if d.Role != r || d.isDRA() {
			continue
		}
		operand := hasDeployLabel(d)
		if slices.Contains(v.selected, d) && (operand || r == rolePlugin) { // a device plugin may be another's
			return link{}, false
		}
		if !operand {
			continue
		}
		wrong := d.mismatches(v.Node)
		if m, meant := meantFor(v.Node, wrong); meant && (near == nil || len(wrong) < fewest) && (r != roleDriver || j.managed(v) || ofOperator(wrong)) {
			near, at, fewest = d, m, len(wrong)
		}
	}
	if near == nil {
		return link{}, false
	}
	text := fmt.Sprintf("neither %s selects the node nor another of its kind: label %s", near.Name, at)
	if strings.HasPrefix(at.label, deployPrefix) {
		text = fmt.Sprintf("%s is not on the node: label %s", near.Name, at)
	}
	return link{role: r, text: text, remedy: setLabel(at.label, at.has)}, true
}

// managed: the operator has managed a driver on the node, as its mark is left.
func (j *judgement) managed(v *view) bool {
	return v.Labels[j.params.UpgradeLabel] != "" || v.Labels[labelOwner] != ""
}

// ofOperator says whether the labels are all those by which the operator itself places its driver: its own, and NFD's for the system's and
// the kernel's version. Any other is the site's, in a NVIDIADriver for some of its nodes; the others may have the host's driver.
func ofOperator(wrong []mismatch) bool {
	return !slices.ContainsFunc(wrong, func(m mismatch) bool {
		return !strings.HasPrefix(m.label, deployPrefix) && !strings.HasPrefix(m.label, "feature.node.kubernetes.io/")
	})
}

// always are the operands that the operator gives every node whose GPUs are for containers, all at once.
var always = map[string]bool{deployDriver: true, deployToolkit: true, deployPrefix + "operator-validator": true, deployPlugin: true}

// meantFor tells the label for which a DaemonSet is not on a node that is meant to have it. A deploy label that is paused comes back by
// itself; one of the driver may say that the host has it; one that is not set is lost only beside the others.
func meantFor(n *Node, wrong []mismatch) (mismatch, bool) {
	if len(wrong) == 0 || n.Labels[deployOperands] == "false" {
		return mismatch{}, false
	}
	at := slices.IndexFunc(wrong, func(m mismatch) bool { return strings.HasPrefix(m.label, deployPrefix) })
	if at < 0 {
		return wrong[0], true
	}
	m := wrong[at]
	_, plugin := n.Labels[deployPlugin]
	_, toolkit := n.Labels[deployToolkit]
	switch {
	case m.missing:
		return m, always[m.label] && (plugin || toolkit)
	case m.label == deployDriver && (m.has == preInstalled || m.has == "false"):
		return m, false
	}
	return m, !strings.Contains(m.has, pausedMark)
}

func hasDeployLabel(d *DaemonSet) bool {
	for label := range d.NodeSelector {
		if strings.HasPrefix(label, deployPrefix) {
			return true
		}
	}
	return false
}

// driverAmiss says what there is to know of a driver that comes from no DaemonSet; empty: nothing. Where none does it has to be on the host.
// A NVIDIADriver without the right toleration has no DaemonSet at all, as the operator deletes one that runs nowhere
// (NVIDIA/gpu-operator#1368).
func (j *judgement) driverAmiss(v *view) string {
	switch {
	case v.Labels[deployDriver] == "false":
		return "; the driver is switched off (" + deployDriver + "=false): is it on the host?"
	case v.Labels[deployDriver] != "true" || slices.ContainsFunc(v.selected, func(d *DaemonSet) bool { return d.Role == roleDriver }):
		return ""
	}
	return "; no driver DaemonSet selects the node: is the driver on the host, or does a NVIDIADriver lack a toleration, or the node its label?"
}

// driverLost: no DaemonSet brings the driver, though the node's label wants one and the operator has managed one there.
// Nodes with DRA are left out: nothing tells that their driver was the operator's.
func (j *judgement) driverLost(v *view) bool {
	return j.managed(v) && v.Labels[deployDriver] == "true" && !usesDRA(v.Node, j.daemonSets) && j.driverAmiss(v) != ""
}
