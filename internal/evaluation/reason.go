package evaluation

import (
	"fmt"
	"slices"
	"strings"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
)

// reason words why the allocations of an evaluation cannot be placed: "memory exhausted on 4 nodes". It is worded while
// reading, because the numbers behind it are larger than all the rest of an evaluation.
func reason(failures map[string]*nomad.Placement) string {
	var groups []string
	for name := range failures {
		groups = append(groups, name)
	}
	slices.Sort(groups)
	var texts []string
	for _, name := range groups {
		failure := failures[name]
		if failure == nil { // null
			failure = new(nomad.Placement)
		}
		if text := obstacle(failure); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return plugin.List(texts)
}

// obstacle is what a task group meets. A quota comes first: no node can help there.
func obstacle(p *nomad.Placement) string {
	var parts []string
	if len(p.QuotaExhausted) > 0 {
		parts = append(parts, "quota exhausted: "+plugin.List(p.QuotaExhausted))
	}
	parts = append(parts, counted(p.DimensionExhausted, "%s exhausted on %s")...)
	parts = append(parts, counted(p.ConstraintFiltered, "%s on %s")...)
	if len(parts) == 0 {
		parts = append(parts, counted(p.ClassExhausted, "class %s exhausted on %s")...)
		parts = append(parts, counted(p.ClassFiltered, "class %s not fit on %s")...)
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case p.NodesEvaluated == 0 && available(p.NodesAvailable) == 0:
		return "no node is ready in its datacenters and node pool"
	case p.NodesEvaluated == 0:
		return "no node was left to look at"
	}
	return fmt.Sprintf("%s looked at, none fits", plugin.Count(p.NodesEvaluated, "node"))
}

func available(byDatacenter map[string]int) (n int) {
	for _, nodes := range byDatacenter {
		n += nodes
	}
	return n
}

// counted words the two largest of a map of node counts.
func counted(nodes map[string]int, format string) []string {
	const most = 2
	var what []string
	for name := range nodes {
		what = append(what, name)
	}
	slices.SortFunc(what, func(a, b string) int {
		if nodes[a] != nodes[b] {
			return nodes[b] - nodes[a]
		}
		return strings.Compare(a, b)
	})
	var texts []string
	for _, name := range what[:min(most, len(what))] {
		texts = append(texts, fmt.Sprintf(format, constraint(name), plugin.Count(nodes[name], "node")))
	}
	if len(what) > most {
		texts = append(texts, fmt.Sprintf("%d more", len(what)-most))
	}
	return texts
}

// constraint tells a job's own constraints from what Nomad calls a lack by itself, such as "missing drivers".
func constraint(name string) string {
	if strings.HasPrefix(name, "${") {
		return "constraint " + name + " not met"
	}
	return name
}
