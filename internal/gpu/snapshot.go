// Package gpu watches nodes that have GPUs: whether they offer them to pods, and if not, what keeps the GPU operator's pods
// off them. Data walks one way: read.go asks the API for a Snapshot, judge.go turns it into findings.
//
// The rules are those of the kubelet, the DaemonSet controller, NVIDIA's GPU operator and device plugin, and node feature
// discovery (NFD), read from their sources. They are told where they are used.
package gpu

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Snapshot is what was read of a cluster at one time. It holds only what is judged.
type Snapshot struct {
	Nodes     []Node
	Unmatched []string // selectors by which the user expects nodes, and that match none

	// Each of the rest needs a right that the verdict can do without.

	DaemonSetsRead bool     // at least in one namespace
	Unread         []string // namespaces of which the DaemonSets could not be read; "" is all of them
	Empty          []string // namespaces that the user names and that have none of the GPUs
	DaemonSets     []DaemonSet
	PodsRead       map[string]bool // by namespace
	Pods           []Pod           // of the DaemonSets

	Policies []Policy // ClusterPolicies and NVIDIADrivers, read where DaemonSets could not be

	SlicesRead bool
	Slices     []Slice // of the vendor's DRA driver, read where a node uses it
}

// Node is a node that has GPUs, or should have.
type Node struct {
	Name         string
	Created      time.Time
	Deleting     bool
	DeletedSince time.Time // zero: unknown
	Recognised   bool      // a selector that means "has GPUs" matches it
	Expected     bool      // the user says that it has GPUs, whatever its labels say
	Labels       map[string]string
	Annotations  map[string]string // only those that annotations names
	Resources    []Resource        // the vendor's extended resources, by name

	Taints        []corev1.Taint
	TaintsWritten time.Time // last write of the list; zero: unknown
	TaintsBy      string    // the program that wrote it

	Unschedulable bool
	CordonedSince time.Time // zero: unknown

	Ready       bool
	ReadySince  time.Time // of the condition, True or not
	NotReadyWhy string

	OSImage string

	Written map[string]time.Time // last write by whoever owns the label or annotation; only of those that follow names
}

// labelled are the keys of the labels that begin so, in order. A GPU node has a hundred labels.
func (n *Node) labelled(prefix string) (keys []string) {
	for key := range n.Labels {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Resource is an extended resource in a node's status. The kubelet keeps the key, with 0, of one whose plugin has gone.
type Resource struct {
	Name                  string
	Capacity, Allocatable int64
}

// DaemonSet is one that brings GPUs, or recognises them.
type DaemonSet struct {
	Namespace, Name string
	Owner           Owner
	Role            role
	NodeName        string
	NodeSelector    map[string]string
	Affinity        *corev1.Affinity // required node affinity only
	Tolerations     []corev1.Toleration
	HostNetwork     bool
	Rolled          time.Time         // when its pod template was last written, or it was created: a rollout begins then
	OnDelete        bool              // somebody else than its controller deletes the old pods then, as the operator does the driver's
	PodLabels       map[string]string // spec.selector.matchLabels

	Inferred string // not read: what its tolerations were inferred from
}

// Owner is the custom resource that a DaemonSet is made from.
type Owner struct{ Kind, Name string }

// Pod is a pod of a DaemonSet.
type Pod struct {
	Namespace, DaemonSet string
	Name, Node           string
	Created              time.Time
	Revision             string // of the DaemonSet's pod template
	Deleting             bool
	DeletedSince         time.Time // when that was asked for; zero: unknown
	Ready                bool
	Since                time.Time // when it became ready or not
	Trouble              string    // why it is not ready: "CrashLoopBackOff in nvidia-driver-ctr (12 restarts)"
	Crashing             bool      // a container fails again and again, which time alone does not mend
}

// Policy is a ClusterPolicy or NVIDIADriver: the operator makes the DaemonSets' tolerations from it.
type Policy struct {
	Owner
	Ignored      bool // a second ClusterPolicy, which the operator passes over
	Disabled     map[string]bool
	UsesDrivers  bool // a ClusterPolicy that leaves the driver to NVIDIADrivers
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
}

// Slice is a ResourceSlice: devices that a DRA driver publishes for one node.
type Slice struct {
	Name, Node, Pool string
	Generation       int64 // of the pool
	Count            int64 // of slices that make up the pool's generation
	Devices          []Device
}

// Device is one device in a slice.
type Device struct {
	Name, Type   string // attribute type: gpu, mig, vfio
	Product      string
	UUID, Parent string // of a part of a GPU, the UUID of that
	Taints       []DeviceTaint
}

// DeviceTaint is one that keeps pods off the device.
type DeviceTaint struct {
	Text   string // key=value:effect
	Evicts bool   // effect NoExecute
	Added  time.Time
}
