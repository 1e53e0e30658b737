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

// count puts a number and its noun together.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list names at most three things.
func list(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	if len(names) > 1 {
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return strings.Join(names, "")
}

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

// trouble says why a node is not ready, or not as it should be.
func trouble(n Node, now time.Time) string {
	var parts []string
	if !n.managed() {
		parts = append(parts, "has never run a machine-config-daemon")
	}
	if !n.KubeletReady {
		parts = append(parts, "is not Ready"+ago(n.NotReadySince, now)+bracketed(n.NotReadyWhy))
	}
	if n.Unschedulable {
		by := ""
		if n.CordonedBy != "" {
			by = " by " + n.CordonedBy
		}
		parts = append(parts, "is cordoned"+by+ago(n.CordonedSince, now))
	}
	if n.failed() {
		parts = append(parts, "is "+n.State+": "+reason(n))
	}
	return n.Name + " " + strings.Join(parts, " and ")
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return " [" + s + "]"
}

// troubles words several nodes; the first in full, that the line stays readable.
func troubles(nodes []Node, now time.Time) string {
	if len(nodes) == 0 {
		return ""
	}
	s := trouble(nodes[0], now)
	switch rest := names(nodes[1:]); {
	case len(rest) == 1:
		s += ", and " + trouble(nodes[1], now)
	case len(rest) > 1:
		s += "; also " + list(rest)
	}
	return s
}
