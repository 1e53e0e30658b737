package machineconfig

import (
	"testing"
	"time"

	"overdue/internal/plugin"
)

func windows(t testing.TB, zone string, specs ...string) Windows {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	w := Windows{Zone: loc}
	for _, s := range specs {
		win, err := ParseWindow(s)
		if err != nil {
			t.Fatal(err)
		}
		w.List = append(w.List, win)
	}
	return w
}

func TestWindows(t *testing.T) {
	for _, r := range []struct {
		name, zone, window, now string
		outside                 bool
		next                    string // empty: not asked
	}{
		{"before", "UTC", "sat 22:00-sun 04:00", "2026-12-05T21:59:59Z", true, "2026-12-05T22:00:00Z"},
		{"opens", "UTC", "sat 22:00-sun 04:00", "2026-12-05T22:00:00Z", false, "2026-12-12T22:00:00Z"},
		{"over midnight", "UTC", "sat 22:00-sun 04:00", "2026-12-06T03:59:59Z", false, ""},
		{"closes", "UTC", "sat 22:00-sun 04:00", "2026-12-06T04:00:00Z", true, "2026-12-12T22:00:00Z"},
		{"daily, over midnight", "UTC", "22:00-04:00", "2026-12-02T01:00:00Z", false, "2026-12-02T22:00:00Z"},
		{"daily, at noon", "UTC", "22:00-04:00", "2026-12-02T12:00:00Z", true, "2026-12-02T22:00:00Z"},
		{"one day", "UTC", "Sunday 02:00-06:00", "2026-12-06T05:00:00Z", false, ""},
		{"one day without its name again, over midnight", "UTC", "sun 22:00-02:00", "2026-12-07T01:00:00Z", false, ""},
		{"till midnight", "UTC", "sat 20:00-24:00", "2026-12-05T23:59:00Z", false, ""},
		{"a whole week", "UTC", "mon 00:00-mon 00:00", "2026-12-03T12:00:00Z", false, ""},
		{"over the weekend", "UTC", "fri 18:00-mon 06:00", "2026-12-07T05:59:00Z", false, ""},
		{"Berlin is an hour ahead", "Europe/Berlin", "sat 22:00-sun 04:00", "2026-12-05T21:00:00Z", false, ""},
		// Berlin, 28 March 2027: 02:00 becomes 03:00. The window 22:00-04:00 is five hours long.
		{"spring forward, still open", "Europe/Berlin", "sat 22:00-sun 04:00", "2027-03-28T01:59:59Z", false, ""},
		{"spring forward, closed", "Europe/Berlin", "sat 22:00-sun 04:00", "2027-03-28T02:00:00Z", true, ""},
		// Berlin, 25 October 2026: 03:00 becomes 02:00. The window is seven hours long.
		{"fall back, in the second 02:30", "Europe/Berlin", "sat 22:00-sun 04:00", "2026-10-25T01:30:00Z", false, ""},
		{"fall back, still open", "Europe/Berlin", "sat 22:00-sun 04:00", "2026-10-25T02:59:59Z", false, ""},
		{"fall back, closed", "Europe/Berlin", "sat 22:00-sun 04:00", "2026-10-25T03:00:00Z", true, "2026-10-31T21:00:00Z"},
		// Santiago, 6 September 2026: midnight becomes 01:00.
		{"a midnight that does not exist", "America/Santiago", "sun 02:00-mon 04:00", "2026-09-07T03:30:00Z", false, ""},
		{"days before it", "America/Santiago", "sun 02:00-mon 04:00", "2026-09-03T04:30:00Z", true, "2026-09-06T05:00:00Z"},
		// A window that opens in the hour that does not exist opens when the clock jumps past it.
		{"opens in the hour that is skipped", "Europe/Berlin", "sun 02:30-sun 05:00", "2027-03-28T01:45:00Z", false, ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			w := windows(t, r.zone, r.window)
			now := at(t, r.now)
			if got := w.outside(now); got != r.outside {
				t.Errorf("outside is %v, want %v", got, r.outside)
			}
			if r.next != "" && !w.next(now).Equal(at(t, r.next)) {
				t.Errorf("next is %s, want %s", w.next(now).UTC(), r.next)
			}
		})
	}
}

