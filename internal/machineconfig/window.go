package machineconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a monitoring host may have no zone files

	"overdue/internal/plugin"
)

// Window is a maintenance window that comes back every week ("sat 22:00-sun 04:00") or every day ("22:00-04:00"), in local
// time: it opens and closes when the clock on the wall says so, also where daylight saving makes it longer or shorter.
type Window struct {
	text       string
	daily      bool
	day        time.Weekday
	days       int // from the day it opens to the day it closes
	from, till int // minutes of the day
}

// Windows are all windows of one time zone.
type Windows struct {
	List []Window
	Zone *time.Location
}

var windowSyntax = pattern(`^(?:([a-z]{3,9}) +)?(\d{1,2}):(\d{2}) *- *(?:([a-z]{3,9}) +)?(\d{1,2}):(\d{2})$`)

// ParseWindow reads "sat 22:00-sun 04:00", "sun 02:00-06:00" or "22:00-04:00"; 24:00 is the end of a day.
func ParseWindow(s string) (Window, error) {
	bad := func(why string) (Window, error) {
		return Window{}, fmt.Errorf("%s; write it as 'sat 22:00-sun 04:00', or '22:00-04:00' for every day", why)
	}
	m := windowSyntax().FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return bad(fmt.Sprintf("%q is no window", plugin.Clean(s)))
	}
	w := Window{text: m[0], daily: m[1] == ""}
	if w.daily && m[4] != "" {
		return bad("a window with a day to close on needs one to open on")
	}
	var ok bool
	if w.from, ok = minutes(m[2], m[3]); !ok || w.from == 24*60 {
		return bad(fmt.Sprintf("%s:%s is no time to open", m[2], m[3]))
	}
	if w.till, ok = minutes(m[5], m[6]); !ok {
		return bad(fmt.Sprintf("%s:%s is no time of day", m[5], m[6]))
	}
	if !w.daily {
		if w.day, ok = weekday(m[1]); !ok {
			return bad(fmt.Sprintf("%q is no day of the week", m[1]))
		}
	}
	if m[4] != "" {
		closes, ok := weekday(m[4])
		if !ok {
			return bad(fmt.Sprintf("%q is no day of the week", m[4]))
		}
		w.days = (int(closes) - int(w.day) + 7) % 7
		if w.days == 0 && w.till <= w.from {
			w.days = 7
		}
	} else if w.till <= w.from {
		w.days = 1
	}
	return w, nil
}

func minutes(hour, minute string) (int, bool) {
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	return h*60 + m, m < 60 && h*60+m <= 24*60
}

func weekday(s string) (time.Weekday, bool) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if full := strings.ToLower(d.String()); s == full || s == full[:3] {
			return d, true
		}
	}
	return 0, false
}

// span is one occurrence of a window.
type span struct{ opens, closes time.Time }

// around lists the times that are open from a good week before now to a good week after it, in order: occurrences that meet or
// overlap are one. Windows come back every week, so one that is longer than that never closes.
func (w Windows) around(now time.Time) []span {
	var out []span
	for _, s := range w.occurrences(now) {
		if last := len(out) - 1; last >= 0 && !s.opens.After(out[last].closes) {
			out[last].closes = later(out[last].closes, s.closes)
		} else {
			out = append(out, s)
		}
	}
	return out
}

func (s span) endless() bool { return s.closes.Sub(s.opens) > 8*24*time.Hour }

// occurrences lists them in the order in which they open.
func (w Windows) occurrences(now time.Time) []span {
	if len(w.List) == 0 {
		return nil
	}
	var out []span
	local := now.In(w.Zone)
	for day := -9; day <= 9; day++ {
		y, m, d := local.Date() // a day added to this very time could fall into an hour that is skipped
		d += day
		for _, win := range w.List {
			// Noon has the right weekday whatever daylight saving does at midnight.
			if win.daily || time.Date(y, m, d, 12, 0, 0, 0, w.Zone).Weekday() == win.day {
				out = append(out, span{time.Date(y, m, d, 0, win.from, 0, 0, w.Zone), time.Date(y, m, d+win.days, 0, win.till, 0, 0, w.Zone)})
			}
		}
	}
	slices.SortFunc(out, func(a, b span) int { return a.opens.Compare(b.opens) })
	return out
}

// openedAt is when the window opened that now is in; zero outside every window, or without any.
func (w Windows) openedAt(now time.Time) time.Time {
	for _, s := range w.around(now) {
		if !now.Before(s.opens) && now.Before(s.closes) {
			return s.opens
		}
	}
	return time.Time{}
}

// outside says that there are windows and now is in none.
func (w Windows) outside(now time.Time) bool { return len(w.List) > 0 && w.openedAt(now).IsZero() }

// next is when the next window opens.
func (w Windows) next(now time.Time) time.Time {
	for _, s := range w.around(now) {
		if s.opens.After(now) {
			return s.opens
		}
	}
	return time.Time{}
}

// lastClosed is when the last window before now closed.
func (w Windows) lastClosed(now time.Time) time.Time {
	var last time.Time
	for _, s := range w.around(now) {
		if !s.closes.After(now) {
			last = later(last, s.closes)
		}
	}
	return last
}

// waitsFor says when the next window opens, if an update that is outstanding since then has not had one yet.
func (w Windows) waitsFor(now, since time.Time) (next time.Time, ok bool) {
	if !w.outside(now) || since.IsZero() || since.Before(w.lastClosed(now)) {
		return time.Time{}, false
	}
	return w.next(now), true
}
