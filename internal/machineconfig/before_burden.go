package machineconfig

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"overdue/internal/plugin"
)

// burden is what the drain of one node does to the workloads on it.
type burden struct {
	pods, lost, held, gpus, shares, devices, scratch, passing, path, local int

	holder, remedy string // of the first pod that the eviction API refuses
	table          [][2]string
}

// workloadGroup is the pods of one owner on the node.
type workloadGroup struct {
	name, owner string
	pods        []Workload
	held        string
}

// weigh sums the workloads up, the ones that suffer most first.
func weigh(workloads []Workload, guards guards) burden {
	var b burden
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
		if cause, remedy := guards.refuse(w.Pod); cause != "" && w.Deleted.IsZero() {
			b.held++
			if g.held == "" {
				g.held = cause
			}
			if b.holder == "" {
				b.holder, b.remedy = cause, remedy
			}
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

func (b *burden) count(w Workload) {
	b.pods++
	b.gpus, b.shares = b.gpus+w.GPUs, b.shares+w.Shares
	if w.Owner == "" {
		b.lost++
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
	case all.local > 0:
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
	if g.held != "" {
		parts = append(parts, "the drain hangs: "+g.held)
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