// Windows that meet or overlap are one: what is in the second is in it since the first opened, and nothing closed between them.
func TestWindowsThatMeet(t *testing.T) {
	for _, r := range []struct {
		name         string
		specs        []string
		opened, next string
	}{
		{"they meet", []string{"sat 22:00-24:00", "sun 00:00-04:00"}, "2026-12-05T22:00:00Z", "2026-12-12T22:00:00Z"},
		{"they overlap", []string{"sun 01:00-04:00", "sat 22:00-sun 02:00"}, "2026-12-05T22:00:00Z", "2026-12-12T22:00:00Z"},
		{"one is within the other", []string{"sat 22:00-sun 06:00", "sun 01:00-02:00"}, "2026-12-05T22:00:00Z", "2026-12-12T22:00:00Z"},
		{"they do not meet", []string{"sat 22:00-23:00", "sun 00:00-04:00"}, "2026-12-06T00:00:00Z", "2026-12-12T22:00:00Z"},
	} {
		w, now := windows(t, "UTC", r.specs...), at(t, "2026-12-06T03:00:00Z")
		if got := w.openedAt(now); !got.Equal(at(t, r.opened)) {
			t.Errorf("%s: opened %s, want %s", r.name, got.UTC(), r.opened)
		}
		if got := w.lastClosed(now); !got.Before(at(t, r.opened)) {
			t.Errorf("%s: closed %s, within the window", r.name, got.UTC())
		}
		if got := w.next(now); !got.Equal(at(t, r.next)) {
			t.Errorf("%s: next is %s, want %s", r.name, got.UTC(), r.next)
		}
	}
}

func TestParseWindowRefuses(t *testing.T) {
	for _, s := range []string{"", "sat", "sat 22:00", "22:00", "xyz 22:00-04:00", "sat 25:00-sun 04:00", "sat 22:60-04:00", "24:00-04:00", "22:00-sun 04:00", "sat 22:00-xyz 04:00", "sat 22:00-sun 04:00 or so"} {
		if w, err := ParseWindow(s); err == nil {
			t.Errorf("%q was taken as %+v", s, w)
		}
	}
}

func FuzzParseWindow(f *testing.F) {
	f.Add("sat 22:00-sun 04:00")
	f.Add("22:00-04:00")
	f.Fuzz(func(t *testing.T, s string) {
		w, err := ParseWindow(s)
		if err != nil {
			return
		}
		for _, span := range (Windows{List: []Window{w}, Zone: time.UTC}).occurrences(noon) {
			if d := span.closes.Sub(span.opens); d <= 0 || d > 7*24*time.Hour {
				t.Fatalf("%q is open for %s", s, d)
			}
		}
	})
}

// 2 December 2026 is a Wednesday; the last window closed on Sunday at 04:00, the next opens on Saturday at 22:00.
func TestJudgeWindows(t *testing.T) {
	weekend := func(l *Limits) { l.Windows = windows(t, "UTC", "sat 22:00-sun 04:00") }
	since := func(d time.Duration) func(*Snapshot) {
		return worker(func(p *Pool) { p.Conditions[condUpdated] = Condition{Since: before(d)} })
	}
	paused := worker(func(p *Pool) { p.Paused, p.PausedBy = true, "kubectl-patch" })
	for _, r := range []row{
		{name: "a node in work outside the window", snapshot: fleet(12, since(80*time.Hour), on("w-01", draining(5*time.Minute))), limits: weekend, want: plugin.Critical,
			says: []string{"1 node in work outside every window: w-01", "¶ since 2026-12-02 11:55 UTC", "the last one closed 2026-11-29 04:00 UTC", "next window in 3d 10h", `{"spec":{"paused":true}}`}},
		{name: "a node in work inside it", snapshot: fleet(12, on("w-01", draining(5*time.Minute))), limits: func(l *Limits) { l.Windows = windows(t, "UTC", "wed 11:00-13:00") }, want: plugin.OK},
		{name: "the window ended with nodes left", snapshot: fleet(12, since(90*time.Hour), on("all", outdated), on("w-12", func(n *Node) { n.Current, n.Desired = newConfig, newConfig }), paused),
			limits: weekend, want: plugin.Warning, says: []string{"the window ended with 11 nodes left, next window in 3d 10h", "since 2026-11-29 04:00 UTC"}},
		{name: "paused until the window", snapshot: fleet(12, since(10*time.Hour), on("all", outdated), paused), limits: weekend, want: plugin.OK,
			says: []string{"paused until the window that opens in 3d 10h, 12 outdated nodes waiting"}},
		{name: "paused, and the window has opened a moment ago", snapshot: fleet(12, since(90*time.Hour), on("all", outdated), paused), limits: func(l *Limits) { l.Windows = windows(t, "UTC", "wed 11:59-13:00") }, want: plugin.OK},
		{name: "unpaused when the window opened", snapshot: fleet(12, since(90*time.Hour), on("all", outdated), worker(func(p *Pool) { p.PausedWritten = before(3 * time.Second) })),
			limits: func(l *Limits) { l.Windows = windows(t, "UTC", "wed 11:59-13:00") }, want: plugin.OK},
		{name: "not paused, blocked outside the window: an uncordon would reboot it now", snapshot: fleet(12, since(10*time.Hour), on("w-01", outdated, cordoned(90*time.Hour, "oc"))),
			limits: weekend, want: plugin.Critical, says: []string{"update blocked"}},
		{name: "nothing outstanding", snapshot: fleet(12, on("all", finished(time.Minute))), limits: weekend, want: plugin.OK, not: []string{"window"}},
	} {
		t.Run(r.name, r.check)
	}
}
