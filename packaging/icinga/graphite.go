package main

import (
	"fmt"
	"strings"
)

// graph is a chart of Icinga Web's module graphite: the performance data of a check, seen together. A macro in a label, such as $pool$, makes
// a chart for each pool.
type graph struct {
	name   string
	title  string
	unit   unit
	limits bool // with the lines of its thresholds; there is one curve then
	curves []curve
}

type curve struct{ label, legend string }

type unit struct {
	axis  string
	scale string // from the unit of the point
}

var (
	number  = unit{axis: ""}
	minutes = unit{axis: "minutes", scale: "0.0166666667"}
	percent = unit{axis: "percent"}
)

// graphs are all points of each check, by the command's name; what is in none the module would draw one by one.
var graphs = []struct {
	command string
	graphs  []graph
}{
	{"mcp", []graph{
		{"waiting", "Pool $pool$, outdated nodes wait", minutes, true, []curve{{"$pool$_pending", "waiting"}}},
		{"work", "Pool $pool$, slowest node in work", minutes, true, []curve{{"$pool$_in_work", "in work"}}},
		{"outstanding", "Pool $pool$, update outstanding", minutes, true, []curve{{"$pool$_outstanding", "outstanding"}}},
		{"nodes", "Pool $pool$, nodes", number, false, []curve{{"$pool$_machines", "all"}, {"$pool$_updated", "updated"}, {"$pool$_outdated", "outdated"},
			{"$pool$_degraded", "degraded"}, {"$pool$_unavailable", "unavailable"}, {"$pool$_ready", "ready"}}},
	}},
	{"gpu_node", []graph{
		{"missing", "GPUs missing on one node", number, true, []curve{{"gpus_missing_on_one_node", "the most"}}},
		{"gpus", "GPUs", number, false, []curve{{"gpus_capacity", "capacity"}, {"gpus_allocatable", "allocatable"}, {"gpus_unhealthy", "unhealthy"}, {"gpus_missing", "missing"}}},
		{"nodes", "GPU nodes", number, false, []curve{{"nodes", "all"}, {"nodes_bad", "bad"}}},
	}},
	{"nomad_evals", []graph{
		{"overdue", "Oldest pending evaluation overdue", minutes, true, []curve{{"evaluations_pending_oldest", "overdue"}}},
		{"blocked", "Oldest blocked evaluation", minutes, true, []curve{{"evaluations_blocked_oldest", "blocked"}}},
		{"evaluations", "Evaluations", number, false, []curve{{"evaluations_pending", "pending"}, {"evaluations_blocked", "blocked"}, {"evaluations_blocked_long", "blocked long"},
			{"evaluations_failed", "failed"}, {"evaluations_overdue", "overdue"}}},
		{"unbegun", "Oldest allocation not begun", minutes, true, []curve{{"allocations_pending_oldest", "not begun"}}},
		{"allocations", "Allocations", number, false, []curve{{"allocations_pending", "not begun"}, {"allocations_late", "late"}}},
		{"lost", "Oldest lost job", minutes, true, []curve{{"jobs_lost_oldest", "lost"}}},
		{"jobs", "Jobs", number, false, []curve{{"jobs_lost", "lost"}, {"jobs_unverified", "unverified"}}},
		{"servers", "Servers", number, false, []curve{{"servers", "healthy"}, {"failure_tolerance", "may fail"}, {"servers_silent", "silent"}}},
	}},
	{"prewarm_pool", []graph{
		{"missing", "Idle runners missing, worst pool", percent, true, []curve{{"missing_percent", "missing"}}},
		{"runners", "Runners of all pools", number, false, []curve{{"size", "wanted"}, {"idle", "idle"}, {"used", "used"}}},
		{"environments", "Environments", number, false, []curve{{"environments", "all"}, {"environments_stale", "stale"}, {"environments_low", "low"}}},
		{"pool-missing", "Environment $environment$, idle runners missing", percent, true, []curve{{"environment_$environment$_missing_percent", "missing"}}},
		{"pool-runners", "Environment $environment$, runners", number, false, []curve{{"environment_$environment$_size", "wanted"}, {"environment_$environment$_idle", "idle"},
			{"environment_$environment$_used", "used"}}},
	}},
}

// Those of states are kept for thresholds.
var (
	colours    = []string{"#0095bf", "#44bb77", "#aa44ff", "#7f7f7f", "#c2a300", "#8c564b"}
	warn, crit = "#ffaa44", "#ff5566"
)

// graphite are the templates of a command's charts.
func graphite(command string, graphs []graph) string {
	var b strings.Builder
	fmt.Fprintf(&b, "; %s\n", generated)
	for _, g := range graphs {
		name := command + "-" + g.name
		var filters, functions strings.Builder
		add := func(key, label, point, colour, legend string) {
			metric := "$metric$"
			if g.unit.scale != "" {
				metric = fmt.Sprintf("scale($metric$, %s)", g.unit.scale)
			}
			fmt.Fprintf(&filters, "%s = \"$service_name_template$.perfdata.%s.%s\"\n", key, label, point)
			fmt.Fprintf(&functions, "%s = \"alias(color(%s, '%s'), '%s')\"\n", key, metric, colour, legend)
		}
		for i, c := range g.curves {
			add(strings.Trim(c.label[strings.LastIndex(c.label, "$")+1:], "_"), c.label, "value", colours[i], c.legend)
			if g.limits {
				add("warn", c.label, "warn", warn, "warning")
				add("crit", c.label, "crit", crit, "critical")
			}
		}
		fmt.Fprintf(&b, "\n[%s.graph]\ncheck_command = %q\n", name, command)
		fmt.Fprintf(&b, "\n[%s.metrics_filters]\n%s", name, &filters)
		fmt.Fprintf(&b, "\n[%s.urlparams]\ntitle = %q\nmin = \"0\"\nlineWidth = \"2\"\nyUnitSystem = \"none\"\n", name, g.title)
		if g.unit.axis != "" {
			fmt.Fprintf(&b, "vtitle = %q\n", g.unit.axis)
		}
		if g.limits {
			b.WriteString("areaMode = \"first\"\nareaAlpha = \"0.5\"\n")
		}
		fmt.Fprintf(&b, "\n[%s.functions]\n%s", name, &functions)
	}
	return b.String()
}
