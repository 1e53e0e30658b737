package machineconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// cluster is one screen: pools that are not clean, ClusterOperators, nodes, pods that wait.
func (f *foresight) cluster() {
	for _, p := range f.Pools {
		if f.told[p.Name] {
			continue
		}
		findings, doubts := f.waitingIn(p.Name), f.rollout(p.Name).doubts()
		if len(findings) == 0 && len(doubts) > 0 {
			findings = []plugin.Finding{{Problem: "nothing is known to be pending"}}
		}
		for i, finding := range findings {
			if i == 0 {
				finding = doubted(finding, doubts)
			}
			if left := len(finding.Details) - mostDetails; left > 1 {
				finding.Details = append(finding.Details[:mostDetails:mostDetails], fmt.Sprintf("%d more: check_mcp --before-change pool/%s", left, p.Name))
			}
			f.add("pool "+p.Name, finding)
		}
	}
	f.findings = append(f.findings, judgeMembership(f.members, func(string) bool { return true })...)
	f.adrift()
	f.operators()
	f.unreadyNodes()
	f.pendingPods()
}

// adrift tells of nodes in no pool that have yet to do what they were told before.
func (f *foresight) adrift() {
	var worst need
	var drained []string
	for _, n := range f.inNoPool() {
		need, _ := f.need(n, Pool{})
		if need == needNothing {
			continue
		}
		if f.drained[n.Name] = true; len(drained) == 0 || need.worse(worst) {
			worst = need
		}
		drained = append(drained, n.Name)
	}
	if len(drained) > 0 {
		f.add("cluster", plugin.Finding{State: plugin.Critical, Problem: plugin.Count(len(drained), "node") + " in no pool with an update that goes on: " + plugin.List(drained),
			Consequence: "the MCO " + worst.does(plugin.List(drained)), Remedy: "check_mcp --before-change " + drained[0]})
	}
}

// inNoPool are the nodes in none that have yet to do what they were told before.
func (p Prospect) inNoPool() []Node {
	m := members(p.Pools, p.Nodes)
	return slices.DeleteFunc(slices.Clone(p.Nodes), func(n Node) bool {
		return !n.underway() || !slices.Contains(m.none, n.Name) && len(m.claimed[n.Name]) == 0
	})
}

// What is told of each kind, so that all kinds are on one screen.
const (
	mostDetails   = 2
	mostOperators = 3
	mostNodes     = 5
	mostPods      = 3
)

// operators are told the worst first.
func (f *foresight) operators() {
	sorted := slices.Clone(f.Operators)
	rank := func(o Operator) int {
		return slices.IndexFunc(operatorTroubles, func(t operatorTrouble) bool { return strings.HasPrefix(o.Problem, t.problem) })
	}
	slices.SortStableFunc(sorted, func(a, b Operator) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Name, b.Name)) })
	for i, o := range sorted {
		if left := len(sorted) - i; i == mostOperators && left > 1 {
			f.add("cluster", plugin.Finding{State: plugin.Warning, Problem: plugin.Count(left, "further ClusterOperator") + " not well", Remedy: "oc get clusteroperators"})
			return
		}
		f.add("ClusterOperator "+o.Name, plugin.Finding{State: plugin.Warning, Problem: o.Problem, Since: o.Since, Cause: o.Message,
			Remedy: "oc describe clusteroperator " + o.Name})
	}
}

// unseen keeps a verdict on the whole cluster honest where a part of it could not be read.
func (p Prospect) unseen() string {
	var parts []string
	if p.Operators == nil {
		parts = append(parts, "ClusterOperators")
	}
	if p.Pending == nil {
		parts = append(parts, "pending pods")
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + plugin.List(parts) + " were not seen (-v tells why)"
}

func (f *foresight) unreadyNodes() {
	var unready []Node
	for _, n := range f.Nodes {
		if !n.ready() {
			unready = append(unready, n)
		}
	}
	if len(unready) == 0 {
		return
	}
	began := func(n Node) time.Time { return earlier(n.NotReadySince, n.CordonedSince) }
	slices.SortStableFunc(unready, func(a, b Node) int {
		switch {
		case a.KubeletReady == b.KubeletReady:
			return began(a).Compare(began(b))
		case a.KubeletReady:
			return 1
		}
		return -1
	})
	finding := plugin.Finding{State: plugin.Warning, Problem: fmt.Sprintf("%s not Ready or cordoned", plugin.Count(len(unready), "node"))}
	for _, n := range unready {
		finding.Since = earlier(finding.Since, began(n))
	}
	for i, n := range unready {
		if left := len(unready) - i; i == mostNodes && left > 1 {
			finding.Table = append(finding.Table, [2]string{plugin.Count(left, "further node"), "oc get nodes"})
			break
		}
		finding.Table = append(finding.Table, [2]string{n.Name, trouble(n, clock{now: f.now})})
	}
	f.add("cluster", finding)
}

func (f *foresight) pendingPods() {
	var waiting []PendingPod
	for _, p := range f.Pending {
		if f.now.Sub(p.Created) > time.Minute { // each new pod waits for a moment
			waiting = append(waiting, p)
		}
	}
	if len(waiting) == 0 {
		return
	}
	slices.SortFunc(waiting, func(a, b PendingPod) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name)) })
	finding := plugin.Finding{State: plugin.Warning, Problem: plugin.Count(len(waiting), "pod") + " pending", Since: waiting[0].Created,
		Consequence: "what a drain evicts may have to wait like them"}
	for i, p := range waiting {
		if left := len(waiting) - i; i == mostPods && left > 1 {
			finding.Table = append(finding.Table, [2]string{plugin.Count(left, "further pod"), "oc get pods -A --field-selector status.phase=Pending"})
			break
		}
		finding.Table = append(finding.Table, [2]string{fmt.Sprintf("%s/%s, for %s", p.Namespace, p.Name, plugin.Age(f.now.Sub(p.Created))), cmp.Or(p.Why, "why is not told")})
	}
	f.add("cluster", finding)
}
