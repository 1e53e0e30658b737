package gpu

import (
	"fmt"
	"strings"

	"overdue/internal/plugin"
)

// totals add up what the nodes offer.
type totals struct {
	nodes                                     int
	bad                                       map[string]bool
	capacity, allocatable, unhealthy, missing int64
	most                                      int64 // missing on one node
	names                                     []string
	parts                                     map[string]part
}

func (t *totals) count(v *view) {
	o := v.offer
	t.nodes++
	t.capacity, t.allocatable, t.unhealthy, t.missing = t.capacity+o.capacity, t.allocatable+o.allocatable, t.unhealthy+o.unhealthy, t.missing+o.missing
	t.most = max(t.most, o.missing)
	for _, p := range o.parts {
		sum, ok := t.parts[p.name]
		if !ok {
			t.names = append(t.names, p.name)
		}
		sum.name = p.name
		sum.want, sum.capacity, sum.allocatable = sum.want+p.want, sum.capacity+p.capacity, sum.allocatable+p.allocatable
		t.parts[p.name] = sum
	}
}

// metrics have the same labels whatever was found.
func (t *totals) metrics(l Limits) []plugin.Metric {
	return []plugin.Metric{
		{Label: "nodes", Value: float64(t.nodes)},
		{Label: "nodes_bad", Value: float64(len(t.bad))},
		{Label: "gpus_capacity", Value: float64(t.capacity)},
		{Label: "gpus_allocatable", Value: float64(t.allocatable)},
		{Label: "gpus_unhealthy", Value: float64(t.unhealthy)},
		{Label: "gpus_missing", Value: float64(t.missing)},
		{Label: "gpus_missing_on_one_node", Value: float64(t.most), Warning: &l.Warning, Critical: &l.Critical},
	}
}

func (t *totals) summary() string {
	var parts []string
	for _, name := range t.names {
		parts = append(parts, t.parts[name].String())
	}
	text := plugin.Count(t.nodes, "GPU node")
	if len(parts) > 0 {
		text += fmt.Sprintf(", %s allocatable", strings.Join(parts, ", "))
	}
	return text
}
