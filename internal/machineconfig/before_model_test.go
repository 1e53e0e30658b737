package machineconfig

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

// modelNode is a node as the MCO's node controller sees it (pkg/controller/node/node_controller.go, getAllCandidateMachines).
type modelNode struct {
	pool               string // empty: in none
	current, desired   string // MachineConfigs
	state              string
	cordoned, notReady bool
}

func (n modelNode) ready() bool { return !n.cordoned && !n.notReady }

func (n modelNode) failing() bool { return n.state == stateDegraded && n.current != n.desired }

// The target of the model's pool, and what its nodes may run: one change to the target reboots, the others need no drain.
const (
	modelOlder   = "rendered-older"
	modelGivenUp = "rendered-bad"
)

var modelChanges = map[[2]string]Change{
	{oldConfig, newConfig}:     {Users: true},
	{oldConfig, modelGivenUp}:  {Users: true},
	{modelGivenUp, newConfig}:  {Users: true},
	{modelOlder, newConfig}:    {System: []string{"OS image"}},
	{modelOlder, modelGivenUp}: {System: []string{"OS image"}},
}

// modelPool is a pool as the MCO's node controller sees it.
type modelPool struct {
	name   string
	limit  int
	paused bool
}

func (p modelPool) unavailable(nodes []modelNode) (count int) {
	for _, n := range nodes {
		if n.pool == p.name && (!n.ready() || n.state == stateDegraded && n.current == n.desired) {
			count++
		}
	}
	return count
}

// picks are the nodes that are taken next, when none is in work.
func (p modelPool) picks(nodes []modelNode) (out []int) {
	capacity := p.limit - p.unavailable(nodes)
	for _, n := range nodes {
		if n.pool == p.name && n.failing() && n.desired == newConfig { // these count twice if they are not ready either
			capacity--
		}
	}
	for i, n := range nodes {
		if n.pool == p.name && len(out) < capacity && n.desired != newConfig && n.ready() {
			out = append(out, i)
		}
	}
	return out
}

// yields: masters and arbiters wait for each other (updatePools).
func (p modelPool) yields(nodes []modelNode, pools []modelPool) bool {
	for _, other := range pools {
		switch {
		case p.name == "master" && other.name == "arbiter" && other.unavailable(nodes) > 0,
			p.name == "arbiter" && other.name == "master" && (other.unavailable(nodes) > 0 || !other.paused && len(other.picks(nodes)) > 0):
			return true
		}
	}
	return false
}

// drainedByMCO runs the pools until nothing moves, each update succeeding, and tells which nodes were drained.
func drainedByMCO(nodes []modelNode, pools []modelPool) map[int]bool {
	nodes, drained := slices.Clone(nodes), map[int]bool{}
	for moved := true; moved; {
		moved = false
		for i, n := range nodes {
			if n.state == stateWorking { // also in no pool
				drained[i] = drained[i] || n.current == modelOlder
				nodes[i], moved = modelNode{pool: n.pool, current: n.desired, desired: n.desired, state: stateDone}, true
			}
		}
		seen := slices.Clone(nodes)
		for _, p := range pools {
			if p.paused || p.yields(seen, pools) {
				continue
			}
			for _, i := range p.picks(seen) {
				nodes[i].desired, nodes[i].state, moved = newConfig, stateWorking, true
			}
		}
	}
	maps.DeleteFunc(drained, func(_ int, yes bool) bool { return !yes })
	return drained
}

// modelActions are what a person may do to a node, one by one.
var modelActions = []func(*modelNode){
	func(n *modelNode) { n.cordoned = n.cordoned && n.state == stateWorking }, // the MCO's own cordon stays
	func(n *modelNode) { n.notReady = false },
	func(n *modelNode) {
		if n.failing() {
			n.state = stateWorking
		} else if n.state == stateDegraded {
			n.state = stateDone
		}
	},
}

func randomNode(random *rand.Rand, harmless bool) modelNode {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	n := modelNode{cordoned: random.IntN(4) == 0, notReady: random.IntN(5) == 0, state: pick(stateDone, stateDone, stateDone, stateWorking, stateDegraded)}
	n.current = pick(oldConfig, modelOlder, newConfig, newConfig)
	n.desired = n.current
	if n.state == stateWorking || n.state == stateDegraded && random.IntN(2) == 0 {
		n.current, n.desired = pick(oldConfig, modelOlder), pick(newConfig, newConfig, modelGivenUp)
	}
	if harmless && n.current == modelOlder {
		n.current, n.desired, n.state = newConfig, newConfig, stateDone
	}
	return n
}

// modelCluster is workers, or masters and arbiters, some paused; and nodes in no pool.
type modelCluster struct {
	pools    []modelPool
	nodes    []modelNode
	harmless bool // no change needs a drain
}

func randomCluster(random *rand.Rand) modelCluster {
	names := [][]string{{"worker"}, {"worker"}, {"master", "arbiter"}}[random.IntN(3)]
	c := modelCluster{harmless: random.IntN(5) == 0}
	for _, name := range names {
		c.pools = append(c.pools, modelPool{name, 1 + random.IntN(2), random.IntN(4) == 0})
	}
	for range 2 + random.IntN(4) {
		n := randomNode(random, c.harmless)
		if n.pool = names[random.IntN(len(names))]; random.IntN(8) == 0 {
			n.pool = ""
		}
		c.nodes = append(c.nodes, n)
	}
	return c
}

