package machineconfig

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// burden is what the drain of one node does to the workloads on it.
type burden struct {
	pods, lost, vms, held, gpus, shares, devices, scratch, passing, path, local int

	holder, remedy string // of the first pod that the eviction API refuses
	table          [][2]string
}

// workloadGroup is the pods of one owner on the node.
type workloadGroup struct {
	name, owner string
	pods        []Workload
	held, turns string
}

// kindVM is KubeVirt's virtual machine, which runs in a pod.
const kindVM = "VirtualMachineInstance"

// madeOnce are the kinds of controllers that do not make a pod anew which was evicted: builds and the steps of pipelines.
var madeOnce = []string{"Build", "BuildRun", "TaskRun", "PipelineRun", "Workflow", "Pod"}

func (w Workload) ownerKind() string {
	kind, _, _ := strings.Cut(w.Owner, " ")
	return kind
}

// lost: nothing makes the pod anew.
func (w Workload) lost() bool { return w.Owner == "" || slices.Contains(madeOnce, w.ownerKind()) }

// dying is how long a pod may stay after its grace period: the kubelet needs a moment to take away what it had.
const dying = 5 * time.Minute

// weigh sums the workloads up, the ones that suffer most first.
func weigh(workloads []Workload, guards guards, now time.Time) burden {
	var b burden
	queues := guards.queues(workloads)
	byOwner := map[string]*workloadGroup{}
	var groups []*workloadGroup
	for _, w := range workloads {
		key := w.Namespace + "/" + cmp.Or(w.Owner, w.Name)
		g := byOwner[key]
		if g == nil {
			g = &workloadGroup{name: w.Namespace + "/" + w.Name, owner: w.Owner}
			byOwner[key] = g
			groups = append(groups, g)
		}
		g.pods = append(g.pods, w)
		b.count(w)
		var cause, remedy string
		switch queue := queues[w.Namespace+"/"+w.Name]; {
		case now.Sub(w.Deleted) > dying && !w.Deleted.IsZero():
			cause, remedy = w.lingers(now)
		case !w.Deleted.IsZero():
		case queue != nil && queue.local:
			if queue.seen++; queue.seen > queue.Allowed {
				b.held++ // the ones before it are evicted
			}
			b.hold(g, queue.stuck(), queue.remedy())
		case queue != nil:
			g.turns = queue.turns()
		default:
			cause, remedy = guards.refuse(w.Pod)
		}
		if cause != "" {
			b.held++
			b.hold(g, cause, remedy)
		}
	}
	slices.SortStableFunc(groups, func(x, y *workloadGroup) int {
		return cmp.Or(cmp.Compare(y.weight(), x.weight()), cmp.Compare(x.name, y.name))
	})
	for _, g := range groups {
		b.table = append(b.table, g.row())
	}
	return b
}

// hold notes what hangs the drain, of each group and of all the first.
func (b *burden) hold(g *workloadGroup, cause, remedy string) {
	if g.held == "" {
		g.held = cause
	}
	if b.holder == "" {
		b.holder, b.remedy = cause, remedy
	}
}

// queue is the pods of the node that have to wait for each other, as their only budget allows some disruptions and not as many.
type queue struct {
	Budget
	pods, seen int
	local      bool // one of them has a volume that is on this node only, so the budget does not recover
}

// queues are told by the pods' namespace and name.
func (g guards) queues(workloads []Workload) map[string]*queue {
	byBudget, out := map[string]*queue{}, map[string]*queue{}
	for _, w := range workloads {
		budgets := g.of(w.Pod)
		if len(budgets) != 1 || budgets[0].Allowed < 1 || budgets[0].ignores(w.Pod) || !w.Deleted.IsZero() {
			continue
		}
		key := w.Namespace + "/" + budgets[0].Name
		q := byBudget[key]
		if q == nil {
			q = &queue{Budget: budgets[0]}
			byBudget[key] = q
		}
		q.pods, q.local = q.pods+1, q.local || w.Local
		out[w.Namespace+"/"+w.Name] = q
	}
	maps.DeleteFunc(out, func(_ string, q *queue) bool { return q.pods <= q.Allowed })
	return out
}

