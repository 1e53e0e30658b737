package machineconfig

import (
	"context"

	"overdue/internal/kube"
)

// reader asks the API. What it may not see but could do without becomes a note.
type reader struct {
	client *kube.Client
	note   func(format string, args ...any)
}

// read takes the snapshot: one request if every pool that was asked for is clean, else the nodes too, and then what helps to
// say why. always reads the nodes in any case.
func (r reader) read(ctx context.Context, selected func(pool string) bool, always bool) (Snapshot, error) {
	pools, err := readPools(ctx, r.client)
	if kube.IsNoSuchGroup(err) {
		return Snapshot{}, nil // not OpenShift: no pools
	}
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{Pools: pools}
	var unclean []Pool
	for _, p := range pools {
		if selected(p.Name) && (always || !p.clean()) {
			unclean = append(unclean, p)
		}
	}
	if len(unclean) == 0 {
		return s, nil
	}
	if s.Nodes, err = readNodes(ctx, r.client, selectorKeys(pools)); err != nil {
		return s, err
	}
	s.NodesRead = true
	return s, r.lookCloser(ctx, &s, unclean)
}

// optional says whether the reading goes on without what could not be read: kube.Optional.
func (r reader) optional(ctx context.Context, err error, cost string) error {
	return kube.Optional(ctx, err, r.note, cost)
}
