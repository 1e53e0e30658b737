package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// People copy commands. A key, value or effect that no API server would take came from something else, and may do in a shell what it
// will: it stands in no command.

func validKey(key string) bool { return len(validation.IsQualifiedName(key)) == 0 }

func validValue(value string) bool { return len(validation.IsValidLabelValue(value)) == 0 }

func validTaint(t corev1.Taint) bool {
	return validKey(t.Key) && slices.Contains(effects, string(t.Effect))
}

// some are nodes as arguments of a command.
func some(nodes []string) string { return strings.Join(nodes, " ") }

// upgradeAnew is the command that lets the operator try a failed upgrade again.
func (j *judgement) upgradeAnew(nodes []string) string {
	return fmt.Sprintf("see the driver's pod, then begin it anew, which evicts the nodes' GPU pods: kubectl label nodes %s --overwrite %s=%s", some(nodes), j.params.UpgradeLabel, upgradeRequired)
}

func setLabel(label, has string) func(nodes []string) string {
	return func(nodes []string) string {
		if !validKey(label) {
			return "see which DaemonSet selects " + label + ", which is no valid label"
		}
		if !strings.HasPrefix(label, deployPrefix) {
			return fmt.Sprintf("see who sets %s (kubectl get nodes %s --show-labels)", label, some(nodes))
		}
		text := fmt.Sprintf("kubectl label nodes %s --overwrite %s=true", some(nodes), label)
		if has == "false" {
			text += ", unless it was switched off on purpose"
		}
		return text
	}
}

// podsOn is the command that lists the pods of the nodes; a field selector can name one node only.
func podsOn(where string, nodes []string) string {
	if len(nodes) > 1 {
		return fmt.Sprintf("for n in %s; do kubectl get pods %s -o wide --field-selector spec.nodeName=$n; done", some(nodes), where)
	}
	return fmt.Sprintf("kubectl get pods %s -o wide --field-selector spec.nodeName=%s", where, nodes[0])
}

// whereIs is the option of kubectl for the DaemonSet's namespace, which an inferred one does not tell.
func whereIs(d *DaemonSet) string {
	if d.Namespace == "" {
		return "-A"
	}
	return "-n " + d.Namespace
}

// showDaemonSet is the command that shows it; kubectl takes no name over all namespaces.
func showDaemonSet(d *DaemonSet) string {
	if d.Namespace == "" {
		return "kubectl get daemonsets -A"
	}
	return fmt.Sprintf("kubectl -n %s get daemonset %s -o yaml", d.Namespace, d.Name)
}

// logs is the command that shows what the DaemonSet's pods have written: the one pod, or those of several nodes.
func logs(d *DaemonSet, pod *Pod, nodes []string) string {
	switch selector := podLabels(d); {
	case len(nodes) == 1:
		return fmt.Sprintf("kubectl -n %s logs %s", pod.Namespace, pod.Name)
	case selector != "":
		return fmt.Sprintf("kubectl -n %s logs -l %s --prefix", d.Namespace, selector)
	}
	return "see the logs of " + d.Name
}

// restart is a remedy that names the DaemonSet whose pods to restart.
func (j *judgement) restart(part, say string) func([]string) string {
	for i := range j.daemonSets {
		d := &j.daemonSets[i]
		if strings.Contains(d.Name, part) && d.Inferred == "" {
			return func(nodes []string) string { return say + ": " + deletePods(d, nodes) }
		}
	}
	return func([]string) string { return say }
}

// deletePods is the command that makes a DaemonSet start its pod on the nodes anew, with what else it ends.
func deletePods(d *DaemonSet, nodes []string) string {
	selector := podLabels(d)
	if selector == "" || d.Namespace == "" { // inferred: without a selector it would take all pods
		return "delete the pod of " + d.Name + " on " + some(nodes)
	}
	command := fmt.Sprintf("kubectl -n %s delete pod -l %s --field-selector spec.nodeName=", d.Namespace, selector)
	if len(nodes) > 1 {
		command = fmt.Sprintf("for n in %s; do %s$n; done", some(nodes), command)
	} else {
		command += nodes[0]
	}
	switch {
	case d.Role == roleDriver:
		command += " (this evicts all pods that use the node's GPUs)"
	case strings.Contains(d.Name, "mig-manager"):
		command += " (it then applies the MIG profile, which ends all pods that use the node's GPUs)"
	}
	return command
}

// podLabels are the labels of the DaemonSet's pods as a selector for a command; empty: none is known.
func podLabels(d *DaemonSet) string {
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(d.PodLabels)) {
		if !validKey(key) || !validValue(d.PodLabels[key]) {
			return ""
		}
		labels = append(labels, key+"="+d.PodLabels[key])
	}
	return strings.Join(labels, ",")
}
