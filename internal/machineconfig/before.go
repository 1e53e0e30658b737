package machineconfig

import (
	"fmt"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// foresight is the work on one question before a change. States mean: OK, nothing waits to happen; WARNING, something does and it
// is harmless to workloads; CRITICAL, the change can drain or reboot nodes.
type foresight struct {
	Prospect
	members membership
	limits  Limits
	now     time.Time
	drained map[string]bool // nodes that an action can have drained

	before, next, course []pick // what the MCO takes as things are: now, once the nodes in work are done, and in the end

	findings []plugin.Finding
	burdens  map[string]burden // by node
	told     map[string]bool   // pools
	asked    int               // nodes that are told

	rollouts map[string]rollout  // by pool, as things are
	waits    map[string][]string // by pool: nodes that its update drains
	pools    map[string]string   // by node
}

// longestReboot is from when on a node that is not ready counts as lost: large bare-metal machines take half of that to boot.
const longestReboot = time.Hour

// Foresee tells what touching the targets sets off. Their nodes and pools exist.
func Foresee(p Prospect, targets []Target, l Limits, now time.Time) Verdict {
	if len(p.Pools) == 0 {
		return Verdict{Findings: []plugin.Finding{noPools(l.NoPools)}}
	}
	p.Images = p.imagesToCome()
	p.Nodes = slices.Clone(p.Nodes)
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.Lost = !n.KubeletReady && !n.NotReadySince.IsZero() && now.Sub(n.NotReadySince) > longestReboot
	}
	then, _ := p.finished()
	f := foresight{Prospect: p, members: members(p.Pools, p.Nodes), limits: l, now: now, before: p.picks(), next: then.picks(), course: p.Snapshot.course(),
		drained: map[string]bool{}, burdens: map[string]burden{}, told: map[string]bool{}, waits: map[string][]string{}}
	f.findings = append(f.findings, judgeClock(p.Snapshot, now)...)
	guards := guardsOf(p.Budgets)
	for node, workloads := range p.Workloads {
		f.burdens[node] = weigh(workloads, guards, now)
	}
	cluster := false
	for _, t := range targets {
		switch t.Kind {
		case targetNode:
			f.node(t.Name)
		case targetPool:
			f.pool(t.Name)
		default:
			cluster = true
		}
	}
	f.together(targets)
	if cluster { // last: it leaves out the pools that are told
		f.cluster()
	}
	for _, silent := range judgeController(p.Snapshot, f.members, now) {
		silent.State = noted(f.outdated() > 0)
		silent.Consequence = "what is told here does not happen until it runs again, and then at once"
		f.findings = append(f.findings, silent)
	}
	v := Verdict{Findings: f.findings, Metrics: f.metrics()}
	if len(v.Findings) == 0 {
		v.Summary = fmt.Sprintf("nothing waits to happen: %s up to date, %s", plugin.Count(len(p.Pools), "pool"), plugin.Count(len(p.Nodes), "node")) + p.unseen()
	}
	return v
}

func (f *foresight) add(subject string, finding plugin.Finding) {
	finding.Subject = subject
	f.findings = append(f.findings, finding)
}

// outdated counts the nodes of the cluster that do not run their pool's target.
func (f *foresight) outdated() int {
	n := 0
	for _, p := range f.Pools {
		n += f.rollout(p.Name).outdated()
	}
	return n
}

// rollout of a pool that exists.
func (f *foresight) rollout(pool string) rollout {
	if f.rollouts == nil {
		f.rollouts = map[string]rollout{}
		for _, p := range f.Pools {
			f.rollouts[p.Name] = newRollout(p, f.members.of[p.Name], f.Images)
		}
	}
	return f.rollouts[pool]
}

// poolOf is Snapshot.poolOf for many nodes.
func (f *foresight) poolOf(node string) (Pool, rollout, bool) {
	if f.pools == nil {
		f.pools = map[string]string{}
		for pool, nodes := range f.members.of {
			for _, n := range nodes {
				f.pools[n.Name] = pool
			}
		}
	}
	pool, ok := f.pools[node]
	if !ok {
		return Pool{}, rollout{}, false
	}
	r := f.rollout(pool)
	return r.pool, r, true
}

// judgement of a pool, as of any other run.
func (f *foresight) judgement(p Pool) *judgement {
	return &judgement{snapshot: f.Snapshot, limits: f.limits, now: f.now, pool: p, nodesRead: f.NodesRead,
		rollout: f.rollout(p.Name), mastersOutdated: mastersOutdated(f.Snapshot, f.members), ahead: ahead(p, f.members)}
}

// metrics have the same labels whatever was asked about.
func (f *foresight) metrics() []plugin.Metric {
	unready := 0
	for _, n := range f.Nodes {
		if !n.ready() {
			unready++
		}
	}
	var all burden
	for _, b := range f.burdens {
		all.pods, all.lost, all.held = all.pods+b.pods, all.lost+b.lost, all.held+b.held
	}
	var out []plugin.Metric
	for _, m := range []struct {
		label string
		value int
	}{
		{"nodes_outdated", f.outdated()}, {"nodes_not_ready", unready}, {"nodes_drained", len(f.drained)},
		{"pods_evicted", all.pods}, {"pods_lost", all.lost}, {"pods_held", all.held},
	} {
		out = append(out, plugin.Metric{Label: m.label, Value: float64(m.value)})
	}
	return out
}
