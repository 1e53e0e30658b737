package machineconfig

import (
	"fmt"
	"slices"
	"strings"

	"overdue/internal/plugin"
)

// Target is what somebody is about to touch: a node, a pool or the cluster.
type Target struct{ Kind, Name string }

// The kinds of targets.
const (
	targetNode    = "node"
	targetPool    = "pool"
	targetCluster = "cluster"
)

func (t Target) String() string {
	if t.Name == "" {
		return t.Kind
	}
	return t.Kind + "/" + t.Name
}

// targetsValue is the flag --before-change. One value may name several targets, as `oc get nodes -o name` prints them.
type targetsValue struct{ list *[]Target }

func (v targetsValue) Set(s string) error {
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
	if len(words) == 0 {
		return fmt.Errorf("it names nothing; write NODE, pool/NAME or cluster")
	}
	for _, word := range words {
		t, err := parseTarget(word)
		if err != nil {
			return err
		}
		if !slices.Contains(*v.list, t) {
			*v.list = append(*v.list, t)
		}
	}
	return nil
}

func parseTarget(s string) (Target, error) {
	kind, name, ok := strings.Cut(s, "/")
	switch {
	case s == targetCluster:
		return Target{Kind: targetCluster}, nil
	case !ok:
		kind, name = targetNode, s
	case slices.Contains([]string{"nodes", "no"}, kind):
		kind = targetNode
	case slices.Contains([]string{"mcp", "machineconfigpool", "machineconfigpools"}, strings.TrimSuffix(kind, "."+group)):
		kind = targetPool
	}
	if name == "" || strings.Contains(name, "/") || (kind != targetNode && kind != targetPool) {
		return Target{}, fmt.Errorf("%q is no target; write NODE, pool/NAME or cluster", plugin.Clean(s))
	}
	return Target{Kind: kind, Name: name}, nil
}

func (v targetsValue) String() string {
	var out []string
	if v.list != nil {
		for _, t := range *v.list {
			out = append(out, t.String())
		}
	}
	return strings.Join(out, ", ")
}

func (targetsValue) Type() string { return "target" }
