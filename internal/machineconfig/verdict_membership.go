package machineconfig

import (
	"fmt"
	"maps"
	"slices"

	"overdue/internal/plugin"
)

// judgeMembership: nodes that no pool takes care of get no change at all, and no count tells.
func judgeMembership(m membership, selected func(string) bool) []plugin.Finding {
	var out []plugin.Finding
	var twice []string
	for _, node := range slices.Sorted(maps.Keys(m.claimed)) {
		if slices.ContainsFunc(m.claimed[node], selected) {
			twice = append(twice, node)
		}
	}
	if len(twice) > 0 {
		out = append(out, plugin.Finding{State: plugin.Warning, Subject: "cluster",
			Problem:     fmt.Sprintf("%s in two custom pools: %s (%s)", plugin.Count(len(twice), "node"), plugin.List(twice), plugin.List(m.claimed[twice[0]])),
			Cause:       "the MCO puts such a node in no pool",
			Consequence: "it gets no configuration and is counted nowhere",
			Remedy:      "take one of the role labels away: oc get node " + twice[0] + " --show-labels"})
	}
	if len(m.none) > 0 && (selected("worker") || selected("master")) {
		slices.Sort(m.none)
		out = append(out, plugin.Finding{State: plugin.Warning, Subject: "cluster",
			Problem:     fmt.Sprintf("%s in no pool: %s", plugin.Count(len(m.none), "node"), plugin.List(m.none)),
			Cause:       "no pool's nodeSelector matches its labels",
			Consequence: "it gets no configuration and is counted nowhere",
			Remedy:      "oc label node " + m.none[0] + " node-role.kubernetes.io/worker="})
	}
	return out
}