// prospect is what is read of the cluster, and a Windows node, of which there is nothing to tell.
func (c modelCluster) prospect() Prospect {
	s := fleet(len(c.nodes) + 1)
	like := s.Pools[0]
	s.Pools = nil
	for _, p := range c.pools {
		like.Name, like.Limit, like.Paused = p.name, fmt.Sprint(p.limit), p.paused
		like.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{p.name: ""}}
		s.Pools = append(s.Pools, like)
	}
	for i, from := range c.nodes {
		n := &s.Nodes[i]
		n.Labels = map[string]string{from.pool: ""}
		n.Current, n.Desired, n.State, n.Unschedulable, n.KubeletReady = from.current, from.desired, from.state, from.cordoned, !from.notReady
	}
	s.Nodes[len(c.nodes)].Windows = true
	return foreseen(s, func(p *Prospect) { p.Changes, p.Policy = modelChanges, policy })
}

// drains says whether the MCO drains something after what a person may do to some nodes that it does not drain without it, or drains
// one of these nodes by itself.
func (c modelCluster) drains(touched []int) bool {
	without := drainedByMCO(c.nodes, c.pools)
	if slices.ContainsFunc(touched, func(i int) bool { return without[i] }) {
		return true
	}
	for actions := 1; actions < 1<<len(modelActions); actions++ {
		after := slices.Clone(c.nodes)
		for a, act := range modelActions {
			for _, i := range touched {
				if actions&(1<<a) != 0 {
					act(&after[i])
				}
			}
		}
		for i := range drainedByMCO(after, c.pools) {
			if !without[i] {
				return true
			}
		}
	}
	return false
}

// held: a change that drains the node waits for its turn, or in a paused pool for the end of the pause.
func (n modelNode) held() bool {
	return n.current == modelOlder && (n.pool != "" || n.state != stateDone && n.current != n.desired)
}

// modelAsk is a question, and the nodes that it is about.
type modelAsk struct {
	targets []Target
	touched []int
	subject string // of the finding that answers it; empty: of any
}

// asks: one node, two, one beyond the first hundred, each pool, and one node with a pool.
func (c modelCluster) asks(p Prospect) (out []modelAsk) {
	node := func(i int) Target { return Target{targetNode, p.Nodes[i].Name} }
	for _, touched := range [][]int{{0}, {1}, {0, 1}} {
		ask := modelAsk{touched: touched}
		for _, i := range touched {
			ask.targets = append(ask.targets, node(i))
		}
		out = append(out, ask)
	}
	windows := slices.Repeat([]Target{node(len(c.nodes))}, mostAsked)
	out = append(out, modelAsk{append(windows, node(0)), []int{0}, "node " + p.Nodes[0].Name})
	for _, pool := range c.pools {
		mixed := modelAsk{targets: []Target{node(0), {targetPool, pool.name}}, touched: []int{0}}
		for i, n := range c.nodes {
			if i > 0 && n.pool == pool.name {
				mixed.touched = append(mixed.touched, i)
			}
		}
		out = append(out, mixed)
		ask := modelAsk{targets: []Target{{targetPool, pool.name}}}
		for i, n := range c.nodes {
			if n.pool == pool.name {
				ask.touched = append(ask.touched, i)
			}
		}
		out = append(out, ask)
	}
	return out
}

// Whatever the MCO drains after something that a person may do to some nodes, and does not without it, was told before; so was what it
// drains of these by itself. Where no change needs a drain, nothing is told to be drained, nor where nothing begins because all pools
// are paused or the nodes are in none, but for what the nodes themselves have before them.
func TestBeforeAgreesWithMCO(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	told := map[bool]int{}
	for range 1500 {
		c := randomCluster(random)
		p := c.prospect()
		for _, ask := range c.asks(p) {
			v := Foresee(p, ask.targets, defaults(), noon)
			answer := slices.DeleteFunc(v.Findings, func(f plugin.Finding) bool { return ask.subject != "" && f.Subject != ask.subject })
			says := judgetest.Worst(answer) == critical
			told[says]++
			drains := c.drains(ask.touched)
			held := slices.ContainsFunc(ask.touched, func(i int) bool { return c.nodes[i].held() })
			still := !slices.ContainsFunc(c.pools, func(p modelPool) bool { return !p.paused }) || !slices.ContainsFunc(ask.touched, func(i int) bool { return c.nodes[i].pool != "" })
			if drains && !says || c.harmless && says || still && says && !drains && !held {
				t.Fatalf("pools %+v, %+v\ntouched: %v; drained: %v, told so: %v\n%s", c.pools, c.nodes, ask.touched, drains, says, strings.TrimSpace(judgetest.Story(answer, v.Summary)))
			}
		}
	}
	if told[true] == 0 || told[false] == 0 {
		t.Errorf("told to drain and not to: %v", told)
	}
}
