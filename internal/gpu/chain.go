package gpu

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// link is a broken link of the chain by which a node comes to offer GPUs.
type link struct {
	text    string
	since   time.Time
	details []string
	remedy  func(nodes []string) string
	role    role
}

// broken finds the first broken link of the start-up chain. Those after it wait for it and are only counted.
func (j *judgement) broken(v *view) (link, bool) {
	var first link
	found := false
	var followers []string
	for _, r := range chain {
		if l, ok := j.wrongNode(v, r); ok && !found {
			first, found = l, true
		}
		for _, d := range v.selected {
			if d.Role != r || slices.Contains(v.blocked, d) {
				continue
			}
			l, ok := j.troubled(v, d)
			switch {
			case ok && !found:
				first, found = l, true
			case ok:
				followers = append(followers, d.Name)
			}
		}
	}
	if found && first.role > roleDriver && !j.hasDriver(v) {
		first.text += "; no driver DaemonSet selects the node: is the driver on the host, or does a NVIDIADriver lack a toleration?"
	}
	if len(followers) > 0 {
		first.text += fmt.Sprintf("; %s after it too: %s", plugin.Count(len(followers), "link"), plugin.List(followers))
	}
	return first, found
}

// hasDriver says whether the driver comes from a DaemonSet. Where it does not it has to be on the host. A NVIDIADriver without the
// right toleration has no DaemonSet at all, as the operator deletes one that runs nowhere (NVIDIA/gpu-operator#1368).
func (j *judgement) hasDriver(v *view) bool {
	return v.Labels[deployPrefix+"driver"] != "true" || slices.ContainsFunc(v.selected, func(d *DaemonSet) bool { return d.Role == roleDriver })
}

// troubled says what is wrong with the DaemonSet's pod on the node.
func (j *judgement) troubled(v *view, d *DaemonSet) (link, bool) {
	pod, known := j.pod(v.Node, d)
	switch {
	case !known || pod != nil && pod.Ready && !pod.Deleting:
		return link{}, false
	case pod == nil:
		return link{role: d.Role, text: fmt.Sprintf("%s should run there and has no pod", d.Name),
			remedy: func([]string) string {
				return fmt.Sprintf("kubectl -n %s describe daemonset %s", d.Namespace, d.Name)
			}}, true
	}
	l := link{role: d.Role, since: pod.Since, text: fmt.Sprintf("%s: %s", d.Name, pod.Trouble),
		details: []string{fmt.Sprintf("pod %s/%s", pod.Namespace, pod.Name)},
		remedy: func(nodes []string) string {
			if len(nodes) > 1 {
				return podsOn("-n "+pod.Namespace, nodes)
			}
			if pod.Crashing {
				return fmt.Sprintf("kubectl -n %s logs %s --all-containers --previous", pod.Namespace, pod.Name)
			}
			return fmt.Sprintf("kubectl -n %s describe pod %s", pod.Namespace, pod.Name)
		}}
	if pod.Deleting {
		l.text = d.Name + ": its pod is terminating"
	}
	if has := v.Labels[labelOSTree]; d.Role == roleDriver && has != "" && !strings.Contains(v.OSImage, has) {
		l.text += fmt.Sprintf("; NFD's label says OSTREE_VERSION %s, the node runs %s", has, v.OSImage)
	}
	return l, true
}

// wrongNode: the node is meant to have a DaemonSet of the role, as its deploy label says so, but none of that role selects it:
// with OpenShift's driver toolkit there is one for each version of the operating system.
func (j *judgement) wrongNode(v *view, r role) (link, bool) {
	var near *DaemonSet
	for i := range j.daemonSets {
		d := &j.daemonSets[i]
		if d.Role != r || d.isDRA() {
			continue
		}
		if slices.Contains(v.selected, d) {
			return link{}, false
		}
		wrong := d.mismatches(v.Node)
		deploys := slices.ContainsFunc(wrong, func(m mismatch) bool { return strings.HasPrefix(m.label, deployPrefix) })
		if len(wrong) > 0 && !deploys && hasDeployLabel(d) && near == nil {
			near = d
		}
	}
	if near == nil {
		return link{}, false
	}
	wrong := near.mismatches(v.Node)[0]
	return link{role: r, text: fmt.Sprintf("neither %s selects the node nor another of its kind: label %s", near.Name, wrong),
		remedy: setLabel(wrong.label, wrong.has)}, true
}

func hasDeployLabel(d *DaemonSet) bool {
	for label := range d.NodeSelector {
		if strings.HasPrefix(label, deployPrefix) {
			return true
		}
	}
	return false
}
