package machineconfig

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"overdue/internal/plugin"
)

// nodeQuestion is the work on one node.
type nodeQuestion struct {
	*foresight
	n    Node
	pool Pool
	r    rollout
	in   bool // the node is in a pool

	rows    [][2]string
	worst   plugin.State
	ignites string   // the action that has the node drained
	others  []string // other nodes that an action has drained

	unpausing []string // nodes that are drained if its pool is unpaused
}

func (f *foresight) node(name string) {
	i := slices.IndexFunc(f.Nodes, func(n Node) bool { return n.Name == name })
	q := nodeQuestion{foresight: f, n: f.Nodes[i]}
	if q.pool, q.r, q.in = f.poolOf(name); !q.in {
		q.r.pool.Target = q.n.Desired
	}
	var labels [][2]string
	if f.asked++; f.asked <= mostAsked {
		q.actions()
		labels = q.labels()
	} else {
		q.untold()
	}
	finding := q.situation()
	if finding.State < q.worst && len(q.others) > 0 { // it is not the node itself that is drained
		finding.Consequence = joined(finding.Consequence, "touching it can have "+plugin.List(unique(q.others))+" drained")
		finding.Remedy = "ask for their workloads: check_mcp --before-change " + q.others[0]
	}
	finding.State = max(finding.State, q.worst)
	if waits := unique(q.unpausing); finding.State < plugin.Critical && len(waits) > 0 { // harmless: it is not done to the node
		finding.Consequence = joined(finding.Consequence, "unpausing drains "+plugin.List(waits))
		finding.Remedy = cmp.Or(finding.Remedy, "ask for their workloads: check_mcp --before-change "+waits[0])
	}
	if q.in {
		finding = doubted(finding, slices.Concat(q.r.doubts(), q.r.doubtsOfPool()))
	}
	finding.Table = slices.Concat(q.rows, labels, q.byHand(), q.howLong(), f.burdens[name].table)
	if f.NoBudgets && f.burdens[name].pods > 0 {
		finding.Details = append(finding.Details, "which PodDisruptionBudget will hang the drain is not known: they could not be read")
	}
	if w := f.limits.Windows; w.outside(f.now) && finding.State == plugin.Critical {
		finding.Details = append(finding.Details, "now is outside every window; the next opens in "+plugin.Age(w.next(f.now).Sub(f.now)))
	}
	f.add("node "+name, finding)
}

// mostAsked bounds the work on many nodes: for each action the whole cluster is looked at again.
const mostAsked = 100

// untold stands for the actions on a node beyond those many. They may have any node drained that waits in a pool that it holds back.
func (q *nodeQuestion) untold() {
	if q.n.Windows {
		return
	}
	e := effect{text: fmt.Sprintf("what that sets off is told of %d nodes at a time: ask for it by itself", mostAsked)}
	for _, r := range q.heldBack(q.r) {
		waits := q.toDrain(r)
		switch i := slices.IndexFunc(waits, func(name string) bool { return name != q.n.Name }); {
		case i < 0:
		case !r.pool.Paused:
			e.state, e.other = plugin.Critical, waits[i:i+1]
		case r.pool.Name == q.pool.Name:
			q.unpausing = waits[i : i+1]
		}
	}
	q.row("touch it", "", q.frees(e, q.n.Name))
}

// actions are what a person may do to bring the node into use, and the pool. On Windows nothing of it sets off anything: the MCO
// drains nothing there, and no pod that it evicts elsewhere can run there.
func (q *nodeQuestion) actions() {
	if q.n.Windows {
		return
	}
	n := q.n.Name
	for _, t := range q.n.Taints {
		e := q.frees(effect{text: "drains nothing: the MCO heeds no taints" + q.notTheTaint()}, n)
		q.row("take away taint "+t, "", e)
	}
	var mended []string
	if q.n.Unschedulable && !q.n.working() && !q.n.draining() {
		mended = append(mended, "schedulable")
		q.row("uncordon it", "making "+n+" schedulable", q.frees(q.effectOf(q.withNode(n, (*Node).uncordon), n), n))
	}
	switch woken := q.withNode(n, (*Node).wake); {
	case !q.n.KubeletReady:
		mended = append(mended, "Ready")
		q.row("make it Ready", "making "+n+" Ready", q.frees(q.effectOf(woken, n), n))
	case !q.n.managed():
		mended = append(mended, "managed")
		q.row("start its machine-config-daemon", "starting the machine-config-daemon of "+n, q.frees(q.effectOf(woken, n), n))
	}
	if q.n.failed() {
		mended = append(mended, "well")
		q.row("end what degrades it", "ending what degrades "+n, q.goesOn(q.effectOf(q.withNode(n, (*Node).repair), n)))
	}
	whole := q.withNode(n, (*Node).uncordon, (*Node).wake, (*Node).repair)
	if len(mended) > 1 {
		action := []string{"both", "all three"}[len(mended)-2]
		q.row(action, "making "+n+" "+plugin.List(mended), q.frees(q.goesOn(q.effectOf(whole, n)), n))
	}
	if !q.pool.Paused {
		return
	}
	q.unpause("unpause pool "+q.pool.Name, "unpausing pool "+q.pool.Name, q.effectOf(q.unpaused(q.pool.Name), n))
	if len(mended) > 0 {
		q.unpause("make it ready, and unpause", "making "+n+" ready and unpausing pool "+q.pool.Name, q.effectOf(whole.unpaused(q.pool.Name), n))
	}
}

// goesOn adds to the effect of a repair the update that had failed.
func (q *nodeQuestion) goesOn(e effect) effect {
	if q.n.failed() && q.n.underway() && !e.own {
		need, _ := q.need(q.n, q.pool)
		if e.state == plugin.OK { // nothing else is taken
			e.text = ""
		}
		e.text, e.state = joined(need.does(q.n.Name), e.text), max(e.state, noted(need != needNothing))
	}
	return e
}

