package machineconfig

import "overdue/internal/plugin"

// points of performance data for each pool. Counts add up over pools, times do not.
var points = []struct {
	label string
	time  bool
}{
	{label: "machines"}, {label: "ready"}, {label: "updated"}, {label: "unavailable"}, {label: "degraded"}, {label: "outdated"},
	{label: "pending", time: true}, {label: "in_work", time: true}, {label: "outstanding", time: true},
}

// mostPools is how many pools have performance data of their own; Icinga wants fewer than 100 points in all. With more pools
// there is one set for all of them: sums of the counts, the longest of the times.
const mostPools = 11

// values of one pool, in the order of points.
func (j *judgement) values() []float64 {
	p := j.pool
	machines, ready, updated, unavailable, degraded := p.Machines, p.Ready, p.Updated, p.Unavailable, p.Degraded
	if j.nodesRead {
		r := j.rollout
		machines, updated, unavailable = len(r.nodes), len(r.updated), r.unavailable()
		ready, degraded = r.counts()
	}
	stalled, _ := j.stalled()
	outstanding, _ := j.pending()
	var inWork float64
	for _, n := range j.rollout.working {
		inWork = max(inWork, j.age(j.workSince(n).Time).Seconds())
	}
	return []float64{float64(machines), float64(ready), float64(updated), float64(unavailable), float64(degraded),
		float64(j.outdated()), stalled.Seconds(), inWork, outstanding.Seconds()}
}

// metrics puts the values of all pools into performance data. Labels depend on the pools' names alone.
func metrics(judged []Pool, values [][]float64, l Limits) []plugin.Metric {
	var pools []string
	for _, p := range judged {
		pools = append(pools, p.Name)
	}
	if len(pools) > mostPools {
		total := make([]float64, len(points))
		for _, v := range values {
			for i := range v {
				if points[i].time {
					total[i] = max(total[i], v[i])
				} else {
					total[i] += v[i]
				}
			}
		}
		pools, values = []string{"all"}, [][]float64{total}
	}
	var out []plugin.Metric
	for i, pool := range pools {
		for k, point := range points {
			m := plugin.Metric{Label: pool + "_" + point.label, Value: values[i][k]}
			if point.time {
				m.Unit = "s"
			}
			switch point.label {
			case "pending":
				m.Warning, m.Critical = &l.PendingWarning, &l.PendingCritical
			case "in_work":
				m.Warning, m.Critical = &l.NodeWarning, &l.NodeCritical
			case "outstanding":
				m.Critical = &l.TotalCritical
			}
			out = append(out, m)
		}
	}
	return out
}
