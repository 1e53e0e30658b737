package machineconfig

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Membership tells which nodes each pool counts, by MCO's rules: a custom pool wins over worker, master wins over all, and
// a node that two custom pools claim is in none and is counted nowhere.
type membership struct {
	of      map[string][]Node   // by pool
	claimed map[string][]string // by node: the custom pools that all claim it
	none    []string            // nodes that no pool claims
}

func members(pools []Pool, nodes []Node) membership {
	m := membership{of: map[string][]Node{}, claimed: map[string][]string{}}
	selectors := make([]labels.Selector, len(pools))
	for i, p := range pools {
		selectors[i] = selector(p)
	}
	homes, sizes := make([]string, len(nodes)), map[string]int{}
	for i, n := range nodes {
		if n.Windows {
			continue
		}
		var builtIn, custom []string
		for j, p := range pools {
			if !selectors[j].Matches(labels.Set(n.Labels)) {
				continue
			}
			if p.builtIn() {
				builtIn = append(builtIn, p.Name)
			} else {
				custom = append(custom, p.Name)
			}
		}
		switch pool := primary(builtIn, custom); {
		case len(custom) > 1:
			m.claimed[n.Name] = custom
		case pool == "":
			m.none = append(m.none, n.Name)
		default:
			homes[i] = pool
			sizes[pool]++
		}
	}
	for pool, size := range sizes {
		m.of[pool] = make([]Node, 0, size)
	}
	for i, pool := range homes {
		if pool != "" {
			m.of[pool] = append(m.of[pool], nodes[i])
		}
	}
	return m
}

func primary(builtIn, custom []string) string {
	switch {
	case len(custom) > 1:
		return ""
	case slices.Contains(builtIn, "master"):
		return "master"
	case len(custom) == 1:
		return custom[0]
	case slices.Contains(builtIn, "arbiter"):
		return "arbiter"
	case len(builtIn) > 0:
		return builtIn[0]
	}
	return ""
}

// selector of a pool. An empty or a broken one matches nothing.
func selector(p Pool) labels.Selector {
	if p.Selector == nil || len(p.Selector.MatchLabels)+len(p.Selector.MatchExpressions) == 0 {
		return labels.Nothing()
	}
	s, err := metav1.LabelSelectorAsSelector(p.Selector)
	if err != nil {
		return labels.Nothing()
	}
	return s
}

// selectorKeys are the labels that decide in which pool a node is.
func selectorKeys(pools []Pool) map[string]bool {
	keys := map[string]bool{}
	for _, p := range pools {
		if p.Selector == nil {
			continue
		}
		for k := range p.Selector.MatchLabels {
			keys[k] = true
		}
		for _, e := range p.Selector.MatchExpressions {
			keys[e.Key] = true
		}
	}
	return keys
}
