package gpu

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"overdue/internal/kube"
)

// reader asks the API. What it may not see but could do without becomes a note.
type reader struct {
	client *kube.Client
	note   func(format string, args ...any)
	params Params

	has, expected []labels.Selector // nodes that have GPUs, and that should have
	names         []string          // only these nodes
	namespaces    []string          // of the DaemonSets; none: found
	noPods        bool
}

// read takes the snapshot. With an error it holds what was known until then.
func (r reader) read(ctx context.Context) (Snapshot, error) {
	var s Snapshot
	var err error
	if s.Nodes, err = r.nodes(ctx); err != nil || len(s.Nodes) == 0 {
		return s, err
	}
	if len(r.names) == 0 {
		s.Unmatched = unmatched(r.expected, s.Nodes)
	}
	for _, step := range []func(context.Context, *Snapshot) error{r.daemonSets, r.policies, r.pods, r.slices} {
		if err := step(ctx, &s); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (r reader) optional(ctx context.Context, err error, cost string) error {
	return kube.Optional(ctx, err, r.note, cost)
}

// namespacesOf are those in which the pods of DaemonSets are.
func namespacesOf(all []DaemonSet) []string {
	var out []string
	for _, d := range all {
		out = append(out, d.Namespace)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
