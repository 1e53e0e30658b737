//go:build performance

package performance

import (
	"fmt"
	"strings"
)

// The goals. That one is not held is told, and fails nothing: a shared machine measures badly.
const (
	mostStart   = 1.5  // of the floor's median
	mostHealthy = 2.0  // of the floor's CPU
	leastCPU    = 15.0 // of jq's share in the plugin's, on 5,000 nodes
	leastMemory = 12.0
	mostMemory  = 1.25 // of a contest that judges as much from fewer bytes
)

func (r *results) goals(b *strings.Builder) {
	b.WriteString("\n### Goals\n\n| goal | | measured | |\n|---|---|---:|---|\n")
	tell := func(goal, where string, measured float64, held bool) {
		verdict := "held"
		if !held {
			verdict = "**not held**"
		}
		fmt.Fprintf(b, "| %s | %s | %.3g | %s |\n", goal, where, measured, verdict)
	}
	for _, s := range r.starts {
		for _, row := range s.rows[1:] {
			tell(fmt.Sprintf("start ≤ %.1f × the floor, %s", mostStart, s.name), row.name, s.ratio(row), s.ratio(row) <= mostStart)
		}
	}
	peaks := map[string]float64{}
	for _, c := range r.contests {
		plugin, floor := c.rows[0], c.rows[1]
		peaks[c.title()] = plugin.mib()
		if ratio := cpu(plugin.cost) / cpu(floor.cost); c.healthy {
			tell(fmt.Sprintf("healthy path ≤ %.0f × the floor's CPU", mostHealthy), c.title(), ratio, ratio <= mostHealthy)
		}
		if shell, ok := c.of(kindShell); ok && plugin.bytes > 1e6 && (c.unit == "nodes" && c.size == 5000 || c.unit == "pods") {
			less := cpu(shell.cost) / cpu(plugin.cost)
			tell(fmt.Sprintf("≥ %.0f × less CPU than jq", leastCPU), c.title(), less, less >= leastCPU)
			less = shell.mib() / plugin.mib()
			tell(fmt.Sprintf("≥ %.0f × less memory than jq", leastMemory), c.title(), less, less >= leastMemory)
		}
		if like := peaks[c.like]; like > 0 {
			tell(fmt.Sprintf("memory ≤ %.2f × that of what judges as much", mostMemory), c.title()+" to "+c.like, plugin.mib()/like, plugin.mib() <= mostMemory*like)
		}
	}
}
