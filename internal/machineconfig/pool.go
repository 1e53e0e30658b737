package machineconfig

import (
	"slices"
	"strconv"
	"strings"
)

// Condition types of a MachineConfigPool. Degraded sums up the three before it.
const (
	condUpdated            = "Updated"
	condUpdating           = "Updating"
	condNodeDegraded       = "NodeDegraded"
	condRenderDegraded     = "RenderDegraded"
	condImageBuildDegraded = "ImageBuildDegraded"
	condDegraded           = "Degraded"
	condBuildFailed        = "BuildFailed"
	condBuildInterrupted   = "BuildInterrupted"
)

// clean says that the pool's status alone shows that nothing is pending, so that no node need be read. It compares the counts
// as well: the meaning of the condition Updated is about to change (MCO pull request 6536).
func (p Pool) clean() bool {
	for _, bad := range []string{condUpdating, condNodeDegraded, condRenderDegraded, condImageBuildDegraded, condDegraded,
		condBuildFailed, condBuildInterrupted} {
		if p.Conditions[bad].True {
			return false
		}
	}
	return p.Conditions[condUpdated].True && p.Generation == p.ObservedGeneration &&
		p.Ready == p.Machines && p.Updated == p.Machines && p.Unavailable == 0 && p.Degraded == 0
}

// maxUnavailable is how many of machines may be unavailable at once: default 1, a percentage rounds down, never under 1.
func (p Pool) maxUnavailable(machines int) int {
	n := 1
	if percent, ok := strings.CutSuffix(p.Limit, "%"); ok {
		if v, err := strconv.Atoi(percent); err == nil && v > 0 {
			n = machines * min(v, 100) / 100
		}
	} else if v, err := strconv.Atoi(p.Limit); err == nil {
		n = v
	}
	return max(n, 1)
}

// has says whether a MachineConfig is part of the target, or is the target.
func (p Pool) has(machineConfig string) bool {
	return p.Target == machineConfig || slices.Contains(p.Sources, machineConfig)
}

// builtIn are the pools that yield to a custom pool or win over it.
func (p Pool) builtIn() bool { return p.Name == "master" || p.Name == "worker" || p.Name == "arbiter" }
