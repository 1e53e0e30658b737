package machineconfig

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	oldConfig = "rendered-worker-old"
	newConfig = "rendered-worker-new"
)

// noon is when the built situations are judged.
var noon = time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC)

func before(d time.Duration) time.Time { return noon.Add(-d) }

// fleet is a worker pool of n nodes, w-01 and so on, the first the oldest, all at newConfig, with a target that has been
// outstanding since an hour ago if any change makes a node differ from it.
func fleet(n int, changes ...func(*Snapshot)) Snapshot {
	s := Snapshot{NodesRead: true, Images: poolImages{read: true}}
	s.Pools = []Pool{{
		Name: "worker", Target: newConfig, Sources: []string{"00-worker", "99-worker-ssh"},
		Selector:   &metav1.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/worker": ""}},
		Conditions: map[string]Condition{condUpdated: {Since: before(time.Hour)}, condUpdating: {True: true, Since: before(time.Hour)}},
		Generation: 7, ObservedGeneration: 7,
	}}
	for i := range n {
		s.Nodes = append(s.Nodes, Node{
			Name: fmt.Sprintf("w-%02d", i+1), Created: before(1000 * time.Hour).Add(time.Duration(i) * time.Minute),
			Labels:  map[string]string{"node-role.kubernetes.io/worker": ""},
			Current: newConfig, Desired: newConfig, State: stateDone, KubeletReady: true,
			DesiredDrain: "uncordon-" + newConfig, LastAppliedDrain: "uncordon-" + newConfig,
		})
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func worker(change func(*Pool)) func(*Snapshot) { return func(s *Snapshot) { change(&s.Pools[0]) } }

func condition(name, message string, since time.Duration) func(*Snapshot) {
	return worker(func(p *Pool) { p.Conditions[name] = Condition{True: true, Since: before(since), Message: message} })
}

// on changes the nodes that are named, "w-01 w-02", or all.
func on(names string, changes ...func(*Node)) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.Nodes {
			if names == "all" || slices.Contains(strings.Fields(names), s.Nodes[i].Name) {
				for _, change := range changes {
					change(&s.Nodes[i])
				}
			}
		}
	}
}

func outdated(n *Node) { n.Current, n.Desired = oldConfig, oldConfig }

func cordoned(since time.Duration, by string) func(*Node) {
	return func(n *Node) { n.Unschedulable, n.CordonedSince, n.CordonedBy = true, before(since), by }
}

func notReady(since time.Duration) func(*Node) {
	return func(n *Node) {
		n.KubeletReady, n.NotReadySince, n.NotReadyWhy = false, before(since), "Ready is Unknown: Kubelet stopped posting node status."
	}
}

// picked: told to update, as the MCO's controller does.
func picked(since time.Duration) func(*Node) {
	return func(n *Node) { n.Current, n.Desired, n.Picked = oldConfig, newConfig, before(since) }
}

func draining(since time.Duration) func(*Node) {
	return func(n *Node) {
		picked(since)(n)
		cordoned(since, "machine-config-controller")(n)
		n.State, n.DesiredDrain, n.DrainAsked, n.StateWritten = stateWorking, "drain-"+newConfig, before(since), before(since)
		n.LastAppliedDrain = "uncordon-" + oldConfig
	}
}

func rebooting(since time.Duration) func(*Node) {
	return func(n *Node) {
		draining(since)(n)
		n.State, n.LastAppliedDrain = stateRebooting, n.DesiredDrain
	}
}

func finished(since time.Duration) func(*Node) {
	return func(n *Node) { n.Picked, n.DrainApplied = before(since), before(since) }
}

func degradedNode(reason string, since time.Duration) func(*Node) {
	return func(n *Node) { n.State, n.Reason, n.StateWritten = stateDegraded, reason, before(since) }
}

func taint(t string) func(*Node) { return func(n *Node) { n.Taints = append(n.Taints, t) } }
