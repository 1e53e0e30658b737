package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"overdue/internal/nomad"
)

// readServers reads the leader's view of the servers. Where that cannot be had, or tells of none, it counts them, which takes no
// right.
func (r reader) readServers(ctx context.Context, s *Snapshot) error {
	autopilot, err := r.client.Autopilot(ctx)
	if err == nil && len(autopilot.Servers) > 0 {
		s.Servers = reduceServers(autopilot)
		return nil
	}
	if err := r.optional(ctx, err, "how many servers may fail is not known"); err != nil {
		return err
	}
	n, peersErr := r.client.Peers(ctx)
	if peersErr != nil {
		return peersErr
	}
	s.Servers = &Servers{Count: n, Tolerance: (n - 1) / 2}
	switch {
	case err == nil:
		s.Servers.Mute, s.Servers.Unwell = !autopilot.Unexplained, autopilot.Unexplained
	case !nomad.IsForbidden(err):
		s.Servers.Unread = err.Error()
	}
	return nil
}

func reduceServers(a *nomad.Autopilot) *Servers {
	s := &Servers{Known: true, Tolerance: *a.FailureTolerance}
	for _, server := range a.Servers {
		if server.Healthy {
			s.Count++
			continue
		}
		s.Unhealthy = append(s.Unhealthy, fmt.Sprintf("%s (%s) is not healthy, gossip calls it %s", server.Name, server.Address, cmp.Or(server.SerfStatus, "unknown")))
		if s.Since.IsZero() || server.StableSince.Before(s.Since) {
			s.Since = server.StableSince
		}
	}
	if s.Since.Unix() <= 0 {
		s.Since = moment(0)
	}
	return s
}

// readBroker asks whether the broker is paused, where something waits that it may hold back: most often nothing does.
func (r reader) readBroker(ctx context.Context, s *Snapshot) error {
	if !r.mayBeHeldBack(s) {
		return nil
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

func (r reader) mayBeHeldBack(s *Snapshot) bool {
	return slices.ContainsFunc(*s.Pending, func(e Evaluation) bool { return !e.Due.After(r.now) }) ||
		slices.ContainsFunc(*s.Blocked, func(e Evaluation) bool {
			return e.replanned() || r.late(e.Created, r.limits.BlockedWarning, r.limits.BlockedCritical)
		}) ||
		slices.ContainsFunc(s.Jobs.Waiting, func(job Job) bool { return job.Verified && !job.Open && !job.Live })
}
