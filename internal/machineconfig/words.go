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

// ago words a time of which the age matters: " for 3h 12m (since 2026-11-30 23:58 UTC)", or nothing if it is unknown.
func ago(since, now time.Time) string {
	if since.IsZero() {
		return ""
	}
	return fmt.Sprintf(" for %s (since %s)", plugin.Age(now.Sub(since)), plugin.Moment(since))
}

// trouble says what a node is that it should not be: "cordoned by kubectl for 3h 12m (since …)".
func trouble(n Node, now time.Time) string {
	var parts []string
	if !n.managed() {
		parts = append(parts, "has never run a machine-config-daemon")
	}
	if !n.KubeletReady {
		parts = append(parts, "not Ready"+ago(n.NotReadySince, now)+bracketed(n.NotReadyWhy))
	}
	if n.Unschedulable {
		by := ""
		if n.CordonedBy != "" {
			by = " by " + n.CordonedBy
		}
		parts = append(parts, "cordoned"+by+ago(n.CordonedSince, now))
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
func troubles(nodes []Node, now time.Time) string {
	const most = 2
	var order []string
	same := map[string][]string{}
	for _, n := range nodes {
		t := trouble(n, now)
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
