package machineconfig

import (
	"maps"
	"slices"
	"time"

	"overdue/internal/plugin"
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
	Users        bool     // passwd: their SSH keys or passwords
	Other        bool     // what the MCO has no rule for; or it could not be told
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
func (s Snapshot) picks() []pick { return s.choose(rollout.picks) }

// course are the nodes that the MCO takes sooner or later if nobody does anything further and each update succeeds. A pool that has
// room for one node comes to all that it can take, as each node that is done makes room for the next.
func (s Snapshot) course() []pick {
	var out []pick
	for {
		s, _ = s.finished()
		next := s.choose(rollout.candidates)
		if len(next) == 0 {
			return out
		}
		out = append(out, next...)
		s = s.begun(next)
	}
}

// begun is the snapshot as it will be once the MCO has taken some nodes.
func (s Snapshot) begun(picks []pick) Snapshot {
	pools := map[string]Pool{}
	for _, p := range picks {
		pools[p.Name] = p.pool
	}
	s.Nodes = slices.Clone(s.Nodes)
	for i := range s.Nodes {
		if p, ok := pools[s.Nodes[i].Name]; ok {
			n := &s.Nodes[i]
			n.Desired, n.State = p.Target, stateWorking
			n.DesiredImage, _ = s.Images.target(p.Name)
		}
	}
	return s
}

func (s Snapshot) choose(of func(rollout) []Node) []pick {
	var out []pick
	m := members(s.Pools, s.Nodes)
	for _, p := range s.Pools {
		if p.Paused || p.Target == "" || p.imageAwaited() || s.yields(p, m) {
			continue
		}
		for _, n := range of(newRollout(p, m.of[p.Name], s.Images)) {
			out = append(out, pick{n, p})
		}
	}
	return out
}

// yields: masters and arbiters never go at the same time (MCO, updatePools). The masters wait while an arbiter is unavailable, the
// arbiters while a master is, or while a master is to be taken.
func (s Snapshot) yields(p Pool, m membership) bool {
	rolloutOf := func(pool string) (rollout, bool) {
		i := slices.IndexFunc(s.Pools, func(p Pool) bool { return p.Name == pool })
		if i < 0 {
			return rollout{}, false
		}
		return newRollout(s.Pools[i], m.of[pool], s.Images), true
	}
	switch p.Name {
	case "master":
		arbiters, _ := rolloutOf("arbiter")
		return arbiters.unavailable() > 0
	case "arbiter":
		masters, ok := rolloutOf("master")
		waiting := !masters.pool.Paused && (masters.pool.imageAwaited() || len(masters.picks()) > 0)
		return !ok || masters.unavailable() > 0 || waiting
	}
	return false
}

// imageAwaited: in image mode the MCO picks no node before the image is built.
func (p Pool) imageAwaited() bool { return p.imageBuilding() || p.imageFailed() }

func (p Pool) imageBuilding() bool {
	return p.Conditions[condBuilding].True || p.Conditions[condBuildPending].True
}

func (p Pool) imageFailed() bool {
	return p.Conditions[condBuildFailed].True || p.Conditions[condBuildInterrupted].True || p.Conditions[condImageBuildDegraded].True
}

// imageToCome stands for an image that is being built: no node runs it.
const imageToCome = "the image that is being built"

// imagesToCome are the target images as they will be once those that are being built are done.
func (s Snapshot) imagesToCome() poolImages {
	images := s.Images
	images.of = maps.Clone(images.of)
	for _, p := range s.Pools {
		if p.imageBuilding() {
			if images.of == nil {
				images.of = map[string]string{}
			}
			images.of[p.Name] = imageToCome
		}
	}
	return images
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

// finished is the snapshot as it will be once the nodes in work are done, which are named. Lost ones stay as they are.
func (s Snapshot) finished() (Snapshot, []string) {
	var busy []string
	inWork := map[string]bool{}
	m := members(s.Pools, s.Nodes)
	for _, p := range s.Pools {
		for _, n := range newRollout(p, m.of[p.Name], s.Images).working {
			if !n.Lost {
				busy, inWork[n.Name] = append(busy, n.Name), true
			}
		}
	}
	s.Nodes = slices.Clone(s.Nodes)
	for i, n := range s.Nodes {
		if inWork[n.Name] {
			n.Current, n.CurrentImage, n.State, n.LastAppliedDrain = n.Desired, n.DesiredImage, stateDone, n.DesiredDrain
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
