package machineconfig

import (
	"cmp"
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/kube"
	"overdue/internal/plugin"
)

var (
	clusterOperators      = kube.Resource{Group: "config.openshift.io", Version: "v1", Name: "clusteroperators"}
	machineConfigurations = kube.Resource{Group: "operator.openshift.io", Version: "v1", Name: "machineconfigurations"}
)

// prospect reads what tells the consequences of touching the targets: pools and nodes, and of the nodes asked about their pods.
func (r reader) prospect(ctx context.Context, targets []Target) (Prospect, error) {
	var p Prospect
	var err error
	p.Pools, err = readPools(ctx, r.client)
	if kube.IsNoSuchGroup(err) {
		err = r.isKubernetes(ctx)
	}
	if err != nil || len(p.Pools) == 0 && !slices.ContainsFunc(targets, func(t Target) bool { return t.Kind != targetCluster }) {
		return p, err
	}
	if p.Nodes, err = readNodes(ctx, r.client, selectorKeys(p.Pools)); err != nil {
		return p, err
	}
	p.NodesRead = true
	p.TargetCreated, p.FailedBuilds = map[string]time.Time{}, map[string]string{}
	p.CordonedByMCO, p.Daemons, p.Pods = map[string]time.Time{}, map[string]Daemon{}, map[string][]Pod{}
	p.Workloads, p.Changes = map[string][]Workload{}, map[[2]string]Change{}
	if missing := p.unknown(targets); missing != nil || len(p.Pools) == 0 {
		return p, missing
	}
	steps := []func() error{
		func() error { return r.controller(ctx, &p.Snapshot) },
		func() error { return r.imageMode(ctx, &p) },
	}
	concerned := p.concerned(targets)
	for _, pool := range p.Pools {
		if !pool.clean() {
			steps = append(steps, func() error { return r.target(ctx, &p.Snapshot, pool) })
		}
		if concerned[pool.Name] {
			steps = append(steps, func() error {
				return r.changes(ctx, &p, pool.Target, newRollout(pool, members(p.Pools, p.Nodes).of[pool.Name], p.Images).pending(), targets)
			})
		}
	}
	steps = append(steps, func() error { return r.changes(ctx, &p, "", p.askedOf(p.inNoPool(), targets), targets) })
	steps = append(steps, func() error { return r.policy(ctx, &p) })
	for _, t := range targets {
		switch t.Kind {
		case targetNode:
			steps = append(steps, func() error { return r.workloads(ctx, &p, t.Name) })
		case targetPool:
			steps = append(steps, func() error { return r.poolInWork(ctx, &p, t.Name) })
		case targetCluster:
			steps = append(steps, func() error { return r.operators(ctx, &p) }, func() error { return r.pending(ctx, &p) })
		}
	}
	steps = append(steps, func() error { return r.budgets(ctx, &p) }, func() error { return r.localVolumes(ctx, &p) })
	for _, step := range steps {
		if err := step(); err != nil {
			return p, err
		}
	}
	return p, nil
}

// askedOf are those of the nodes that are asked about.
func (p Prospect) askedOf(nodes []Node, targets []Target) []Node {
	return slices.DeleteFunc(nodes, func(n Node) bool {
		return !slices.Contains(targets, Target{targetNode, n.Name}) && !slices.Contains(targets, Target{Kind: targetCluster})
	})
}

// concerned are the pools of which what is asked about may have nodes drained. Masters and arbiters wait for each other.
func (p Prospect) concerned(targets []Target) map[string]bool {
	out, asked := map[string]bool{}, map[Target]bool{}
	for _, t := range targets {
		asked[t] = true
	}
	for pool, nodes := range members(p.Pools, p.Nodes).of {
		out[pool] = asked[Target{Kind: targetCluster}] || asked[Target{targetPool, pool}] ||
			slices.ContainsFunc(nodes, func(n Node) bool { return asked[Target{targetNode, n.Name}] })
	}
	control := out["master"] || out["arbiter"]
	out["master"], out["arbiter"] = control, control
	return out
}

// unknown is the error over a target that does not exist.
func (p Prospect) unknown(targets []Target) error {
	noPools := ""
	if len(p.Pools) == 0 {
		noPools = "; the cluster has no MachineConfigPools"
	}
	for _, t := range targets {
		switch t.Kind {
		case targetNode:
			if !hasNode(p.Nodes, t.Name) {
				return plugin.Misuse("--before-change: no node is named " + t.Name + " (a pool is written pool/NAME)" + noPools)
			}
		case targetPool:
			if !slices.ContainsFunc(p.Pools, func(pool Pool) bool { return pool.Name == t.Name }) {
				var have []string
				for _, pool := range p.Pools {
					have = append(have, pool.Name)
				}
				return plugin.Misuse("--before-change: no pool is named " + t.Name + cmp.Or(noPools, "; there are "+plugin.List(have)))
			}
		}
	}
	return nil
}

type operatorObject struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		Conditions []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// operators keeps the ClusterOperators that are not well, each with the worst of its conditions.
func (r reader) operators(ctx context.Context, p *Prospect) (err error) {
	seen := 0
	p.Operators, err = kube.List(ctx, r.client, clusterOperators, kube.Query{}, func(o *operatorObject) (Operator, bool) { seen++; return reduceOperator(o) })
	if seen == 0 && (err == nil || kube.IsNotFound(err) || kube.IsNoSuchGroup(err)) { // an OpenShift without them is none
		p.Operators = nil
		r.note("whether the ClusterOperators are well is not known: there are none")
	}
	return r.optional(ctx, err, "whether the ClusterOperators are well is not known")
}

type operatorTrouble struct{ kind, status, problem string }

// operatorTroubles are conditions of a ClusterOperator, the worst first.
var operatorTroubles = []operatorTrouble{{"Available", "False", "not available"}, {"Degraded", "True", "degraded"}, {"Available", "Unknown", "not known to be available"},
	{"Degraded", "Unknown", "not known to be well"}, {"Upgradeable", "False", "not upgradeable"}}

// reduceOperator tells all troubles, and why and since when of the worst. One that does not say that it is available is not well.
func reduceOperator(o *operatorObject) (Operator, bool) {
	conditions := map[string]metav1.Condition{"Available": {Status: metav1.ConditionUnknown}}
	for _, c := range o.Status.Conditions {
		conditions[c.Type] = c
	}
	var worst metav1.Condition
	var problems []string
	for _, bad := range operatorTroubles {
		if c := conditions[bad.kind]; string(c.Status) == bad.status {
			if len(problems) == 0 {
				worst = c
			}
			problems = append(problems, bad.problem)
		}
	}
	return Operator{o.Metadata.Name, plugin.List(problems), cut(worst.Message), worst.LastTransitionTime.Time}, len(problems) > 0
}

func (r reader) pending(ctx context.Context, p *Prospect) (err error) {
	p.Pending, err = kube.List(ctx, r.client, podsResource, kube.Query{FieldSelector: "status.phase=Pending"}, reducePending)
	return r.optional(ctx, err, "which pods are pending is not known")
}

func reducePending(o *podObject) (PendingPod, bool) {
	p := PendingPod{Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, Created: o.Metadata.CreationTimestamp.Time}
	for _, c := range o.Status.Conditions {
		if c.Type == "PodScheduled" && c.Status == "False" {
			p.Why = cut(c.Message)
		}
	}
	for _, c := range o.Status.ContainerStatuses {
		if p.Why == "" && c.State.Waiting != nil {
			p.Why = cut(c.State.Waiting.Reason)
		}
	}
	return p, true
}
