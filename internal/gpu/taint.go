package gpu

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// relevant are the taints that may keep pods off for longer than a moment: not those that the user means, nor those of the
// node's own troubles while they are fresh.
func (j *judgement) relevant(n *Node) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(n.Taints), func(t corev1.Taint) bool {
		if slices.ContainsFunc(j.limits.IgnoreTaints, func(p TaintPattern) bool { return p.matches(t) }) {
			return true
		}
		return strings.HasPrefix(t.Key, "node.kubernetes.io/") && t.TimeAdded != nil && j.young(t.TimeAdded.Time)
	})
}

// taintAge is how long all the taints have been there at least: as long as the youngest, or nothing where that of one is not known. The
// list has one owner in managedFields, so its time is that of the last change to any of them; only a taint that the node lifecycle
// controller set carries its own.
func taintAge(v *view) moment {
	var youngest moment
	for _, t := range v.taints {
		m := moment{Time: v.TaintsWritten}
		if t.TimeAdded != nil {
			m = moment{t.TimeAdded.Time, true}
		}
		if m.IsZero() {
			return m
		}
		if m.After(youngest.Time) {
			youngest = m
		}
	}
	return youngest
}

// keyEffect is what makes two taints the same: a node has no two of one key and effect.
func keyEffect(t corev1.Taint) string { return t.Key + ":" + string(t.Effect) }

// taintWords names the taints: "taint a=b:NoSchedule", "taints …".
func taintWords(taints []corev1.Taint) string {
	var names []string
	for _, t := range taints {
		names = append(names, t.ToString())
	}
	if len(names) == 1 {
		return "taint " + names[0]
	}
	return "taints " + plugin.List(names)
}

// notTolerated words who does not tolerate: one is named, several are counted. NFD's worker is not one of the GPU's.
func notTolerated(taints []corev1.Taint, by []*DaemonSet, age string) string {
	var gpus, nfd []string
	inferred := ""
	for _, d := range by {
		if d.Role == roleNFD {
			nfd = append(nfd, d.Name)
			continue
		}
		gpus = append(gpus, d.Name)
		if d.Inferred != "" {
			inferred = " (" + d.Inferred + ")"
		}
	}
	who := plugin.Count(len(gpus), "GPU DaemonSet")
	switch {
	case len(gpus) == 0:
		who = "the NFD worker " + plugin.List(nfd)
	case len(gpus) == 1:
		who = "DaemonSet " + gpus[0]
	}
	if len(gpus) > 0 && len(nfd) > 0 {
		who += " and the NFD worker"
	}
	text := taintWords(taints)
	if age != "" {
		text += ", there " + age + ","
	}
	return text + " " + plugin.Verb(len(taints), "is", "are") + " not tolerated by " + who + inferred
}

// settings is where the tolerations of DaemonSets are written down.
type settings struct {
	name string // for a sentence: "ClusterPolicy gpu-cluster-policy"
	path string // the field: "spec.daemonsets.tolerations"
	rule string // what becomes of it
}

// places are the settings of the DaemonSets, each once.
func (j *judgement) places(all []*DaemonSet) []settings {
	var out []settings
	for _, d := range all {
		var s settings
		switch {
		case d.Role == roleNFD:
			s = settings{"NFD's worker tolerations", "(NodeFeatureDiscovery spec.operand.workerTolerations, or the chart's worker.tolerations)", ""}
		case d.Owner.Kind == "ClusterPolicy" && j.params.owns(clusterPolicies.Group): // Gaudi's operator has one too
			s = settings{"ClusterPolicy " + d.Owner.Name, "spec.daemonsets.tolerations", ", which replaces the operator's own list: repeat nvidia.com/gpu there"}
		case d.Owner.Kind == "NVIDIADriver":
			s = settings{"NVIDIADriver " + d.Owner.Name, "spec.tolerations", ", which is added to the operator's own list"}
		case d.Owner.Kind != "":
			s = settings{d.Owner.Kind + " " + d.Owner.Name, "", ""}
		default:
			s = settings{fmt.Sprintf("DaemonSet %s/%s", d.Namespace, d.Name), "spec.template.spec.tolerations", ""}
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (s settings) String() string { return strings.TrimSpace(s.name + " " + s.path) }

func (j *judgement) placeNames(all []*DaemonSet) string {
	var out []string
	for _, s := range j.places(all) {
		out = append(out, s.String())
	}
	return plugin.List(out)
}

// taintDetails tell what the first line has no room for.
func (j *judgement) taintDetails(v *view) []string {
	out := append([]string{"not tolerated by: " + strings.Join(daemonSetNames(v.blocked), ", ")}, j.mistakes(v)...)
	var tolerations []string
	for _, t := range v.taints {
		tolerations = append(tolerations, fmt.Sprintf("{key: %s, operator: Exists, effect: %s}", t.Key, t.Effect))
	}
	for _, s := range j.places(v.blocked) {
		out = append(out, fmt.Sprintf("to keep the taint, add %s to %s%s; this restarts its pods on all nodes", strings.Join(tolerations, ", "), s, s.rule))
	}
	for _, t := range v.taints {
		out = append(out, fmt.Sprintf("GPU nodes with taint %s: %d of %d", keyEffect(t), j.tainted[keyEffect(t)], len(j.snapshot.Nodes)))
	}
	if v.TaintsBy != "" {
		out = append(out, "the node's taints were last written by "+v.TaintsBy)
	}
	return out
}

// mistakes names what is wrong with tolerations that were meant for the taint, and where only some of the DaemonSets have one.
func (j *judgement) mistakes(v *view) []string {
	var out []string
	tell := func(text string) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, t := range v.taints {
		for _, d := range v.blocked {
			for _, has := range d.Tolerations {
				if why := almost(has, t); why != "" {
					tell(fmt.Sprintf("the toleration for %s in %s %s", t.Key, j.placeNames([]*DaemonSet{d}), why))
				}
			}
		}
		var others []*DaemonSet
		for _, d := range v.selected {
			if d.Role != roleNFD && !slices.Contains(v.blocked, d) && len(d.untolerated([]corev1.Taint{t})) == 0 {
				others = append(others, d)
			}
		}
		if len(others) > 0 && !slices.Equal(j.places(others), j.places(v.blocked)) {
			tell(fmt.Sprintf("taint %s:%s is tolerated in %s, but not in %s", t.Key, t.Effect, j.placeNames(others), j.placeNames(v.blocked)))
		}
	}
	return out
}

// almost says why a toleration for the taint's key does not tolerate it.
func almost(has corev1.Toleration, t corev1.Taint) string {
	equal := has.Operator == "" || has.Operator == corev1.TolerationOpEqual
	switch {
	case has.Key != t.Key:
		return ""
	case has.Effect != "" && has.Effect != t.Effect:
		return fmt.Sprintf("is for effect %s only, the taint's is %s", has.Effect, t.Effect)
	case equal && has.Value == "" && t.Value != "":
		return fmt.Sprintf("has operator Equal and no value, the taint's is %q: operator Exists is meant", t.Value)
	case equal && has.Value != t.Value:
		return fmt.Sprintf("is for value %q, the taint's is %q", has.Value, t.Value)
	}
	return ""
}
