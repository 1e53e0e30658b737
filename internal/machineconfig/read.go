package machineconfig

import (
	"context"
	"fmt"

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

// optional turns the failure to read what the verdict can do without into a note that says what it costs: a right that is
// missing, or whatever else. The end of the run's time stands. What this release of OpenShift does not have is not even a note.
func (r reader) optional(ctx context.Context, err error, cost string) error {
	switch {
	case err == nil, kube.IsNotFound(err), kube.IsNoSuchGroup(err):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", cost, err)
	}
	r.note("%s: %v", cost, err)
	return nil
}
