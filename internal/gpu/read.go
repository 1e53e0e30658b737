package gpu

import (
	"context"
	"fmt"
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

// read takes the snapshot. With an error, the first of several, it holds what could be read all the same.
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
		failed := step(ctx, &s)
		if err == nil {
			err = failed
		}
		if failed != nil && ctx.Err() != nil {
			break
		}
	}
	return s, err
}

// optional turns into a note that a right is missing, and nothing else: the verdict rests on all that is read, so that an answer that makes
// no sense, or none, is an error. Every cluster has DaemonSets and pods; one that says that it does not is no cluster, or behind a proxy.
func (r reader) optional(ctx context.Context, err error, cost string) error {
	if err == nil || kube.IsForbidden(err) {
		return kube.Optional(ctx, err, r.note, cost)
	}
	return fmt.Errorf("%s: %w", cost, err)
}

// absent says that the cluster does not have what was asked for: a vendor's custom resources, ResourceSlices.
func absent(err error) bool { return kube.IsNotFound(err) || kube.IsNoSuchGroup(err) }

// namespacesOf are those in which the pods of DaemonSets are.
func namespacesOf(all []DaemonSet) []string {
	var out []string
	for _, d := range all {
		out = append(out, d.Namespace)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
