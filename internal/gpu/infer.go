package gpu

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// builtIn is what NVIDIA's operator gives every operand where the ClusterPolicy says nothing.
var builtIn = []corev1.Toleration{{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}

// noOperand are deploy labels without a DaemonSet of the operator's.
var noOperand = map[string]bool{"operands": true, "client": true, "nvsm": true}

// infer tells the operator's DaemonSets without having read them: an operand for each deploy label that a node has, with the
// tolerations that the operator gives it. A ClusterPolicy's replace the built-in one; a NVIDIADriver's are added to it.
// Without a ClusterPolicy nothing is known.
func infer(policies []Policy, nodes []Node) []DaemonSet {
	at := slices.IndexFunc(policies, func(p Policy) bool { return p.Kind == "ClusterPolicy" && !p.Ignored })
	if at < 0 {
		return nil
	}
	policy := policies[at]
	operands := map[string]bool{}
	for i := range nodes {
		for key := range nodes[i].Labels {
			if operand, ok := strings.CutPrefix(key, deployPrefix); ok && !noOperand[operand] && !policy.Disabled[operand] {
				operands[operand] = true
			}
		}
	}
	var out []DaemonSet
	for _, operand := range slices.Sorted(maps.Keys(operands)) {
		d := DaemonSet{Name: operand, Owner: policy.Owner, Role: roleOf(operand), Inferred: inferredFrom(policy.Owner),
			NodeSelector: map[string]string{deployPrefix + operand: "true"}, Tolerations: policy.Tolerations}
		if len(d.Tolerations) == 0 {
			d.Tolerations = builtIn
		}
		if operand != "driver" || !policy.UsesDrivers {
			out = append(out, d)
			continue
		}
		for _, driver := range policies {
			if driver.Kind == "NVIDIADriver" {
				out = append(out, driverOf(d, driver))
			}
		}
	}
	return out
}

// driverOf is the driver's DaemonSet of a NVIDIADriver, which selects nodes by labels of its own too.
func driverOf(d DaemonSet, driver Policy) DaemonSet {
	d.Owner, d.Inferred = driver.Owner, inferredFrom(driver.Owner)
	d.NodeSelector = maps.Clone(d.NodeSelector)
	maps.Copy(d.NodeSelector, driver.NodeSelector)
	d.Tolerations = slices.Concat(builtIn, driver.Tolerations)
	return d
}

func inferredFrom(o Owner) string { return "inferred from the " + o.Kind }
