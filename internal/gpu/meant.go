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
		if d.Role != r || d.isDRA() || !hasDeployLabel(d) {
			continue
		}
		if slices.Contains(v.selected, d) {
			return link{}, false
		}
		wrong := d.mismatches(v.Node)
		if m, meant := meantFor(v.Node, wrong); meant && (near == nil || len(wrong) < fewest) {
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
	return "; no driver DaemonSet selects the node: is the driver on the host, or does a NVIDIADriver lack a toleration?"
}

// driverLost: no DaemonSet brings the driver, though the node's label wants one and the operator has managed one there: its mark is left.
// Nodes with DRA are left out: nothing tells that their driver was the operator's.
func (j *judgement) driverLost(v *view) bool {
	managed := v.Labels[j.params.UpgradeLabel] != "" || v.Labels[labelOwner] != ""
	return managed && v.Labels[deployDriver] == "true" && !usesDRA(v.Node, j.daemonSets) && j.driverAmiss(v) != ""
}