func (q queue) stuck() string {
	return fmt.Sprintf("PodDisruptionBudget %s/%s allows %d of its %d pods here to be evicted, and what has a local volume starts nowhere else", q.Namespace, q.Name, q.Allowed, q.pods)
}

func (q queue) turns() string {
	return fmt.Sprintf("%d at a time, as PodDisruptionBudget %s/%s allows: the next when that one runs elsewhere", q.Allowed, q.Namespace, q.Name)
}

func (b *burden) count(w Workload) {
	b.pods++
	b.gpus, b.shares = b.gpus+w.GPUs, b.shares+w.Shares
	if w.lost() {
		b.lost++
	}
	if w.ownerKind() == kindVM {
		b.vms++
	}
	if w.Devices {
		b.devices++
	}
	if w.Scratch {
		b.scratch++
	}
	if w.Passing {
		b.passing++
	}
	if w.Path {
		b.path++
	}
	if w.Local {
		b.local++
	}
}

// weight: a drain that hangs first, then what is lost for good, then what cannot start elsewhere, then GPUs.
func (g *workloadGroup) weight() int {
	all := weighAll(g.pods)
	switch {
	case g.held != "":
		return 4
	case all.lost > 0:
		return 3
	case all.local > 0, all.vms > 0:
		return 2
	case all.gpus > 0, all.shares > 0, all.devices > 0:
		return 1
	}
	return 0
}

func weighAll(pods []Workload) burden {
	var b burden
	for _, w := range pods {
		b.count(w)
	}
	return b
}

func (g *workloadGroup) row() [2]string {
	all := weighAll(g.pods)
	name := "pod " + g.name
	if len(g.pods) > 1 {
		name = plugin.Count(len(g.pods), "pod") + " in " + g.pods[0].Namespace
	}
	if g.owner != "" {
		name += " (" + g.owner + ")"
	}
	parts := []string{"evicted"}
	if all.lost > 0 {
		parts = []string{"lost: it has no controller that makes it anew"}
	}
	if all.vms > 0 {
		parts = []string{"VM: live-migrated; one that cannot be is shut down or hangs the drain, by its evictionStrategy"}
	}
	if g.held != "" {
		parts = append(parts, "the drain hangs: "+g.held)
	}
	if g.turns != "" {
		parts = append(parts, g.turns)
	}
	return [2]string{name, strings.Join(append(parts, all.marks()...), "; ")}
}

// marks are what is special of the workloads.
func (b burden) marks() []string {
	var out []string
	if b.gpus > 0 {
		out = append(out, plugin.Count(b.gpus, "GPU"))
	}
	if b.shares > 0 {
		out = append(out, plugin.Count(b.shares, "GPU share"))
	}
	if b.devices > 0 {
		out = append(out, "uses devices by claim")
	}
	if b.local > 0 {
		out = append(out, "local volume: it cannot start on another node")
	}
	if b.path > 0 {
		out = append(out, "hostPath: what it keeps there stays on this node")
	}
	if b.scratch > 0 {
		out = append(out, "emptyDir: its contents are deleted")
	}
	if b.passing > 0 {
		out = append(out, "ephemeral volume: its contents are deleted")
	}
	return out
}

// words sums it up for the first line: "5 pods evicted, of which 1 is lost (no controller); …".
func (b burden) words() string {
	if b.pods == 0 {
		return "no pod evicted"
	}
	text := plugin.Count(b.pods, "pod") + " evicted"
	if b.lost > 0 {
		text += fmt.Sprintf(", %d lost for want of a controller", b.lost)
	}
	if b.vms > 0 {
		text += ", " + plugin.Count(b.vms, "VM") + " live-migrated or shut down"
	}
	if b.gpus > 0 {
		text += ", " + plugin.Count(b.gpus, "GPU") + " in use"
	}
	if b.shares > 0 {
		text += ", " + plugin.Count(b.shares, "GPU share") + " in use"
	}
	if b.devices > 0 {
		text += fmt.Sprintf(", %d using devices by claim", b.devices)
	}
	if b.local > 0 {
		text += fmt.Sprintf(", %d with a local volume", b.local)
	}
	if b.held > 0 {
		text += fmt.Sprintf(", and the drain hangs: %s", b.holder)
	}
	return text
}
