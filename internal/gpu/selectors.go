package gpu

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"overdue/internal/plugin"
)

// parseSelectors reads label selectors. One that selects everything is refused: it is a mistake, and costly.
func parseSelectors(flag string, texts []string) ([]labels.Selector, error) {
	var out []labels.Selector
	for _, text := range texts {
		s, err := labels.Parse(text)
		if err != nil || s.Empty() || slices.ContainsFunc(requirements(s), ofNothing) {
			return nil, plugin.Misuse(fmt.Sprintf("%s %s is no label selector; write it as key, key=value or 'key in (a,b)'", flag, quoted(text)))
		}
		out = append(out, s)
	}
	return out, nil
}

func requirements(s labels.Selector) labels.Requirements {
	all, _ := s.Requirements()
	return all
}

// ofNothing: "key in ()", which is parsed as if it asked for the empty value.
func ofNothing(r labels.Requirement) bool {
	return (r.Operator() == selection.In || r.Operator() == selection.NotIn) && r.Values().Len() == 1 && r.Values().Has("")
}

// queries are the label selectors to ask with so that each node comes once: a selector cannot say "or" over several keys, so
// there is one list for each, and it leaves out what an earlier list held. Where that cannot be said a node comes twice.
func queries(selectors []labels.Selector) []string {
	var out []string
	var not []labels.Requirement
	for _, s := range selectors {
		out = append(out, s.Add(not...).String())
		if r, ok := opposite(s); ok {
			not = append(not, r)
		}
	}
	return out
}

var opposites = map[selection.Operator]selection.Operator{
	selection.Equals: selection.NotEquals, selection.DoubleEquals: selection.NotEquals, selection.NotEquals: selection.Equals,
	selection.In: selection.NotIn, selection.NotIn: selection.In,
	selection.Exists: selection.DoesNotExist, selection.DoesNotExist: selection.Exists,
}

// opposite is the requirement that holds where a selector does not; only a selector of one requirement has one.
func opposite(s labels.Selector) (labels.Requirement, bool) {
	all := requirements(s)
	if len(all) != 1 {
		return labels.Requirement{}, false
	}
	r := all[0]
	operator, ok := opposites[r.Operator()]
	if !ok {
		return labels.Requirement{}, false
	}
	not, err := labels.NewRequirement(r.Key(), operator, r.Values().List())
	if err != nil {
		return labels.Requirement{}, false
	}
	return *not, true
}

func matchesAny(selectors []labels.Selector, set map[string]string) bool {
	for _, s := range selectors {
		if s.Matches(labels.Set(set)) {
			return true
		}
	}
	return false
}

// unmatched are the selectors that match no node: misspelt, or of a machine pool that is scaled to none.
func unmatched(selectors []labels.Selector, nodes []Node) []string {
	var out []string
	for _, s := range selectors {
		if !slices.ContainsFunc(nodes, func(n Node) bool { return s.Matches(labels.Set(n.Labels)) }) {
			out = append(out, plugin.Clean(s.String()))
		}
	}
	return out
}
