package machineconfig

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/kube"
)

const (
	operatorNamespace = "openshift-machine-config-operator"
	closest           = 5 // nodes of a pool that are looked at one by one
)

var (
	machineConfigs     = kube.Resource{Group: group, Version: "v1", Name: "machineconfigs"}
	machineConfigNodes = kube.Resource{Group: group, Version: "v1", Name: "machineconfignodes"}
	machineOSConfigs   = kube.Resource{Group: group, Version: "v1", Name: "machineosconfigs"}
	machineOSBuilds    = kube.Resource{Group: group, Version: "v1", Name: "machineosbuilds"}
	leases             = kube.Resource{Group: "coordination.k8s.io", Version: "v1", Name: "leases"}
	podsResource       = kube.Resource{Version: "v1", Name: "pods"}
	budgetsResource    = kube.Resource{Group: "policy", Version: "v1", Name: "poddisruptionbudgets"}
)

// lookCloser reads what tells why a pool is not clean. Each part needs a right that the verdict can do without.
func (r reader) lookCloser(ctx context.Context, s *Snapshot, unclean []Pool) error {
	s.TargetCreated, s.CordonedByMCO, s.Daemons = map[string]time.Time{}, map[string]time.Time{}, map[string]Daemon{}
	s.Pods, s.FailedBuilds = map[string][]Pod{}, map[string]string{}
	m := members(s.Pools, s.Nodes)
	steps := []func() error{
		func() error { return r.controller(ctx, s) },
		func() error { return r.images(ctx, s) },
	}
	for _, p := range unclean {
		steps = append(steps, func() error { return r.target(ctx, s, p) }, func() error { return r.build(ctx, s, p) },
			func() error { return r.nodesInWork(ctx, s, newRollout(p, m.of[p.Name], s.Images)) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// leaseObject and budgetObject are the little that is judged. The packages of their types would cost a twentieth of the start.
type leaseObject struct {
	Spec struct {
		RenewTime *metav1.MicroTime `json:"renewTime"`
	} `json:"spec"`
}

type budgetObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Selector  *metav1.LabelSelector `json:"selector"`
		Unhealthy string                `json:"unhealthyPodEvictionPolicy"`
	} `json:"spec"`
	Status struct {
		DisruptionsAllowed int `json:"disruptionsAllowed"`
		CurrentHealthy     int `json:"currentHealthy"`
		DesiredHealthy     int `json:"desiredHealthy"`
	} `json:"status"`
}

// reduceBudget follows the eviction API for pods that are not ready (pkg/registry/core/pod/storage/eviction.go): the policy
// AlwaysAllow evicts them, the default IfHealthyBudget if enough others are healthy.
func reduceBudget(o *budgetObject) Budget {
	b := Budget{Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, Selector: o.Spec.Selector, Allowed: o.Status.DisruptionsAllowed}
	owner := metav1.GetControllerOf(&o.Metadata)
	b.Migrates = owner != nil && owner.Kind == kindVM
	b.Lenient = o.Spec.Unhealthy == "AlwaysAllow" || o.Status.DesiredHealthy > 0 && o.Status.CurrentHealthy >= o.Status.DesiredHealthy
	return b
}

func (r reader) controller(ctx context.Context, s *Snapshot) error {
	lease, err := kube.Get[leaseObject](ctx, r.client, leases, operatorNamespace, "machine-config-controller")
	if err != nil {
		return r.optional(ctx, err, "whether machine-config-controller is alive is not known")
	}
	if lease.Spec.RenewTime != nil {
		s.ControllerSeen = lease.Spec.RenewTime.Time
	}
	return nil
}

func (r reader) target(ctx context.Context, s *Snapshot, p Pool) error {
	if p.Target == "" {
		return nil
	}
	// Metadata only: a MachineConfig's contents may be secret.
	mc, err := kube.Get[metav1.PartialObjectMetadata](ctx, r.client, machineConfigs, "", p.Target)
	if err != nil {
		return r.optional(ctx, err, "since when "+p.Target+" exists is not known")
	}
	s.TargetCreated[p.Target] = mc.CreationTimestamp.Time
	return nil
}

type osConfigObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		MachineConfigPool struct {
			Name string `json:"name"`
		} `json:"machineConfigPool"`
	} `json:"spec"`
	Status struct {
		CurrentImagePullSpec string `json:"currentImagePullSpec"`
	} `json:"status"`
}

// images: pools in image mode have a second target. Without a node that names an image there is no such pool, or none that has begun.
func (r reader) images(ctx context.Context, s *Snapshot) error {
	if !slices.ContainsFunc(s.Nodes, func(n Node) bool { return n.DesiredImage != "" || n.CurrentImage != "" }) {
		s.Images.read = true
		return nil
	}
	_, err := r.osConfigs(ctx, s)
	return err
}

