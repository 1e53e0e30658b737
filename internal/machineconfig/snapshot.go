// Package machineconfig watches OpenShift's MachineConfigPools: an update that is pending, stuck, paused, degraded or outside
// its window. Data walks one way: read.go asks the API for a Snapshot, judge.go turns it into findings.
//
// The rules are those of the Machine Config Operator (MCO), read from its source and run against a real API server. Its
// documentation: https://github.com/openshift/machine-config-operator/tree/main/docs
package machineconfig

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Snapshot is what was read of a cluster at one time. It holds only what is judged.
type Snapshot struct {
	Pools []Pool

	// NodesRead is false where every pool is clean: then the pool list alone decides.
	NodesRead bool
	Nodes     []Node

	// The rest is read only where a pool is not clean, and only with the right to. A missing part is empty.

	ControllerSeen time.Time            // renewTime of the controller's Lease
	TargetCreated  map[string]time.Time // by name of a rendered MachineConfig
	CordonedByMCO  map[string]time.Time // by node: time of the MachineConfigNode's condition Cordoned
	Daemons        map[string]Daemon    // by node; nil: not read
	FailedBuilds   map[string]string    // by pool: name of a failed or interrupted MachineOSBuild
	Pods           map[string][]Pod     // by node, of nodes that drain
	Budgets        []Budget             // of all namespaces, if a node drains
	Images         poolImages           // what the nodes of pools in image mode should run
}

// poolImages are the target images by pool; a pool that is missing is not in image mode. Not read: nothing is known of them.
type poolImages struct {
	read    bool
	of      map[string]string
	unbuilt bool // whether further ones are being built is not known
}

// target is the image that the nodes of a pool should run, empty outside of image mode.
func (i poolImages) target(pool string) (image string, known bool) {
	image, layered := i.of[pool]
	return image, layered || i.read
}

// Pool is a MachineConfigPool.
type Pool struct {
	Name       string
	Created    time.Time
	Selector   *metav1.LabelSelector
	Paused     bool
	Target     string   // spec.configuration.name, a rendered MachineConfig
	Sources    []string // spec.configuration.source: the MachineConfigs that make up the target
	Limit      string   // spec.maxUnavailable as written; empty: 1
	Conditions map[string]Condition

	Generation, ObservedGeneration                  int64
	Machines, Ready, Updated, Unavailable, Degraded int // the status' own counts

	SpecWritten   time.Time // last write of anything but the status; zero: unknown
	TargetWritten time.Time // last write of spec.configuration; zero: unknown
	LimitWritten  time.Time // last write of spec.maxUnavailable; zero: unknown
	PausedWritten time.Time // last write of spec.paused; zero: unknown
	PausedBy      string    // the program that wrote it
}

// Condition is one of a pool's status conditions.
type Condition struct {
	True    bool
	Unclear bool // neither True nor False
	Since   time.Time
	Message string
}

// Node is a node with what the MCO says of it in annotations (machineconfiguration.openshift.io/…).
type Node struct {
	Name    string
	Created time.Time
	Labels  map[string]string // only those that a pool's selector asks for
	Zone    string
	Windows bool
	Taints  []string // those that a person or another program put there, as key=value:effect

	Current, Desired               string // currentConfig, desiredConfig
	CurrentImage, DesiredImage     string
	State, Reason                  string
	DesiredDrain, LastAppliedDrain string

	Unschedulable bool
	CordonedSince time.Time // zero: unknown
	CordonedBy    string    // the program that wrote spec.unschedulable; empty: unknown

	KubeletReady  bool
	NotReadySince time.Time // of the condition that makes the node not ready
	NotReadyWhy   string    // "Ready is Unknown: Kubelet stopped posting node status."
	Lost          bool      // not ready for longer than a reboot takes: what has begun there ends only when it is made ready; set before a change only

	// Times of the last write by whoever owns the annotation; each is the latest moment at which it can have got its value.
	Picked       time.Time // desiredConfig
	DrainAsked   time.Time // desiredDrain
	DrainApplied time.Time // lastAppliedDrain
	StateWritten time.Time // state
}

// Daemon is the machine-config-daemon's pod of one node.
type Daemon struct {
	Pod   string
	Ready bool
	Why   string // of a container that waits: "CrashLoopBackOff"
}

// Pod is a pod that a drain has to evict.
type Pod struct {
	Namespace, Name string
	Labels          map[string]string
	Deleted         time.Time // deletionTimestamp; zero: not asked to go
	Pending         bool      // status.phase is; false if the status was not read
	Unready         bool      // its condition Ready is not True; false if the status was not read
}

// Budget is a PodDisruptionBudget.
type Budget struct {
	Namespace, Name string
	Selector        *metav1.LabelSelector // empty: all pods of the namespace; nil: none
	Allowed         int                   // status.disruptionsAllowed
	Lenient         bool                  // evicts pods that are not ready all the same
	Migrates        bool                  // of a virtual machine: its eviction is refused and becomes a migration
}
