package gpu

import (
	"fmt"
	"time"

	"overdue/internal/plugin"
)

// moment is a time at which something began, or by which it had begun.
type moment struct {
	time.Time
	exact bool
}

// age words a time of which it is known only that it is the latest possible: "for at least 3d 2h (since …)".
func (j *judgement) age(m moment) string {
	if m.IsZero() {
		return ""
	}
	least := "at least "
	if m.exact {
		least = ""
	}
	return fmt.Sprintf("for %s%s (since %s)", least, plugin.Age(j.now.Sub(m.Time)), plugin.Moment(m.Time))
}

func latest(times ...time.Time) moment {
	var m moment
	for _, t := range times {
		if t.After(m.Time) {
			m.Time = t
		}
	}
	return m
}

func epoch(text string) time.Time {
	var seconds int64
	if _, err := fmt.Sscanf(text, "%d", &seconds); err != nil || seconds <= 0 || seconds > 1<<40 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}
