package gpu

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// leavingTaints are set by programs that are about to remove the node. Karpenter's second is that of its versions before 1.0.
var leavingTaints = map[string]bool{"ToBeDeletedByClusterAutoscaler": true, "karpenter.sh/disrupted": true, "karpenter.sh/disruption": true, "cloud.google.com/impending-node-termination": true}

// leavingAWS begins those of the AWS node termination handler, one for each of the events that end an instance.
const leavingAWS = "aws-node-termination-handler/"

func leaves(t corev1.Taint) bool { return leavingTaints[t.Key] || strings.HasPrefix(t.Key, leavingAWS) }

// leaving says why a node is about to go.
func leaving(n *Node) string {
	if n.Deleting {
		return "it is deleted"
	}
	for _, t := range n.Taints {
		if leaves(t) {
			return "taint " + t.ToString()
		}
	}
	return ""
}

// removal tells a node that has been about to go for too long; until then it is no longer looked at.
func (j *judgement) removal(n *Node, why string) {
	j.note(n, "is being removed: "+why)
	since := removedSince(n)
	late, unknown := j.overdue(n, since.Time)
	if !late {
		j.going = append(j.going, n.Name)
		return
	}
	v := j.look(n)
	j.seeDevices(v)
	j.add(v, fact{Finding: plugin.Finding{State: plugin.Warning, Problem: "is being removed and still there, " + v.offer.String(), Since: since.Time, AtLeast: !since.exact,
		Cause: joined(", ", why, unknown), Consequence: "its GPUs are of no use meanwhile", Remedy: "ask the program that removes it; a finalizer or a pod that cannot be evicted may hold it"}})
	j.totals.count(v)
}

// removedSince is when the removal began: the autoscaler writes the epoch's seconds into its taint's value.
func removedSince(n *Node) moment {
	if n.Deleting {
		return moment{n.DeletedSince, true}
	}
	for _, t := range n.Taints {
		if !leaves(t) {
			continue
		}
		if at := epoch(t.Value); at.After(n.Created) {
			return moment{at, true}
		}
		if t.TimeAdded != nil {
			return moment{t.TimeAdded.Time, true}
		}
	}
	return moment{Time: n.TaintsWritten}
}
