package main

import (
	"fmt"
	"strings"
	"time"
)

// template is a service template.
type template struct {
	name      string
	check     string
	handler   string
	interval  time.Duration
	attempts  int // one a minute while the state is SOFT
	page      string
	notes     string
	about     string
	highlight string // the metric that shows the trouble
}

const retry = time.Minute

var templates = []template{
	{name: "overdue-mcp", check: "mcp", interval: 5 * time.Minute, attempts: 5, page: "check_mcp.md", highlight: "worker_pending",
		notes: "Updates of MachineConfigPools that do not get on. When it alarms, change nothing in the cluster before the cause in the first line is understood: making a node ready may reboot the next one.",
		about: "The thresholds of mcp_warning and mcp_critical are times already, so few retries are enough: they outlast an API server's restart,\n" +
			"and the service kubernetes is HARD before them when the API is dead."},
	{name: "overdue-gpu-node", check: "gpu_node", interval: 5 * time.Minute, attempts: 5, page: "check_gpu_node.md", highlight: "gpus_missing_on_one_node",
		notes: "GPU nodes that offer fewer GPUs than they have, or will."},
	{name: "overdue-kubernetes", check: "gpu_node", interval: time.Minute, attempts: 3, page: "check_gpu_node.md", highlight: "nodes",
		notes: "Whether the API server answers. The services machine-config-pools and gpu-nodes depend on it.",
		about: "Asks for nodes of a label that none has: one small request, which needs the login and the right to list nodes."},
	{name: "overdue-nomad-evals", check: "nomad_evals", interval: time.Minute, attempts: 3, page: "check_nomad_evals.md", highlight: "evaluations_pending_oldest",
		notes: "Nomad's evaluations that do not close, allocations that do not start, jobs that were lost."},
	{name: "overdue-prewarm-pool", check: "prewarm_pool", handler: "resync_prewarm_pool", interval: time.Minute, attempts: 8, page: "check_prewarm_pool.md",
		highlight: "missing_percent",
		notes:     "A pre-warming pool of Poseidon's. The handler resynchronises it when it stays low for 5 minutes; what it did or why it refused is in the comments.",
		about: "Found low, a pool is looked at again for 5 minutes; Poseidon's own reload is over by then. From attempt 6 on the handler acts (--on soft:6,hard),\n" +
			"and may refuse and try again at 7; at 8, HARD, people are told, as repairing did not help. To alert at once: max_check_attempts = 1; the handler acts\n" +
			"at the HARD change then, and has no second try. To alert when it acts: max_check_attempts = 6."},
	{name: "overdue-poseidon", check: "prewarm_pool", interval: time.Minute, attempts: 3, page: "check_prewarm_pool.md", highlight: "idle",
		notes: "Whether Poseidon answers. The services of its pools depend on it."},
}

const pages = "file:///usr/share/doc/overdue/docs/"

// templatesConf is the templates in Icinga 2's language.
func templatesConf(templates []template) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", generated)
	b.WriteString("// A program's deadline (--timeout) < the command's timeout < check_interval. Thresholds are at the commands; a variable of the host, or of\n" +
		"// the service, such as vars.mcp_critical = \"1h\", changes them.\n\n" +
		"// Where the pages of docs/ can be read: const OverdueDocs = \"https://…/\" in constants.conf changes it.\n" +
		"if (!globals.contains(\"OverdueDocs\")) {\n  globals.OverdueDocs = " + quote(pages) + "\n}\n")
	for _, t := range templates {
		b.WriteString("\n")
		if t.about != "" {
			fmt.Fprintf(&b, "// %s\n", strings.ReplaceAll(t.about, "\n", "\n// "))
		}
		fmt.Fprintf(&b, "template Service %s {\n  check_command = %s\n", quote(t.name), quote(t.check))
		fmt.Fprintf(&b, "  check_interval = %s\n  retry_interval = %s\n  max_check_attempts = %d\n  enable_flapping = true\n",
			seconds(t.interval), seconds(retry), t.attempts)
		if t.handler != "" {
			fmt.Fprintf(&b, "  event_command = %s\n", quote(t.handler))
		}
		for _, v := range t.vars() {
			fmt.Fprintf(&b, "  vars.%s = %s\n", v.name, v.literal())
		}
		fmt.Fprintf(&b, "  notes = %s\n  notes_url = OverdueDocs + %s\n}\n", quote(t.notes), quote(t.page))
	}
	return b.String()
}

func (t template) vars() []variable {
	vars := []variable{{"perfdatagraphs_config_highlight", t.highlight}}
	if t.name == "overdue-poseidon" { // no pool's state is its matter
		vars = append(vars, variable{"prewarm_pool_warning", "off"}, variable{"prewarm_pool_critical", "off"})
	}
	if t.name == "overdue-kubernetes" {
		vars = append(vars, variable{"gpu_node_selector", "overdue/answers"}, variable{"gpu_node_allow_empty", true})
	}
	return vars
}
