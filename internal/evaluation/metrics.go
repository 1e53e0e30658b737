package evaluation

import (
	"math"

	"overdue/internal/plugin"
)

// The points of performance data, in their order.
const (
	evaluationsPending = iota
	evaluationsBlocked
	evaluationsOverdue
	evaluationsBlockedLong
	evaluationsFailed
	pendingAge
	blockedAge
	allocationsPending
	allocationsLate
	allocationsAge
	jobsLost
	jobsLostAge
	jobsUnverified
	serversCount
	serversSilent
	failureTolerance
	pointCount
)

var labels = [pointCount]string{
	evaluationsPending: "evaluations_pending", evaluationsBlocked: "evaluations_blocked", evaluationsOverdue: "evaluations_overdue",
	evaluationsBlockedLong: "evaluations_blocked_long", evaluationsFailed: "evaluations_failed",
	pendingAge: "evaluations_pending_oldest", blockedAge: "evaluations_blocked_oldest",
	allocationsPending: "allocations_pending", allocationsLate: "allocations_late", allocationsAge: "allocations_pending_oldest",
	jobsLost: "jobs_lost", jobsLostAge: "jobs_lost_oldest", jobsUnverified: "jobs_unverified",
	serversCount: "servers", serversSilent: "servers_silent", failureTolerance: "failure_tolerance",
}

// points are the values of one run; NaN, printed as U, is what was not read.
type points [pointCount]float64

func unknownPoints() (p points) {
	for i := range p {
		p[i] = math.NaN()
	}
	return p
}

func (p points) metrics(l Limits) []plugin.Metric {
	var out []plugin.Metric
	for i, label := range labels {
		m := plugin.Metric{Label: label, Value: p[i]}
		switch i {
		case pendingAge, jobsLostAge:
			m.Unit, m.Warning, m.Critical = "s", &l.Warning, &l.Critical
		case blockedAge:
			m.Unit, m.Warning, m.Critical = "s", &l.BlockedWarning, &l.BlockedCritical
		case allocationsAge:
			m.Unit, m.Warning, m.Critical = "s", &l.AllocWarning, &l.AllocCritical
		}
		out = append(out, m)
	}
	return out
}
