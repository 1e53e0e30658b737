package machineconfig

import (
	"overdue/internal/plugin"
	"slices"
	"time"
)

// Prospect is a Snapshot with what tells the consequences of a change. A part that could not be read is nil.
type Prospect struct {
	Snapshot
	Workloads map[string][]Workload // by node, of the nodes that are asked about
	NoBudgets bool                  // PodDisruptionBudgets could not be read
	Changes   map[[2]string]Change  // by the names of two rendered MachineConfigs, from and to
	Policy    *Policy
	Operators []Operator
	Pending   []PendingPod
}

// Workload is a pod that a drain evicts.
type Workload struct {
	Pod
	Owner   string // its controller, "StatefulSet train"
	GPUs    int    // whole ones and MIG instances, of any vendor
	Shares  int    // of GPUs or MIG instances that several pods share
	Devices bool   // has devices by ResourceClaim, which may be GPUs
	Scratch bool   // has an emptyDir, whose contents a drain deletes
	Passing bool   // has a generic ephemeral volume, which goes with the pod
	Path    bool   // has a hostPath, whose data another node does not have
	Local   bool   // has a volume that is on this node only, so it cannot start anywhere else

	claims []string // its PersistentVolumeClaims
}

// Change is what differs between two rendered MachineConfigs.
type Change struct {
	System       []string // what needs a reboot in any case: "OS image", "kernel arguments"
	Files, Units []string // paths and names
	SSHKeys      bool
	Other        bool // anything else
}

// Policy is the node disruption policy (OpenShift 4.17 and later): the actions that a change of a file, a unit or the SSH keys
// takes. Source: MachineConfiguration "cluster", status.nodeDisruptionPolicyStatus.clusterPolicies, which holds the defaults too.
type Policy struct {
	Files, Units map[string][]string
	SSHKeys      []string
}

// Operator is a ClusterOperator that is not well.
type Operator struct {
	Name, Problem, Message string
	Since                  time.Time
}

// PendingPod is a pod that is not scheduled or does not start.
type PendingPod struct {
	Namespace, Name, Why string
	Created              time.Time
}

// pick is a node that the MCO takes, with the pool by whose target it does so.
type pick struct {
	Node
	pool Pool
}

// picks are the nodes that the MCO takes next, of all pools.
func (s Snapshot) picks() []pick {
	var out []pick
	m := members(s.Pools, s.Nodes)
	for _, p := range s.Pools {
		if p.Paused || p.Target == "" || p.imageAwaited() || p.Name == "arbiter" && mastersOutdated(s, m) {
			continue
		}
		for _, n := range newRollout(p, m.of[p.Name], s.Images).picks() {
			out = append(out, pick{n, p})
		}
	}
	return out
}

// imageAwaited: in image mode the MCO picks no node before the image is built.
func (p Pool) imageAwaited() bool {
	return slices.ContainsFunc([]string{condBuildPending, condBuilding, condBuildFailed, condBuildInterrupted, condImageBuildDegraded},
		func(name string) bool { return p.Conditions[name].True })
}

// withNode is the snapshot as it would be with one node changed.
func (s Snapshot) withNode(name string, changes ...func(*Node)) Snapshot {
	s.Nodes = slices.Clone(s.Nodes)
	for i := range s.Nodes {
		if s.Nodes[i].Name == name {
			for _, change := range changes {
				change(&s.Nodes[i])
			}
		}
	}
	return s
}

// finished is the snapshot as it will be once the nodes in work are done, which are named.
func (s Snapshot) finished() (Snapshot, []string) {
	var busy []string
	m := members(s.Pools, s.Nodes)
	for _, p := range s.Pools {
		busy = append(busy, names(newRollout(p, m.of[p.Name], s.Images).working)...)
	}
	s.Nodes = slices.Clone(s.Nodes)
	for i, n := range s.Nodes {
		if slices.Contains(busy, n.Name) {
			n.Current, n.CurrentImage, n.State = n.Desired, n.DesiredImage, stateDone
			n.uncordon()
			n.wake()
			s.Nodes[i] = n
		}
	}
	return s, busy
}

// unpaused is the snapshot as it would be with one pool unpaused.
func (s Snapshot) unpaused(name string) Snapshot {
	s.Pools = slices.Clone(s.Pools)
	for i := range s.Pools {
		s.Pools[i].Paused = s.Pools[i].Paused && s.Pools[i].Name != name
	}
	return s
}

// poolOf is the pool that a node is in; ok is false if it is in none.
func (s Snapshot) poolOf(node string) (Pool, rollout, bool) {
	m := members(s.Pools, s.Nodes)
	for _, p := range s.Pools {
		if slices.ContainsFunc(m.of[p.Name], func(n Node) bool { return n.Name == node }) {
			return p, newRollout(p, m.of[p.Name], s.Images), true
		}
	}
	return Pool{}, rollout{}, false
}

// noted is a finding's state as a question before a change is answered.
func noted(dangerous bool) plugin.State {
	if dangerous {
		return plugin.Critical
	}
	return plugin.Warning
}
