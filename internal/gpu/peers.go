package gpu

import (
	"fmt"
	"strings"
)

// model is what nodes have in common that have equally many GPUs to offer: instance type, product, MIG profile and sharing; empty: nothing
// to compare by. With MIG the profile has to be known, as it says how many devices there are.
func model(n *Node, p Params) string {
	kind, product := class(n), n.Labels[labelProduct]
	if kind == "" || product == "" || n.Labels[labelMIGMode] != "" && n.Labels[labelMIGConfig] == "" {
		return ""
	}
	return strings.Join([]string{kind, product, n.Labels[labelMIGMode], n.Labels[labelMIGConfig], n.Labels[p.ReplicasLabel],
		n.Labels[labelSharing], n.Labels[labelWorkload]}, "\x00")
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

// expects is how many GPUs the node should offer by another word than its own plugin's, and whose: the user's, NVSentinel's label, which
// counts whole GPUs, or else what most nodes of its model offer.
func (j *judgement) expects(n *Node) (want int64, by string) {
	if j.limits.Expect > 0 {
		return j.limits.Expect, "--expect"
	}
	if text := n.Labels[labelExpected]; number(text) > 0 && n.Labels[labelMIGMode] == "" {
		return number(text) * max(number(n.Labels[j.params.ReplicasLabel]), 1), "label " + labelExpected + "=" + text
	}
	if want = j.usual[model(n, j.params)]; want > 0 {
		by = fmt.Sprintf("most nodes of %s=%s with %s offer %d", labelInstance, class(n), n.Labels[labelProduct], want)
	}
	return want, by
}
