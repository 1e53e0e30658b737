package gpu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// meant is what nodes have in common that are to offer their GPUs alike, by the labels that whoever wants it so sets and that stay when
// feature discovery goes: instance type, profile, sharing and kind of workload; empty: nothing to compare by.
func meant(n *Node) string {
	kind := class(n)
	if kind == "" {
		return ""
	}
	return strings.Join([]string{kind, profile(n), n.Labels[labelSharing], strings.TrimSuffix(n.Labels[labelWorkload], "container")}, "\x00")
}

// profile is by which the node's GPUs are to be divided; empty: not at all, or nobody says.
func profile(n *Node) string {
	if mig := n.Labels[labelMIGConfig]; mig != "all-disabled" {
		return mig + n.Labels[labelProfileAMD]
	}
	return n.Labels[labelProfileAMD]
}

// productOf is the model of the node's GPUs by the word of whichever vendor's feature discovery; empty: none says it.
func productOf(n *Node) string {
	return joined(" and ", n.Labels[labelProduct], n.Labels[productAMD], n.Labels[productIntel])
}

// found is what feature discovery says of how they are divided and shared; empty: nothing.
func found(n *Node, p Params) string {
	if productOf(n) == "" && n.Labels[labelPartition] == "" {
		return ""
	}
	return strings.Join([]string{productOf(n), n.Labels[labelMIGMode], n.Labels[p.ReplicasLabel], shares(n, p), n.Labels[labelPartition]}, "\x00")
}

// shares is how many pods share each GPU by what the node offers, where no label says it (Intel's sharedDevNum); empty: nothing tells.
func shares(n *Node, p Params) string {
	count, all := number(n.Labels[p.CountLabel]), int64(0)
	if p.ReplicasLabel != "" || count == 0 {
		return ""
	}
	for _, r := range n.Resources {
		all += r.Capacity
	}
	return strconv.FormatInt(all/count, 10)
}

// model is both, where the product is known. With MIG the profile has to be known, as it says how many devices there are.
func model(n *Node, p Params) string {
	kind := meant(n)
	if kind == "" || productOf(n) == "" || divided(n) && profile(n) == "" || changing(n) {
		return ""
	}
	if n.Labels[labelMIGMode] != "" && n.Labels[labelMIGConfig] == "" && n.Labels[labelMIGCapable] != "false" {
		return ""
	}
	return kind + "\x00" + found(n, p)
}

// changing: what the node offers is not yet, or no longer, what its profile says.
func changing(n *Node) bool {
	state := n.Labels[labelMIGState]
	return state != "" && state != "success"
}

// divided says whether the node's GPUs are, by what it offers or by the word of feature discovery.
func divided(n *Node) bool {
	partition := n.Labels[labelPartition]
	return strings.Contains(n.Labels[labelProduct], "-MIG-") || partition != "" && !strings.HasPrefix(partition, "spx") || offersParts(n)
}

// offersParts says whether the node offers parts of GPUs by names of their own: then their number says nothing of whole ones.
func offersParts(n *Node) bool {
	return slices.ContainsFunc(n.Resources, func(r Resource) bool {
		part := isMIG(r.Name) || strings.Contains(r.Name, "px_nps") && !strings.Contains(r.Name, "spx_nps")
		return part && r.Capacity > 0
	})
}

// learn takes up a node that offers whole GPUs, or parts that go by the same name.
func (j *judgement) learn(n *Node, capacity int64) {
	kind := meant(n)
	if kind == "" || capacity == 0 || offersParts(n) || divided(n) && profile(n) == "" || changing(n) {
		return
	}
	if j.peers[kind] == nil {
		j.peers[kind] = map[string]int64{}
	}
	state := found(n, j.params)
	j.peers[kind][state] = max(j.peers[kind][state], capacity)
}

// alike is how many GPUs others offer that are meant, and found, to offer them as this node does; 0: nobody knows. Where feature discovery
// says nothing of the node, the others must not differ in what it says of them.
func (j *judgement) alike(n *Node) int64 {
	peers, state := j.peers[meant(n)], found(n, j.params)
	if state != "" {
		return peers[state]
	}
	for other := range peers {
		switch {
		case other == "":
		case state != "":
			return 0
		default:
			state = other
		}
	}
	return peers[state]
}

// usual is how many most nodes of a model offer: two of them at least, and more than half; 0: no number is. One that has lost a GPU
// before its plugin started counts it nowhere (NVSentinel's labeler learns the number from the peers too).
func usual(counts map[int64]int) int64 {
	total := 0
	for _, nodes := range counts {
		total += nodes
	}
	for number, nodes := range counts {
		if nodes >= 2 && 2*nodes > total {
			return number
		}
	}
	return 0
}

// likeness is by what a node's number of GPUs is compared with that of others.
type likeness struct {
	model   string // the same for those that can be compared; empty: none can
	product string // in words
	whole   bool   // GPUs are offered whole, as NVSentinel's label counts them
}

// likeness goes by the node's labels or, with DRA, by what it publishes.
func (j *judgement) likeness(n *Node) likeness {
	if !usesDRA(n, j.daemonSets) {
		kind := model(n, j.params)
		if kind != "" {
			kind += "\x00" + j.served(n)
		}
		return likeness{kind, productOf(n), n.Labels[labelMIGMode] == "" || profile(n) == "" && !divided(n)}
	}
	p := j.published(n.Name)
	l := likeness{product: p.product(), whole: p.whole()}
	if kind := meant(n); kind != "" && l.product != "" && l.whole && len(p.incomplete) == 0 {
		l.model = kind + "\x00" + j.params.Driver + "\x00" + l.product
	}
	return l
}

// served names the device plugins that are for the node: one that divides GPUs may offer the parts by the name of whole ones.
func (j *judgement) served(n *Node) string {
	var names []string
	for i := range j.daemonSets {
		if d := &j.daemonSets[i]; d.Role == rolePlugin && d.selects(n) {
			names = append(names, d.Namespace+"/"+d.Name)
		}
	}
	return strings.Join(names, " ")
}

// expects is how many GPUs the node should offer by another word than that of its own plugin or driver, and whose: the user's, NVSentinel's
// label, or else what most nodes of its model offer.
func (j *judgement) expects(n *Node) (want int64, by string) {
	if j.limits.Expect > 0 {
		return j.limits.Expect, "--expect"
	}
	l := j.likeness(n)
	if text := n.Labels[labelExpected]; number(text) > 0 && l.whole {
		return number(text) * max(number(n.Labels[j.params.ReplicasLabel]), 1), "label " + labelExpected + "=" + text
	}
	if want = j.usual[l.model]; want > 0 {
		by = fmt.Sprintf("most nodes of %s=%s with %s offer %d", labelInstance, class(n), l.product, want)
	}
	return want, by
}

// class is the instance type by which nodes can be compared; empty: none. k3s and RKE2 give one to all their nodes, vSphere one that
// tells of processors and memory only.
func class(n *Node) string {
	kind := n.Labels[labelInstance]
	if kind == "k3s" || kind == "rke2" || strings.HasPrefix(kind, "vsphere-vm.") {
		return ""
	}
	return kind
}
