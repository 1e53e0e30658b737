package gpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// byChain: no taint, nothing under way; then it is a label, a DaemonSet, a pod, or the plugin itself.
func (j *judgement) byChain(v *view, f *fact) {
	plugins := j.plugins(v)
	selected := slices.ContainsFunc(plugins, func(d *DaemonSet) bool { return slices.Contains(v.selected, d) })
	inferred := !j.snapshot.DaemonSetsRead || len(j.snapshot.Unread) > 0
	failed, hasFailed := inState(v.Node, "failed")
	switch {
	case v.Labels[j.params.UpgradeLabel] == upgradeFailed:
		f.Cause = "the driver upgrade failed"
		f.remedy = j.upgradeAnew
	case hasFailed:
		f.Cause = "the " + failed.of(v.Node) + " failed"
		f.remedy = j.restart(failed.manager, failed.say)
	case inferred && len(plugins) == 0:
		j.guess(v, f)
		return
	case len(plugins) == 0 && usesDRA(v.Node, j.daemonSets):
		f.Cause = "no DaemonSet of a DRA driver exists"
		f.Remedy = "see whether the DRA driver is installed, and whether --namespace is right"
		return
	case len(plugins) == 0 && virtual(v.Node):
		f.Cause = fmt.Sprintf("no device plugin DaemonSet for virtual machines exists (%s=%s)", labelWorkload, v.Labels[labelWorkload])
		f.Remedy = "see whether sandbox workloads and their device plugin are enabled in the GPU operator, or whether that label is right"
		return
	case len(plugins) == 0:
		f.Cause = "no device plugin DaemonSet exists"
		f.Remedy = "see whether the GPU operator is installed and its device plugin enabled, and whether --namespace is right"
		return
	case !selected:
		j.notSelected(v, plugins, f)
		return
	case invalidMIG(v.Node):
		f.Cause = fmt.Sprintf("its GPUs are divided unlike each other, which the MIG strategy single refuses (%s=%s)", labelProduct, v.Labels[labelProduct])
		f.Remedy = "give them all one profile (label " + labelMIGConfig + "), or use the strategy mixed"
	}
	if broken, ok := j.broken(v); ok {
		f.Cause = joined("; ", f.Cause, broken.text)
		f.Since = broken.since
		f.Details = append(f.Details, broken.details...)
		if f.remedy == nil && f.Remedy == "" {
			f.remedy = broken.remedy
		}
		return
	}
	if f.Cause == "" {
		j.unregistered(v, plugins, f)
	}
}

// plugins are the DaemonSets that could make the node offer GPUs. On a node whose GPUs are for virtual machines the one for containers
// is none of them, and would take GPUs that a machine has.
func (j *judgement) plugins(v *view) []*DaemonSet {
	dra := usesDRA(v.Node, j.daemonSets)
	var out []*DaemonSet
	for i := range j.daemonSets {
		d := &j.daemonSets[i]
		_, forContainers := d.NodeSelector[deployPlugin]
		if d.Role == rolePlugin && d.isDRA() == dra && !(forContainers && virtual(v.Node)) {
			out = append(out, d)
		}
	}
	return out
}

// guess: with the right to list nodes alone, taints can only be suspected.
func (j *judgement) guess(v *view, f *fact) {
	if taints := j.relevant(v.Node); len(taints) > 0 {
		v.taints = taints
		f.Cause = "perhaps " + taintWords(taints) + ": whether the GPU DaemonSets tolerate it is not known, as they could not be read"
		f.Remedy = "kubectl get daemonsets -A, and compare their tolerations"
		return
	}
	if value, ok := v.Labels[deployPlugin]; ok && value != "true" {
		f.Cause = mismatch{label: deployPlugin, has: value, wants: "true"}.String()
		f.remedy = setLabel(deployPlugin, value)
		return
	}
	f.Cause = "why is not known, as the GPU DaemonSets and their pods could not be read"
	f.remedy = func(nodes []string) string { return podsOn("-A", nodes) }
}

// virtual: the node's GPUs are for virtual machines.
func virtual(n *Node) bool {
	_, containers := n.Labels[deployPlugin]
	return strings.HasPrefix(n.Labels[labelWorkload], "vm-") && !containers
}

