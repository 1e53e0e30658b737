package evaluation

import (
	"context"
	"fmt"

	"overdue/internal/nomad"
)

// readServers reads the leader's view of the servers. Without operator read it counts them, which takes no right.
func (r reader) readServers(ctx context.Context, s *Snapshot) error {
	autopilot, err := r.client.Autopilot(ctx)
	if nomad.IsForbidden(err) {
		r.note("how many servers may fail is not known: %v", err)
		n, err := r.client.Peers(ctx)
		if err != nil {
			return err
		}
		s.Servers = &Servers{CountOnly: true, Count: n}
		return nil
	}
	if err != nil {
		return err
	}
	s.Servers = reduceServers(autopilot)
	return nil
}

func reduceServers(a *nomad.Autopilot) *Servers {
	s := &Servers{Known: len(a.Servers) > 0, Tolerance: *a.FailureTolerance}
	for _, server := range a.Servers {
		if server.Healthy {
			s.Count++
			continue
		}
		s.Unhealthy = append(s.Unhealthy, fmt.Sprintf("%s (%s) is not healthy, gossip calls it %s", server.Name, server.Address, either(server.SerfStatus, "unknown")))
		if s.Since.IsZero() || server.StableSince.Before(s.Since) {
			s.Since = server.StableSince
		}
	}
	if s.Since.Unix() <= 0 {
		s.Since = moment(0)
	}
	return s
}

// readBroker asks whether the broker is paused, where an evaluation is due and still pending: most often there is none.
func (r reader) readBroker(ctx context.Context, s *Snapshot) error {
	for _, e := range *s.Pending {
		if e.Due.After(r.now) {
			continue
		}
		paused, err := r.client.BrokerPaused(ctx)
		if err != nil {
			return r.optional(ctx, err, "whether the evaluation broker is paused is not known")
		}
		s.Broker = BrokerRunning
		if paused {
			s.Broker = BrokerPaused
		}
		return nil
	}
	return nil
}
