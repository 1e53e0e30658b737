package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
)

func (r reader) readAllocations(ctx context.Context, s *Snapshot) error {
	allocations, err := nomad.PendingAllocations(ctx, r.client, r.where(), func(a *nomad.Allocation) (Allocation, bool) {
		reduced := Allocation{JobID: JobID{a.Namespace, a.JobID}, ID: a.ID, Group: a.TaskGroup, Node: cmp.Or(a.NodeName, a.NodeID),
			Description: a.ClientDescription, Created: moment(a.CreateTime)}
		return reduced, r.jobs.selects(reduced.JobID)
	})
	if err != nil {
		return err
	}
	s.Allocations = &allocations
	slices.SortStableFunc(allocations, func(a, b Allocation) int { return a.Created.Compare(b.Created) })
	for i := range allocations[:min(closest, len(allocations))] {
		a := &allocations[i]
		if a.Created.IsZero() || !r.late(a.Created, r.limits.AllocWarning, r.limits.AllocCritical) {
			continue
		}
		tasks, err := r.client.AllocationTasks(ctx, a.Namespace, a.ID)
		if err = r.optional(ctx, err, "how far the tasks of an allocation are is not known"); err != nil {
			return err
		}
		a.Tasks = progress(tasks, r.now)
	}
	return nil
}

// progress tells of each task that has not begun what was done for it last: a prestart task that others wait for tells it too.
func progress(tasks map[string]nomad.TaskState, now time.Time) string {
	var names, texts []string
	for name := range tasks {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t := tasks[name]
		text := fmt.Sprintf("task %s %s", name, t.State)
		if n := len(t.Events); n > 0 && t.State != "dead" {
			last := t.Events[n-1]
			text += ": " + cmp.Or(last.DisplayMessage, last.Type)
			if at := moment(last.Time); !at.IsZero() {
				text += " " + plugin.Age(now.Sub(at)) + " ago"
			}
		}
		texts = append(texts, text)
	}
	return plugin.List(texts)
}
