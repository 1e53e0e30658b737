package evaluation

import (
	"strings"
	"time"

	"overdue/internal/plugin"
)

// allocations judges those that were placed, should run and have not begun.
func (j *judgement) allocations() {
	if j.snapshot.Allocations == nil {
		return
	}
	var late, ageless []Allocation
	state := plugin.OK
	j.points[allocationsAge] = 0
	for _, a := range *j.snapshot.Allocations {
		if a.Created.IsZero() {
			ageless = append(ageless, a)
			continue
		}
		age := j.age(a.Created)
		j.points[allocationsAge] = max(j.points[allocationsAge], age.Seconds())
		if graded := grade(age, j.limits.AllocWarning, j.limits.AllocCritical); graded != plugin.OK {
			state = worse(state, graded)
			late = append(late, a)
		}
	}
	j.points[allocationsPending] = float64(len(*j.snapshot.Allocations))
	j.points[allocationsLate] = float64(len(late) + len(ageless))
	j.tellAgelessAllocations(ageless)
	if len(late) == 0 {
		return
	}
	groups := fold(late, func(a Allocation) (JobID, time.Time) { return a.JobID, a.Created })
	oldest := groups[0].oldest
	f := plugin.Finding{State: state, Subject: "allocations", Since: oldest.Created,
		Problem: plugin.Count(len(late), "allocation") + within(groups) + " placed but not started" + onNode(late), Cause: "the oldest is of " + oldest.parent().String() + ", " + place(oldest),
		Consequence: "its tasks do not run",
		Remedy:      j.command("alloc status", oldest.JobID, short(oldest.ID)) + "; see that node's log",
		Details:     details(groups, j.now, "allocation", place)}
	if len(groups) == 1 {
		f.Subject = groups[0].job.String()
	}
	if len(late) == 1 {
		f.Subject, f.Cause = oldest.String(), place(oldest)
	}
	j.add(f)
}

// tellAgelessAllocations: Nomad has written the time of creation since 0.9.5, so an allocation without has not begun since before.
func (j *judgement) tellAgelessAllocations(ageless []Allocation) {
	if len(ageless) == 0 {
		return
	}
	groups := fold(ageless, func(a Allocation) (JobID, time.Time) { return a.JobID, a.Created })
	oldest := groups[0].oldest
	j.add(plugin.Finding{State: plugin.Warning, Subject: oldest.String(),
		Problem: plugin.Count(len(ageless), "allocation") + within(groups) + " placed but not started, age unknown",
		Cause:   "the server tells no time of creation", Consequence: "its tasks do not run",
		Remedy:  j.command("alloc status", oldest.JobID, short(oldest.ID)) + "; see that node's log",
		Details: details(groups, j.now, "allocation", place)})
}

// onNode names the node if all are on one: then the node is the cause, not the jobs.
func onNode(allocations []Allocation) string {
	first := allocations[0].Node
	for _, a := range allocations {
		if a.Node != first {
			return ""
		}
	}
	if first == "" || len(allocations) == 1 {
		return ""
	}
	return ", all on node " + first
}

// place tells where an allocation is and how far.
func place(a Allocation) string {
	parts := []string{"group " + a.Group}
	if a.isChild() {
		parts[0] += " of " + a.JobID.String()
	}
	if a.Node != "" {
		parts[0] += " on node " + a.Node
	}
	switch {
	case a.Tasks != "":
		parts = append(parts, a.Tasks)
	case a.Description != "":
		parts = append(parts, a.Description)
	}
	return strings.Join(parts, ": ")
}
