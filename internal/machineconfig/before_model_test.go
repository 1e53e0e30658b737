package machineconfig

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"overdue/internal/plugin/judgetest"
)

// modelNode is a node as the MCO's node controller sees it (pkg/controller/node/node_controller.go, getAllCandidateMachines).
type modelNode struct {
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

// drainedByMCO runs the pool until nothing moves, each update succeeding, and tells which nodes were drained.
func drainedByMCO(nodes []modelNode, limit int) map[int]bool {
	nodes, drained := slices.Clone(nodes), map[int]bool{}
	for moved := true; moved; {
		moved = false
		for i, n := range nodes {
			if n.state == stateWorking {
				drained[i] = drained[i] || n.current == modelOlder
				nodes[i], moved = modelNode{current: n.desired, desired: n.desired, state: stateDone}, true
			}
		}
		capacity := limit
		for _, n := range nodes {
			if !n.ready() || n.state == stateDegraded && n.current == n.desired {
				capacity--
			}
			if n.failing() && n.desired == newConfig { // these count twice if they are not ready either
				capacity--
			}
		}
		for i, n := range nodes {
			if capacity > 0 && n.desired != newConfig && n.ready() {
				nodes[i].desired, nodes[i].state, moved = newConfig, stateWorking, true
				capacity--
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

func randomNode(random *rand.Rand) modelNode {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	n := modelNode{cordoned: random.IntN(4) == 0, notReady: random.IntN(5) == 0, state: pick(stateDone, stateDone, stateDone, stateWorking, stateDegraded)}
	n.current = pick(oldConfig, modelOlder, newConfig, newConfig)
	n.desired = n.current
	if n.state == stateWorking || n.state == stateDegraded && random.IntN(2) == 0 {
		n.current, n.desired = pick(oldConfig, modelOlder), pick(newConfig, newConfig, modelGivenUp)
	}
	return n
}

// Whatever the MCO drains after something that a person may do to one or two nodes, and does not without it, was told before; so was
// what it drains of these two by itself. And where no change needs a drain, nothing is told to be drained.
func TestBeforeAgreesWithMCO(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	told := 0
	for range 1500 {
		limit, nodes := 1+random.IntN(2), make([]modelNode, 2+random.IntN(4))
		s := fleet(len(nodes))
		s.Pools[0].Limit = fmt.Sprint(limit)
		harmless := random.IntN(5) == 0
		for i := range nodes {
			nodes[i] = randomNode(random)
			if harmless && nodes[i].current == modelOlder {
				nodes[i].current, nodes[i].desired = newConfig, newConfig
				nodes[i].state = stateDone
			}
			n := &s.Nodes[i]
			n.Current, n.Desired, n.State, n.Unschedulable, n.KubeletReady = nodes[i].current, nodes[i].desired, nodes[i].state, nodes[i].cordoned, !nodes[i].notReady
		}
		p := foreseen(s, func(p *Prospect) { p.Changes, p.Policy = modelChanges, policy })
		without := drainedByMCO(nodes, limit)
		for _, touched := range [][]int{{0}, {1}, {0, 1}} {
			var targets []Target
			for _, i := range touched {
				targets = append(targets, Target{targetNode, s.Nodes[i].Name})
			}
			v := Foresee(p, targets, defaults(), noon)
			drains := slices.ContainsFunc(touched, func(i int) bool { return without[i] })
			for actions := 1; actions < 1<<len(modelActions); actions++ {
				after := slices.Clone(nodes)
				for a, act := range modelActions {
					for _, i := range touched {
						if actions&(1<<a) != 0 {
							act(&after[i])
						}
					}
				}
				for i := range drainedByMCO(after, limit) {
					drains = drains || !without[i]
				}
			}
			says := judgetest.Worst(v.Findings) == critical
			if says {
				told++
			}
			if drains && !says || harmless && says {
				t.Fatalf("maxUnavailable %d, %+v\ntouched: %v; drained: %v, told so: %v\n%s", limit, nodes, touched, drains, says, strings.TrimSpace(judgetest.Story(v.Findings, v.Summary)))
			}
		}
	}
	if told == 0 {
		t.Error("nothing was drained in any of these pools")
	}
}
