package kubetest

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// kind names a kind as objects do; resource names it as paths do.
type (
	kind     struct{ apiVersion, name string }
	resource struct{ apiVersion, name string }
)

// message is a Kubernetes type that can be protobuf.
type message interface {
	Marshal() ([]byte, error)
}

// kinds are those that a server knows from the start and serves as protobuf.
var kinds = map[kind]func() message{
	{"v1", "Node"}:                          func() message { return new(corev1.Node) },
	{"v1", "Pod"}:                           func() message { return new(corev1.Pod) },
	{"v1", "Namespace"}:                     func() message { return new(corev1.Namespace) },
	{"v1", "ConfigMap"}:                     func() message { return new(corev1.ConfigMap) },
	{"v1", "Event"}:                         func() message { return new(corev1.Event) },
	{"apps/v1", "DaemonSet"}:                func() message { return new(appsv1.DaemonSet) },
	{"apps/v1", "Deployment"}:               func() message { return new(appsv1.Deployment) },
	{"policy/v1", "PodDisruptionBudget"}:    func() message { return new(policyv1.PodDisruptionBudget) },
	{"coordination.k8s.io/v1", "Lease"}:     func() message { return new(coordinationv1.Lease) },
	{"resource.k8s.io/v1", "ResourceSlice"}: func() message { return new(resourcev1.ResourceSlice) },
	{"resource.k8s.io/v1", "ResourceClaim"}: func() message { return new(resourcev1.ResourceClaim) },
	{"resource.k8s.io/v1", "DeviceClass"}:   func() message { return new(resourcev1.DeviceClass) },
}

func kindOf(apiVersion, name string) kind { return kind{apiVersion, name} }

// resource returns the plural by the usual rules.
func (k kind) resource() resource {
	name := strings.ToLower(k.name)
	switch {
	case strings.HasSuffix(name, "y"):
		name = strings.TrimSuffix(name, "y") + "ies"
	case strings.HasSuffix(name, "s"):
		name += "es"
	default:
		name += "s"
	}
	return resource{k.apiVersion, name}
}

func (r resource) group() string {
	group, _, ok := strings.Cut(r.apiVersion, "/")
	if !ok {
		return ""
	}
	return group
}
