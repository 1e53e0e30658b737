package gpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
)

// noon is when the built situations are judged.
var noon = time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC)

func before(d time.Duration) time.Time { return noon.Add(-d) }

const (
	day       = 24 * time.Hour
	namespace = "nvidia-gpu-operator"
	product   = "NVIDIA-A100-SXM4-40GB"
)

// operands of NVIDIA's operator, as deploy labels and as DaemonSets.
var operands = map[string]string{
	"driver": "nvidia-driver-daemonset", "container-toolkit": "nvidia-container-toolkit-daemonset",
	"operator-validator": "nvidia-operator-validator", "device-plugin": "nvidia-device-plugin-daemonset",
	"gpu-feature-discovery": "gpu-feature-discovery", "dcgm-exporter": "nvidia-dcgm-exporter", "mig-manager": "nvidia-mig-manager",
}

func limits() Limits {
	return Limits{Warning: plugin.NewRange("0"), Critical: plugin.NewRange("off"), Grace: 30 * time.Minute, MaxCordon: plugin.NewTimeRange("7d")}
}

// fleet has n nodes gpu-01, gpu-02, … with four GPUs each, on which all is well for a month, and then the changes.
func fleet(n int, changes ...func(*Snapshot)) Snapshot {
	s := Snapshot{DaemonSetsRead: true, PodsRead: map[string]bool{namespace: true, "openshift-nfd": true}}
	for _, operand := range slices.Sorted(maps.Keys(operands)) {
		s.DaemonSets = append(s.DaemonSets, DaemonSet{Namespace: namespace, Name: operands[operand], Role: roleOf(operands[operand]),
			Owner: Owner{"ClusterPolicy", "gpu-cluster-policy"}, NodeSelector: map[string]string{deployPrefix + operand: "true"},
			Tolerations: builtIn, PodLabels: map[string]string{"app": operands[operand]}})
	}
	s.DaemonSets = append(s.DaemonSets, DaemonSet{Namespace: "openshift-nfd", Name: "nfd-worker", Role: roleNFD,
		Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}, PodLabels: map[string]string{"app": "nfd-worker"}})
	for i := range n {
		node := Node{Name: fmt.Sprintf("gpu-%02d", i+1), Created: before(300 * day), Recognised: true, Ready: true, ReadySince: before(30 * day),
			Labels: map[string]string{labelPresent: "true", labelProduct: product, "nvidia.com/gpu.count": "4", "nvidia.com/gpu.replicas": "1",
				"nvidia.com/gpu-driver-upgrade-state": upgradeDone, "feature.node.kubernetes.io/pci-10de.present": "true", labelInstance: "bm-a100-4"},
			Annotations: map[string]string{mcoCurrent: "rendered-worker-a", mcoDesired: "rendered-worker-a", mcoState: "Done"},
			Resources:   []Resource{{"nvidia.com/gpu", 4, 4}}, Written: map[string]time.Time{}}
		for operand := range operands {
			node.Labels[deployPrefix+operand] = "true"
		}
		s.Nodes = append(s.Nodes, node)
		for _, d := range s.DaemonSets {
			s.Pods = append(s.Pods, Pod{Namespace: d.Namespace, DaemonSet: d.Name, Name: d.Name + "-" + node.Name, Node: node.Name,
				Created: before(30 * day), Ready: true, Since: before(30 * day)})
		}
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// on changes the nodes that are named, "gpu-01 gpu-02", or all.
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

func label(key, value string) func(*Node) { return func(n *Node) { n.Labels[key] = value } }

func unlabel(keys ...string) func(*Node) {
	return func(n *Node) {
		for key := range n.Labels {
			if slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(key, k) }) {
				delete(n.Labels, key)
			}
		}
	}
}

// unlabelled as after feature discovery has gone.
func discoveryGone(n *Node) {
	unlabel(labelProduct, "nvidia.com/gpu.count", "nvidia.com/gpu.replicas")(n)
}

func gpus(capacity, allocatable int64) func(*Node) {
	return func(n *Node) { n.Resources = []Resource{{"nvidia.com/gpu", capacity, allocatable}} }
}

