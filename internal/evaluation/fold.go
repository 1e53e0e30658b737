package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// group is what belongs to one job, or to the children of one.
type group[T any] struct {
	job    JobID // a dispatched or periodic child's parent
	n      int
	oldest T
	since  time.Time // of the oldest; zero if unknown
}

// fold puts items of a kind together by job, the oldest first: ten thousand children of one job are one line.
func fold[T any](items []T, of func(T) (JobID, time.Time)) []group[T] {
	at := map[JobID]int{}
	var groups []group[T]
	for _, item := range items {
		id, since := of(item)
		parent := id.parent()
		i, known := at[parent]
		if !known {
			i = len(groups)
			at[parent] = i
			groups = append(groups, group[T]{job: parent, oldest: item, since: since})
		}
		g := &groups[i]
		g.n++
		if since.Before(g.since) {
			g.oldest, g.since = item, since
		}
	}
	slices.SortStableFunc(groups, func(a, b group[T]) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.job.Namespace, b.job.Namespace), cmp.Compare(a.job.Job, b.job.Job))
	})
	return groups
}

// maxDetails bounds the lines of one finding: the frame shows fewer still unless it is asked for all.
const maxDetails = 200

// details words groups, a line each.
func details[T any](groups []group[T], now time.Time, noun string, tell func(T) string) []string {
	if len(groups) == 1 && groups[0].n == 1 {
		return nil // the finding tells it all
	}
	var lines []string
	for i, g := range groups {
		if i == maxDetails {
			return append(lines, fmt.Sprintf("and of %s more", plugin.Count(len(groups)-i, "job")))
		}
		line := g.job.String() + ": " + plugin.Count(g.n, noun)
		if !g.since.IsZero() {
			line += ", oldest " + plugin.Age(now.Sub(g.since))
		}
		if told := tell(g.oldest); told != "" {
			line += ": " + told
		}
		lines = append(lines, line)
	}
	return lines
}

// within tells how many jobs something is spread over: " of 3 jobs".
func within[T any](groups []group[T]) string {
	if len(groups) == 1 {
		return ""
	}
	return " of " + plugin.Count(len(groups), "job")
}
