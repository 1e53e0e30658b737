package gpu

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// purposes begin the keys of taints that say what a node is for: of the cluster's roles, of AKS's and of GKE's node pools.
var purposes = []string{"node-role.kubernetes.io/", "kubernetes.azure.com/", "cloud.google.com/"}

// meantToStay says whether a taint marks its nodes on purpose: pods that are to stay away would come if it were removed, and who set it
// sets it again. A taint that most GPU nodes have is one; of two nodes nothing is told by that.
func (j *judgement) meantToStay(t corev1.Taint) bool {
	const few = 2
	with := j.tainted[keyEffect(t)]
	return j.params.owns(t.Key) || with > few && 2*with > len(j.snapshot.Nodes) ||
		slices.ContainsFunc(purposes, func(prefix string) bool { return strings.HasPrefix(t.Key, prefix) })
}

// without is the command that takes the taints away, or where to go if a program puts them back, or if they are to stay.
func (j *judgement) without(v *view) func(nodes []string) string {
	var keys, odd, byNFD, controlled, stay []string
	for _, t := range v.taints {
		end := ends(t)
		switch {
		case end != "":
			controlled = append(controlled, end)
		case j.meantToStay(t):
			stay = append(stay, t.ToString())
		case slices.Contains(strings.Split(v.Annotations[annotationNFDTaints], ","), t.ToString()):
			byNFD = append(byNFD, t.ToString())
		case !validTaint(t):
			odd = append(odd, t.ToString())
		default:
			keys = append(keys, fmt.Sprintf("%s:%s-", t.Key, t.Effect))
		}
	}
	var names []string
	for _, p := range j.places(v.blocked) {
		names = append(names, p.name)
	}
	where := plugin.List(names)
	return func(nodes []string) string {
		var parts []string
		if len(keys) > 0 {
			parts = append(parts, fmt.Sprintf("kubectl taint nodes %s %s", some(nodes), strings.Join(keys, " ")))
		}
		if len(byNFD) > 0 {
			parts = append(parts, fmt.Sprintf("take %s out of the NodeFeatureRule by which NFD sets it", plugin.List(byNFD)))
		}
		if len(odd) > 0 {
			parts = append(parts, fmt.Sprintf("take off by hand %s, which no command can name", plugin.List(odd)))
		}
		parts = append(parts, controlled...)
		if len(stay) > 0 {
			return strings.Join(append(parts, fmt.Sprintf("tolerate %s in %s (it marks nodes on purpose: leave it there)", plugin.List(stay), where)), ", ")
		}
		return strings.Join(parts, ", ") + ", or tolerate it in " + where
	}
}
