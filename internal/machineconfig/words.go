package machineconfig

import (
	"fmt"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// drainWords is what the MCO does with a node that it picks. Whether it reboots depends on the change and, from OpenShift 4.17
// on, on the node disruption policy.
const drainWords = "drain and, unless the change needs none, reboot"

func names(nodes []Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = n.Name
	}
	return out
}

// clock words times: as of now, and those that are the finding's own only as "since then".
type clock struct{ now, head time.Time }

func (c clock) ago(since time.Time) string {
	const same = 2 * time.Minute
	if d := since.Sub(c.head); !since.IsZero() && !c.head.IsZero() && d < same && d > -same {
		return " since then"
	}
	return ago(since, c.now)
}

// ago words a time of which the age matters: " for 3h 12m (since 2026-11-30 23:58 UTC)", or nothing if it is unknown.
func ago(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return fmt.Sprintf(" for %s (since %s)", plugin.Age(now.Sub(since)), plugin.Moment(since))
}

func atLeast(m moment) string {
	if m.atLeast {
		return "at least "
	}
	return ""
}

// are is "wrk-71 is" or "wrk-71 and wrk-98 are".
func are(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return plugin.List(names) + " are"
}

// trouble says what a node is that it should not be: "cordoned by kubectl for 3h 12m (since …)".
func trouble(n Node, c clock) string {
	var parts []string
	if !n.managed() {
		parts = append(parts, "has never run a machine-config-daemon")
	}
	if !n.KubeletReady {
		parts = append(parts, "not Ready"+c.ago(n.NotReadySince)+bracketed(n.NotReadyWhy))
	}
	if n.Unschedulable {
		by := ""
		if n.CordonedBy != "" {
			by = " by " + n.CordonedBy
		}
		parts = append(parts, "cordoned"+by+c.ago(n.CordonedSince))
	}
	if n.failed() {
		parts = append(parts, n.State+": "+reason(n))
	}
	return strings.Join(parts, ", ")
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return " [" + s + "]"
}

// troubles words several nodes, those with the same trouble together: "wrk-71 and wrk-98: cordoned by kubectl for 2h (…)".
func troubles(nodes []Node, c clock) string {
	const most = 2
	var order []string
	same := map[string][]string{}
	for _, n := range nodes {
		t := trouble(n, c)
		if same[t] == nil {
			order = append(order, t)
		}
		same[t] = append(same[t], n.Name)
	}
	var parts []string
	told := 0
	for i, t := range order {
		if i == most {
			parts = append(parts, plugin.Count(len(nodes)-told, "more node"))
			break
		}
		parts = append(parts, plugin.List(same[t])+": "+t)
		told += len(same[t])
	}
	return strings.Join(parts, "; ")
}

// makeReady is how to bring nodes back: one command for those that are merely cordoned.
func makeReady(nodes ...Node) string {
	const most = 5
	var cordoned, parts []string
	for _, n := range nodes {
		switch {
		case !n.managed():
			parts = append(parts, "oc -n openshift-machine-config-operator get pods -o wide --field-selector spec.nodeName="+n.Name)
		case !n.KubeletReady:
			parts = append(parts, "bring "+n.Name+" back (oc describe node "+n.Name+")")
		case len(cordoned) < most:
			cordoned = append(cordoned, n.Name)
		}
	}
	if len(parts) > 1 {
		parts = parts[:1]
	}
	if len(cordoned) > 0 {
		parts = append(parts, "oc adm uncordon "+strings.Join(cordoned, " "))
	}
	return strings.Join(parts, ", ")
}
