package machineconfig

import (
	"fmt"
	"path"
	"slices"

	"overdue/internal/plugin"
)

// need is what applying a change costs a node.
type need int

const (
	needUnknown need = iota
	needReboot       // drain and reboot
	needDrain        // drain only
	needNothing      // neither
)

// Actions of a node disruption policy (operator.openshift.io/v1, NodeDisruptionPolicyStatusActionType).
const (
	actionReboot  = "Reboot"
	actionDrain   = "Drain"
	actionSpecial = "Special" // registries.conf: a drain, unless only digest mirrors were added
)

// does words it as what the MCO does: "drains and reboots wrk-98".
func (n need) does(node string) string {
	switch n {
	case needReboot:
		return "drains and reboots " + node
	case needDrain:
		return "drains " + node + ", without a reboot"
	case needNothing:
		return "updates " + node + " without a drain or reboot"
	}
	return "drains and, unless the change needs none, reboots " + node
}

// to words it after "the MCO will": "drain and reboot wrk-98".
func (n need) to(node string) string {
	switch n {
	case needReboot:
		return "drain and reboot " + node
	case needDrain:
		return "drain " + node + ", without a reboot"
	case needNothing:
		return "update " + node + " without a drain or reboot"
	}
	return drainWords + " " + node
}

// need of bringing a node to its pool's target, and why, as far as that could be read. A node that was told something else before
// may finish that first, and then differs from the target in no more than what it differs from either in now.
func (p Prospect) need(n Node, pool Pool) (need, string) {
	need, why := p.compare(n, pool)
	if need == needNothing && (n.draining() || n.State == stateRebooting) { // by what held when it was begun
		return needUnknown, "it has begun"
	}
	return need, why
}

func (p Prospect) compare(n Node, pool Pool) (need, string) {
	image, known := p.Images.target(pool.Name)
	if pool.Target == "" { // nobody says: it comes to what it was told
		pool.Target, known = n.Desired, false
	}
	if pool.imageAwaited() || known && image != n.CurrentImage || n.managed() && n.DesiredImage != n.CurrentImage {
		return needReboot, "the OS image changes"
	}
	need, why := p.needOf(n.Current, pool.Target)
	if n.Desired != n.Current && n.Desired != pool.Target {
		if first, whyFirst := p.needOf(n.Current, n.Desired); first.worse(need) {
			return first, whyFirst
		}
	}
	return need, why
}

func (p Prospect) needOf(from, to string) (need, string) {
	if from == to && from != "" {
		return needNothing, ""
	}
	change, ok := p.Changes[[2]string{from, to}]
	if !ok {
		return needUnknown, ""
	}
	return change.need(p.Policy)
}

// worse says whether it costs a node more, or may.
func (n need) worse(than need) bool {
	order := []need{needReboot, needUnknown, needDrain, needNothing}
	return slices.Index(order, n) < slices.Index(order, than)
}

// heedsPolicy: a policy may spare the reboot.
func (c Change) heedsPolicy() bool {
	return len(c.System) == 0 && !c.Other && (len(c.Files) > 0 || len(c.Units) > 0 || c.Users)
}

// need follows the MCO's daemon (pkg/daemon/update.go, calculatePostConfigChangeNodeDisruptionAction): what is part of the OS reboots,
// a file or unit without a policy reboots, and any single action that drains or reboots decides.
func (c Change) need(policy *Policy) (need, string) {
	parts := slices.Concat(c.Files, c.Units)
	if c.Users {
		parts = append(parts, "SSH keys or passwords")
	}
	why := fmt.Sprintf("changed: %s", plugin.List(parts))
	switch {
	case len(c.System) > 0:
		return needReboot, fmt.Sprintf("changed: %s", plugin.List(c.System))
	case c.Other:
		return needUnknown, ""
	case len(parts) == 0:
		return needNothing, "nothing differs but the name"
	case policy == nil:
		return needUnknown, why
	}
	var actions []string
	for _, file := range c.Files {
		found, ok := policy.file(file)
		if !ok {
			return needReboot, "changed: " + file + ", and no node disruption policy covers it"
		}
		actions = append(actions, found...)
	}
	for _, unit := range c.Units {
		found, ok := policy.Units[unit]
		if !ok {
			return needReboot, "changed: " + unit + ", and no node disruption policy covers it"
		}
		actions = append(actions, found...)
	}
	if c.Users {
		actions = append(actions, policy.SSHKeys...)
	}
	switch {
	case slices.Contains(actions, actionReboot):
		return needReboot, why
	case slices.Contains(actions, actionDrain), slices.Contains(actions, actionSpecial):
		return needDrain, why
	}
	return needNothing, why + ", by the node disruption policy"
}

// file finds the policy of a path, or of the closest folder that has one.
func (p Policy) file(name string) ([]string, bool) {
	for ; ; name = path.Dir(name) {
		if actions, ok := p.Files[name]; ok {
			return actions, true
		}
		if name == path.Dir(name) {
			return nil, false
		}
	}
}
