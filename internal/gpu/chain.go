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
	if found && first.role > roleDriver {
		first.text += j.driverAmiss(v)
	}
	if len(followers) > 0 {
		first.text += fmt.Sprintf("; %s after it too: %s", plugin.Count(len(followers), "link"), plugin.List(followers))
	}
	return first, found
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
	l := link{role: d.Role, since: latest(pod.Since, pod.Created).Time, text: fmt.Sprintf("%s: %s", d.Name, pod.Trouble),
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
		l.since = latest(pod.Created, pod.DeletedSince).Time
	}
	if has := v.Labels[labelOSTree]; d.Role == roleDriver && has != "" && !strings.Contains(v.OSImage, has) {
		l.text += fmt.Sprintf("; NFD's label says OSTREE_VERSION %s, the node runs %s", has, v.OSImage)
	}
	return l, true
}