func (r reader) osConfigs(ctx context.Context, s *Snapshot) ([]osConfigObject, error) {
	configs, err := kube.List(ctx, r.client, machineOSConfigs, kube.Query{}, func(o *osConfigObject) (osConfigObject, bool) { return *o, true })
	if err != nil && !kube.IsNoSuchGroup(err) {
		return nil, r.optional(ctx, err, "which image the nodes of a pool in image mode should run is not known")
	}
	s.Images = poolImages{read: true, of: map[string]string{}}
	for _, c := range configs {
		s.Images.of[c.Spec.MachineConfigPool.Name] = c.Status.CurrentImagePullSpec
	}
	return configs, nil
}

type conditionedObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		Conditions []metav1.Condition `json:"conditions"`
		Image      string             `json:"digestedImagePushSpec"` // of a MachineOSBuild
	} `json:"status"`
}

func (o conditionedObject) isTrue(condition string) bool {
	for _, c := range o.Status.Conditions {
		if c.Type == condition && c.Status == metav1.ConditionTrue {
			return true
		}
	}
	return false
}

func (r reader) build(ctx context.Context, s *Snapshot, p Pool) error {
	if !p.Conditions[condBuildFailed].True && !p.Conditions[condBuildInterrupted].True && !p.Conditions[condImageBuildDegraded].True {
		return nil
	}
	q := kube.Query{LabelSelector: group + "/target-machine-config-pool=" + p.Name}
	builds, err := kube.List(ctx, r.client, machineOSBuilds, q, func(o *conditionedObject) (metav1.ObjectMeta, bool) {
		return o.Metadata, o.isTrue("Failed") || o.isTrue("Interrupted")
	})
	if err != nil {
		return r.optional(ctx, err, "which image build failed is not known")
	}
	if len(builds) > 0 {
		newest := slices.MaxFunc(builds, func(a, b metav1.ObjectMeta) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
		s.FailedBuilds[p.Name] = newest.Name
	}
	return nil
}

// nodesInWork looks at the few nodes that have been in work or degraded longest: since when, whether their daemon lives, what holds
// their drain.
func (r reader) nodesInWork(ctx context.Context, s *Snapshot, ro rollout) error {
	inWork := slices.Concat(ro.failed, ro.working)
	target := pendingSince(ro.pool, s.TargetCreated).Time
	slices.SortStableFunc(inWork, func(a, b Node) int {
		return inWorkSince(a, target, time.Time{}).Compare(inWorkSince(b, target, time.Time{}).Time)
	})
	for _, n := range inWork[:min(len(inWork), closest)] {
		if err := r.cordoned(ctx, s, n); err != nil {
			return err
		}
		if n.draining() || strings.Contains(n.Reason, "drain") {
			if err := r.drain(ctx, s, n); err != nil {
				return err
			}
		} else if err := r.daemon(ctx, s, n); err != nil {
			return err
		}
	}
	return nil
}

func (r reader) cordoned(ctx context.Context, s *Snapshot, n Node) error {
	list, err := kube.List(ctx, r.client, machineConfigNodes, kube.Query{FieldSelector: "metadata.name=" + n.Name},
		func(o *conditionedObject) (time.Time, bool) {
			for _, c := range o.Status.Conditions {
				if c.Type == "Cordoned" && c.Status == metav1.ConditionTrue {
					return c.LastTransitionTime.Time, true
				}
			}
			return time.Time{}, false
		})
	if err != nil {
		return r.optional(ctx, err, "when the work on "+n.Name+" began is known less well")
	}
	if len(list) > 0 {
		s.CordonedByMCO[n.Name] = list[0]
	}
	return nil
}

func (r reader) daemon(ctx context.Context, s *Snapshot, n Node) error {
	if s.Daemons == nil {
		return nil
	}
	q := kube.Query{Namespace: operatorNamespace, LabelSelector: "k8s-app=machine-config-daemon", FieldSelector: "spec.nodeName=" + n.Name}
	daemons, err := kube.List(ctx, r.client, podsResource, q, func(p *corev1.Pod) (Daemon, bool) { return reduceDaemon(p), true })
	if err != nil {
		s.Daemons = nil
		return r.optional(ctx, err, "whether the machine-config-daemon of "+n.Name+" runs is not known")
	}
	s.Daemons[n.Name] = Daemon{} // none, unless there is one
	for _, d := range daemons {
		s.Daemons[n.Name] = d
	}
	return nil
}

func reduceDaemon(p *corev1.Pod) Daemon {
	d := Daemon{Pod: p.Name}
	for _, c := range p.Status.Conditions {
		d.Ready = d.Ready || (c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue)
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.State.Waiting != nil && d.Why == "" {
			d.Why = c.State.Waiting.Reason
		}
	}
	return d
}

func (r reader) drain(ctx context.Context, s *Snapshot, n Node) error {
	pods, err := kube.List(ctx, r.client, podsResource, podsOf(n.Name), reducePod)
	if err != nil {
		return r.optional(ctx, err, "which pod holds the drain of "+n.Name+" is not known")
	}
	s.Pods[n.Name] = pods
	if s.Budgets != nil || len(pods) == 0 {
		return nil
	}
	s.Budgets, err = kube.List(ctx, r.client, budgetsResource, kube.Query{}, func(o *budgetObject) (Budget, bool) { return reduceBudget(o), true })
	return r.optional(ctx, err, "which PodDisruptionBudget holds the drain of "+n.Name+" is not known")
}
