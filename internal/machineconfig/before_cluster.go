package machineconfig

import (
	"cmp"
	"fmt"
	"slices"
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
			f.add("pool "+p.Name, finding)
		}
	}
	f.findings = append(f.findings, judgeMembership(f.members, func(string) bool { return true })...)
	for _, o := range f.Operators {
		f.add("ClusterOperator "+o.Name, plugin.Finding{State: plugin.Warning, Problem: o.Problem, Since: o.Since, Cause: o.Message,
			Remedy: "oc describe clusteroperator " + o.Name})
	}
	f.unreadyNodes()
	f.pendingPods()
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
	slices.SortStableFunc(unready, func(a, b Node) int { return began(a).Compare(began(b)) })
	finding := plugin.Finding{State: plugin.Warning, Problem: fmt.Sprintf("%s not Ready or cordoned", plugin.Count(len(unready), "node")), Since: began(unready[0])}
	for _, n := range unready {
		finding.Table = append(finding.Table, [2]string{n.Name, trouble(n, clock{now: f.now})})
	}
	f.add("cluster", finding)
}

func (f *foresight) pendingPods() {
	const most = 5
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
		if i == most {
			finding.Table = append(finding.Table, [2]string{plugin.Count(len(waiting)-most, "further pod"), "oc get pods -A --field-selector status.phase=Pending"})
			break
		}
		finding.Table = append(finding.Table, [2]string{fmt.Sprintf("%s/%s, for %s", p.Namespace, p.Name, plugin.Age(f.now.Sub(p.Created))), cmp.Or(p.Why, "why is not told")})
	}
	f.add("cluster", finding)
}