func alsoOffers(name string, capacity, allocatable int64) func(*Node) {
	return func(n *Node) { n.Resources = append(n.Resources, Resource{name, capacity, allocatable}) }
}

func noResource(n *Node) { n.Resources = nil }

func taint(text string, since time.Duration) func(*Node) {
	return func(n *Node) {
		rest, effect, _ := strings.Cut(text, ":")
		key, value, _ := strings.Cut(rest, "=")
		n.Taints = append(n.Taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
		n.TaintsWritten, n.TaintsBy = before(since), "kubectl-taint"
	}
}

// added gives the last taint a time of its own, as the node lifecycle controller does.
func added(since time.Duration) func(*Node) {
	return func(n *Node) {
		at := metav1.NewTime(before(since))
		n.Taints[len(n.Taints)-1].TimeAdded = &at
	}
}

// ageless is a node whose API server keeps no managedFields.
func ageless(n *Node) { n.TaintsWritten, n.TaintsBy = time.Time{}, "" }

func written(key string, since time.Duration) func(*Node) {
	return func(n *Node) { n.Written[key] = before(since) }
}

func paused(value string, since time.Duration) func(*Node) {
	return func(n *Node) {
		for _, operand := range []string{"container-toolkit", "device-plugin", "gpu-feature-discovery", "dcgm-exporter", "operator-validator"} {
			n.Labels[deployPrefix+operand] = value
		}
		n.Written[deployPlugin] = before(since)
	}
}

func cordonedFor(since time.Duration) func(*Node) {
	return func(n *Node) { n.Unschedulable, n.CordonedSince = true, before(since) }
}

// restarted is a node that came back so many minutes ago.
func restarted(ago int) func(*Node) {
	return func(n *Node) { n.ReadySince = before(minutes(ago)) }
}

// gone takes the pods of DaemonSets, or of all but NFD, from a node.
func gone(node string, daemonSets ...string) func(*Snapshot) {
	return func(s *Snapshot) {
		s.Pods = slices.DeleteFunc(s.Pods, func(p Pod) bool {
			return p.Node == node && (slices.Contains(daemonSets, p.DaemonSet) || len(daemonSets) == 0 && p.DaemonSet != "nfd-worker")
		})
	}
}

// ill makes a DaemonSet's pod on the node not ready.
func ill(node, daemonSet, trouble string, since time.Duration) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.Pods {
			if p := &s.Pods[i]; p.Node == node && p.DaemonSet == daemonSet {
				p.Ready, p.Since, p.Trouble, p.Crashing = false, before(since), trouble, strings.Contains(trouble, "CrashLoop")
			}
		}
	}
}

// daemonSet changes those whose names begin so; "" are all.
func daemonSet(prefix string, change func(*DaemonSet)) func(*Snapshot) {
	return func(s *Snapshot) {
		for i := range s.DaemonSets {
			if strings.HasPrefix(s.DaemonSets[i].Name, prefix) {
				change(&s.DaemonSets[i])
			}
		}
	}
}

func tolerates(t ...corev1.Toleration) func(*DaemonSet) {
	return func(d *DaemonSet) {
		if d.Role != roleNFD {
			d.Tolerations = t
		}
	}
}

func exists(key string, effect corev1.TaintEffect) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
}

func equal(key, value string) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpEqual, Value: value, Effect: corev1.TaintEffectNoSchedule}
}

// without removes the DaemonSets whose names begin so.
func withoutDaemonSet(prefix string) func(*Snapshot) {
	return func(s *Snapshot) {
		s.DaemonSets = slices.DeleteFunc(s.DaemonSets, func(d DaemonSet) bool { return strings.HasPrefix(d.Name, prefix) })
	}
}

// unread: the account may list nodes and the operator's own resources, as a real site's role says.
func unread(policies ...Policy) func(*Snapshot) {
	return func(s *Snapshot) {
		s.DaemonSets, s.Pods, s.DaemonSetsRead, s.PodsRead, s.Policies = nil, nil, false, map[string]bool{}, policies
	}
}

// noonMinus3d is when a taint was added that carries its own time.
var noonMinus3d = metav1.NewTime(before(3 * day))
