package machineconfig

import "strings"

// Values of the annotation machineconfiguration.openshift.io/state.
const (
	stateDone           = "Done"
	stateWorking        = "Working"
	stateRebooting      = "Rebooting"
	stateDegraded       = "Degraded"
	stateUnreconcilable = "Unreconcilable"
)

// The rules below are MCO's own (pkg/controller/node/status.go); each has its name there.

// ready: the kubelet is well and the node may be given pods. Taints and memory pressure do not count.
func (n Node) ready() bool { return n.KubeletReady && !n.Unschedulable }

// done: the node runs what it was told to run.
func (n Node) done() bool {
	return n.Current != "" && n.Current == n.Desired && n.CurrentImage == n.DesiredImage && n.State == stateDone
}

// failed: the daemon could not apply what it was told, or found the disk changed.
func (n Node) failed() bool { return n.State == stateDegraded || n.State == stateUnreconcilable }

// drifted: failed although no change was asked for: a file on the disk is not what it should be.
func (n Node) drifted() bool { return n.failed() && n.Current == n.Desired }

// unavailable nodes use up the pool's maxUnavailable. A node that failed an update counts against the capacity instead.
func (n Node) unavailable() bool {
	return !n.ready() || (!n.done() && !(n.failed() && n.Current != n.Desired))
}

// managed: the machine-config-daemon has run there at least once.
func (n Node) managed() bool { return n.Current != "" }

// pickable: the MCO can choose the node for an update (since 4.13; before, it could take a cordoned one: OCPBUGS-33397).
func (n Node) pickable() bool { return n.ready() && n.managed() }

// working: the node was told to run something that it does not run yet, and has not failed.
func (n Node) working() bool { return n.managed() && !n.failed() && !n.done() }

// underway: what the node was told last is not done, and goes on by itself, or once the cause of its failure is gone.
func (n Node) underway() bool {
	return n.working() || n.failed() && (n.Current != n.Desired || n.CurrentImage != n.DesiredImage)
}

// mendable: a person can bring it nearer to being ready. The MCO's own cordon goes by itself.
func (n Node) mendable() bool {
	return !n.KubeletReady || !n.managed() || n.failed() || n.Unschedulable && !n.working() && !n.draining()
}

// drainPending: a drain or an uncordon was asked for that the controller has not finished.
func (n Node) drainPending() bool {
	return n.DesiredDrain != "" && n.DesiredDrain != n.LastAppliedDrain
}

func (n Node) draining() bool { return n.drainPending() && strings.HasPrefix(n.DesiredDrain, "drain-") }

func (n Node) uncordoning() bool {
	return n.drainPending() && strings.HasPrefix(n.DesiredDrain, "uncordon-")
}
