package gpu

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"overdue/internal/plugin"
)

// fact is a finding about one node, told so that nodes with the same cause become one.
type fact struct {
	plugin.Finding
	node   string
	remedy func(nodes []string) string // nil: Remedy

	// because words a cause of which the age is known: it is told for the oldest of the nodes.
	because func(age string) string
	since   moment
}

func (j *judgement) add(v *view, f fact) {
	f.node = v.Name
	if f.State != plugin.OK {
		j.totals.bad[v.Name] = true
	}
	j.facts = append(j.facts, f)
}

// key is the same for facts that are told as one.
func (f fact) key() string {
	cause, remedy := f.Cause, f.Remedy
	if f.because != nil {
		cause = f.because("")
	}
	if f.remedy != nil {
		remedy = f.remedy([]string{"NODE", "OTHER"}) // as for several: of one it may name the pod
	}
	return shape(uncounted(strings.Join([]string{f.State.String(), f.Problem, cause, f.Consequence, remedy}, "\x00")))
}

var restarts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \([0-9]+ restarts?\)`) })

// uncounted leaves out how often containers have restarted, in which nodes with the same cause differ.
func uncounted(text string) string { return restarts().ReplaceAllString(text, "") }

// fold tells nodes with the same cause as one finding, in the order in which they came.
func fold(facts []fact, now time.Time) []plugin.Finding {
	var order []string
	same := map[string][]fact{}
	for _, f := range facts {
		key := f.key()
		if same[key] == nil {
			order = append(order, key)
		}
		same[key] = append(same[key], f)
	}
	var out []plugin.Finding
	for _, key := range order {
		out = append(out, together(same[key], now))
	}
	return out
}

// subject is "node gpu-01", or how many nodes there are and which.
func subject(nodes []string) string {
	if len(nodes) == 1 {
		return "node " + nodes[0]
	}
	return fmt.Sprintf("%d nodes: %s", len(nodes), plugin.List(nodes))
}

func together(facts []fact, now time.Time) plugin.Finding {
	f := facts[0]
	var nodes, aged, problems, causes []string
	for _, g := range facts {
		nodes = append(nodes, g.node)
		problems, causes = append(problems, uncounted(g.Problem)), append(causes, uncounted(g.Cause))
		age := ""
		if began := latest(g.Since, g.since.Time); !began.IsZero() {
			age = " for " + plugin.Age(now.Sub(began.Time))
		}
		aged = append(aged, g.node+age)
		if !g.Since.IsZero() && (f.Since.IsZero() || g.Since.Before(f.Since)) {
			f.Since, f.AtLeast = g.Since, g.AtLeast
		}
		if !g.since.IsZero() && (f.since.IsZero() || g.since.Before(f.since.Time)) {
			f.since = g.since
		}
	}
	f.Subject = subject(nodes)
	if len(nodes) > 1 {
		f.Consequence = strings.Replace(f.Consequence, " on this node", " on each of these nodes", 1)
		f.Problem, f.Cause = sum(problems), sum(causes)
		f.Details = append(slices.Clone(f.Details), "nodes: "+strings.Join(aged, ", "))
		f.Details = append(f.Details, differing(nodes, problems)...)
	}
	if f.because != nil {
		j := judgement{now: now}
		f.Cause = f.because(j.age(f.since))
	}
	if f.remedy != nil {
		f.Remedy = f.remedyFor(nodes)
	}
	return f.Finding
}

// commanded is the most nodes that a command names, so that a line stays a line.
const commanded = 5

// remedyFor is the remedy for several nodes. Of many it names the first, and says that there are more: an ellipsis would be an argument.
func (f fact) remedyFor(nodes []string) string {
	if len(nodes) <= commanded {
		return f.remedy(nodes)
	}
	return fmt.Sprintf("%s; the same for %d more (below)", f.remedy(nodes[:commanded]), len(nodes)-commanded)
}