// notSelected: a label keeps the device plugin's selector from matching. The one that comes closest is told, of several one whose label
// is there with another value: the node was meant to have it.
func (j *judgement) notSelected(v *view, plugins []*DaemonSet, f *fact) {
	best := slices.MinFunc(plugins, func(a, b *DaemonSet) int {
		one, other := a.mismatches(v.Node), b.mismatches(v.Node)
		return cmp.Or(len(one)-len(other), unset(one)-unset(other))
	})
	wrong := best.mismatches(v.Node)
	if len(wrong) == 0 {
		f.Cause = best.Name + " does not select the node: its affinity does not match"
		f.Remedy = showDaemonSet(best)
		return
	}
	f.Cause = fmt.Sprintf("%s is not on the node: label %s", best.Name, wrong[0])
	f.remedy = setLabel(wrong[0].label, wrong[0].has)
	if peer := j.example(best); peer != "" {
		f.Details = append(f.Details, fmt.Sprintf("peer %s has %s=%q", peer, wrong[0].label, wrong[0].wants))
	}
	for i := range j.daemonSets {
		d := &j.daemonSets[i]
		for _, m := range d.mismatches(v.Node) {
			if d != best && !m.missing {
				f.Details = append(f.Details, fmt.Sprintf("%s: label %s", d.Name, m))
			}
		}
	}
}

// unset counts the labels that are not there at all.
func unset(all []mismatch) (n int) {
	for _, m := range all {
		if m.missing {
			n++
		}
	}
	return n
}

// registers is for how long the kubelet keeps the numbers of a device plugin that has gone (k8s.io/kubernetes/pkg/kubelet/cm/devicemanager,
// endpointStopGracePeriod): until then nothing tells a plugin that starts from one whose devices are all unhealthy.
const registers = 5 * time.Minute

// unregistered: all pods of the chain run, so it is between the plugin and the kubelet, or the GPUs themselves.
func (j *judgement) unregistered(v *view, plugins []*DaemonSet, f *fact) {
	d := plugins[slices.IndexFunc(plugins, func(d *DaemonSet) bool { return slices.Contains(v.selected, d) })]
	pod, known := j.pod(v.Node, d)
	restart := func(nodes []string) string { return "restart the device plugin: " + deletePods(d, nodes) }
	why, look := "", "look for the GPU in the node's kernel log"
	search := look
	if j.params.owns("nvidia.com") {
		why, look, search = " (an XID, or a lost device), which it never takes back", "look for Xid in the kernel log", "run nvidia-smi in the driver's pod"
	}
	switch {
	case !known:
		f.Cause = fmt.Sprintf("%s should run there; whether its pod does is not known, as pods were not read", d.Name)
		f.remedy = func(nodes []string) string { return podsOn(whereIs(d), nodes) }
	case d.isDRA():
		f.Cause = d.Name + " runs there but has published no device"
		if v.offer.capacity > 0 {
			f.Cause = d.Name + " has published fewer devices than there should be: a GPU may be lost"
		}
		f.remedy = func(nodes []string) string {
			return search + ", then restart the DRA driver: " + deletePods(d, nodes)
		}
	case v.offer.allocatable == 0 && pod != nil && j.now.Sub(pod.Since).Abs() < registers:
		f.Cause = d.Name + " has just started there and is not registered with the kubelet yet"
		f.remedy = func(nodes []string) string {
			return "look again in 5 minutes; if it has started anew by then: " + logs(d, pod, nodes)
		}
	case v.offer.unhealthy > 0:
		f.Cause = fmt.Sprintf("the device plugin runs and has marked %d unhealthy%s", v.offer.unhealthy, why)
		f.remedy = func(nodes []string) string { return look + ", then " + restart(nodes) }
	case v.offer.capacity > 0:
		f.Cause = "the device plugin has registered fewer than there should be: a GPU may be lost"
		f.remedy = func(nodes []string) string { return search + ", then " + restart(nodes) }
	default:
		f.Cause = d.Name + " runs there but is not registered with the kubelet"
		f.remedy = func(nodes []string) string { return restart(nodes) + "; if that does not help, restart the kubelet" }
	}
}
