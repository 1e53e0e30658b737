package gpu

import (
	"fmt"
	"slices"
	"strings"

	"overdue/internal/plugin"
)

// unrecognised tells a node that should have GPUs but that nothing marks as such: to the operator, and to every check that goes by
// labels, it does not exist.
func (j *judgement) unrecognised(v *view) {
	odd := oddPCI(v.Node)
	f := fact{Finding: plugin.Finding{State: plugin.Critical, Consequence: "no GPU pod will ever come there"}}
	f.Problem = fmt.Sprintf("expected to have GPUs, but has no %s and no GPU label", v.offer.name)
	if v.offer.registered {
		f.Problem = "expected to have GPUs, but no label says so, " + v.offer.String()
	}
	if value, ok := v.Labels[labelPresent]; ok {
		if p := j.published(v.Name); len(p.devices) > 0 {
			v.offer = p.offer(j.params.Driver, 0)
		} else if len(v.Resources) == 0 {
			f.Details = append(f.Details, fmt.Sprintf("if its GPUs were taken out: kubectl label nodes %s %s-", v.Name, labelPresent))
		}
		f.Problem = fmt.Sprintf("no longer recognised as a GPU node (%s=%s), %s", labelPresent, value, v.offer)
		f.Since, f.AtLeast = v.Written[labelPresent], true
	}
	if u, ok := j.started(v.Node); ok && !j.old(f.Since) && (len(v.blocked) == 0 || j.excuses(v, u, true)) {
		f.State = plugin.OK
		f.Problem = "new node, " + f.Problem
		f.Consequence = ""
		j.add(v, f)
		return
	}
	j.undiscovered(v, odd, &f)
	j.add(v, f.mindful(v.Node))
}

// undiscovered finds why NFD has not labelled the node.
func (j *judgement) undiscovered(v *view, odd string, f *fact) {
	var workers, blocked []*DaemonSet
	for i := range j.daemonSets {
		if d := &j.daemonSets[i]; d.Role == roleNFD {
			workers = append(workers, d)
			if slices.Contains(v.blocked, d) {
				blocked = append(blocked, d)
			}
		}
	}
	switch {
	case odd != "":
		f.Cause = odd + " is there, which the operator does not heed: NFD's label format differs"
		f.Remedy = "set NFD's sources.pci.deviceLabelFields to [vendor]"
	case len(blocked) > 0 && len(blocked) == len(workers):
		v.blocked = append(slices.Clone(blocked), j.wouldBeBlocked(v)...)
		taints := v.taints
		f.since = taintAge(v)
		f.because = func(age string) string {
			text := taintWords(taints)
			if age != "" {
				text += ", there " + age + ","
			}
			return fmt.Sprintf("%s keeps the NFD worker (%s) off, so nothing finds its GPUs", text, plugin.List(daemonSetNames(blocked)))
		}
		f.remedy = j.without(v)
		f.Details = append(f.Details, j.taintDetails(v)...)
	case !j.snapshot.DaemonSetsRead:
		j.guess(v, f)
	case len(workers) == 0:
		f.Cause = "no NFD worker DaemonSet exists"
		f.Remedy = "install node feature discovery, or label the node by hand"
	default:
		f.Cause = "NFD's worker does not select the node"
		f.Remedy = fmt.Sprintf("kubectl -n %s get daemonset %s -o yaml", workers[0].Namespace, workers[0].Name)
		for _, d := range workers {
			if !slices.Contains(v.selected, d) {
				continue
			}
			f.Cause = d.Name + " runs there but finds no GPU on the PCI bus, or its labels do not reach the node"
			f.remedy = func(nodes []string) string { return "run lspci on " + nodes[0] + "; see the log of NFD's master" }
			if l, ok := j.troubled(v, d); ok {
				f.Cause, f.Since, f.remedy = l.text, l.since, l.remedy
				f.Details = append(f.Details, l.details...)
			}
		}
	}
	if others := j.alike(v.Node); others > 0 {
		f.Details = append(f.Details, fmt.Sprintf("other nodes of %s=%s offer %d", labelInstance, class(v.Node), others))
	}
}

// wouldBeBlocked are the GPU DaemonSets that do not tolerate the node's taints either, once it has labels.
func (j *judgement) wouldBeBlocked(v *view) []*DaemonSet {
	var out []*DaemonSet
	for i := range j.daemonSets {
		if d := &j.daemonSets[i]; d.Role != roleNFD && len(d.untolerated(v.taints)) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// oddPCI is a label of NFD for a GPU's PCI class or NVIDIA's PCI vendor in a format that the operator does not read
// (NVIDIA/gpu-operator#438, #1469).
func oddPCI(n *Node) string {
	const prefix = "feature.node.kubernetes.io/pci-"
	for _, key := range n.labelled(prefix) {
		pci := strings.TrimPrefix(key, prefix)
		heeded := pci == "10de.present" || pci == "0302_10de.present" || pci == "0300_10de.present"
		if !heeded && (strings.HasPrefix(pci, "0302") || strings.Contains(pci, "10de")) {
			return key
		}
	}
	return ""
}

// byNFD says whether NFD has set a label of the node: its own domain, or one below it, as for rules of a vendor's.
func byNFD(n *Node) bool {
	for key := range n.Labels {
		domain, _, ok := strings.Cut(key, "/")
		if ok && strings.HasSuffix("."+domain, ".feature.node.kubernetes.io") {
			return true
		}
	}
	return false
}