// notTheTaint says what holds the update, as people suspect the taint first.
func (q *nodeQuestion) notTheTaint() string {
	if q.r.waits(q.n.Name) {
		return ", it is not what holds the update"
	}
	return ""
}

func (q *nodeQuestion) row(action, ignites string, e effect) {
	q.tell(action, ignites, e)
	q.worst = max(q.worst, e.state)
	q.others = append(q.others, e.other...)
}

// unpause is a row of its own kind: unpausing is not done to the node.
func (q *nodeQuestion) unpause(action, ignites string, e effect) {
	q.tell(action, ignites, e)
	q.unpausing = append(q.unpausing, e.other...)
}

func (q *nodeQuestion) tell(action, ignites string, e effect) {
	q.rows = append(q.rows, [2]string{action, e.text})
	if e.own && q.ignites == "" {
		q.ignites = ignites
	}
}

// labels tell what moving the node into another pool does. It is no part of the verdict: nobody does it by the way.
func (q *nodeQuestion) labels() [][2]string {
	const most = 3
	var out [][2]string
	if q.n.Windows || q.pool.Name == "master" {
		return nil
	}
	for _, p := range q.Pools {
		if p.Name == "master" || p.Name == "arbiter" || p.Name == q.pool.Name || p.Selector == nil || len(p.Selector.MatchExpressions) > 0 {
			continue
		}
		if len(out) == most {
			return append(out, [2]string{"label it into further pools", "-"})
		}
		action := "label it into pool " + p.Name
		if len(q.claimants()) > 0 {
			action = "leave it the labels of pool " + p.Name + " only"
		}
		after := q.withNode(q.n.Name, func(n *Node) { n.Labels = q.relabelled(p) })
		out = append(out, [2]string{action, q.moved(after, p)})
	}
	return out
}

// claimants are the custom pools that all claim the node, so that it is in none.
func (q *nodeQuestion) claimants() []string { return q.members.claimed[q.n.Name] }

// relabelled are the node's labels after a move: those of the pool added, those of the custom pools that it is taken out of taken away.
func (q *nodeQuestion) relabelled(to Pool) map[string]string {
	labels := maps.Clone(q.n.Labels)
	for _, p := range q.Pools {
		leaves := to.builtIn() && q.in && p.Name == q.pool.Name && !p.builtIn()
		if leaves || slices.Contains(q.claimants(), p.Name) {
			for key := range p.Selector.MatchLabels {
				delete(labels, key)
			}
		}
	}
	maps.Copy(labels, to.Selector.MatchLabels)
	return labels
}

// moved tells what a move does. Pools whose selectors overlap cannot be told apart by taking labels away.
func (q *nodeQuestion) moved(after Snapshot, to Pool) string {
	pool, r, ok := after.poolOf(q.n.Name)
	i := slices.IndexFunc(r.nodes, func(n Node) bool { return n.Name == q.n.Name })
	switch {
	case !ok:
		return "two custom pools then claim it: it is in none, and gets no configuration"
	case pool.Name != to.Name:
		return "it stays in pool " + pool.Name
	case r.atTarget(r.nodes[i]) && r.nodes[i].done():
		return "it runs the target of that pool already"
	case r.atTarget(r.nodes[i]):
		return "it was told to run the target of that pool already"
	}
	drained := maps.Clone(q.drained) // what is only told here does not count
	defer func() { q.drained = drained }()
	e := q.effectOf(after, q.n.Name)
	if q.n.working() {
		e.text = "what has begun is finished first; " + e.text
	}
	if e.own {
		return e.text
	}
	return e.text + "; in its turn it is brought to " + pool.Target
}

// byHand tells of a reboot by a person, which asks nobody.
func (q *nodeQuestion) byHand() [][2]string {
	b, read := q.burdens[q.n.Name]
	if !read {
		return nil
	}
	then := "then it is as it is now"
	switch {
	case q.n.working():
		then = "the MCO then goes on with it"
	case !q.n.KubeletReady: // the same as making it Ready, which counts
		then = "if it comes back Ready: " + q.effectOf(q.withNode(q.n.Name, (*Node).wake), q.n.Name).text
	case q.n.Unschedulable:
		then = "it comes back cordoned"
	}
	return [][2]string{{"reboot it by hand", fmt.Sprintf("ends its %s, and no PodDisruptionBudget is asked; %s", plugin.Count(b.pods, "pod"), then)}}
}

func (q *nodeQuestion) howLong() [][2]string {
	took := q.r.pace()
	if took.node == 0 || !q.r.waits(q.n.Name) && !q.n.working() {
		return nil
	}
	return [][2]string{{"how long", took.words() + " of pool " + q.pool.Name}}
}

// inWork: the MCO has begun with the node.
func (r rollout) inWork(node string) bool { return hasNode(r.working, node) }

// waits: the node is outdated and the MCO has not begun.
func (r rollout) waits(node string) bool { return hasNode(r.waiting, node) }

func hasNode(nodes []Node, name string) bool {
	return slices.ContainsFunc(nodes, func(n Node) bool { return n.Name == name })
}

// does is what bringing the node to its target does to it and to the pods on it.
func (q *nodeQuestion) does() string {
	need, why := q.need(q.n, q.pool)
	text := need.does(q.n.Name) + bracketed(why)
	if need == needNothing {
		return text
	}
	if b, read := q.burdens[q.n.Name]; read {
		return text + ": " + b.words()
	}
	return text + " (which pods that evicts could not be read)"
}
