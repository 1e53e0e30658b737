package resync

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestHandlerFuture holds that a record from the future forbids for one cooldown from when it is seen.
func TestHandlerFuture(t *testing.T) {
	b := newBench(t)
	r := ago(-24*time.Hour, Helped)
	r.Boot = "another"
	if err := b.store.write("environment-29", r); err != nil {
		t.Fatal(err)
	}
	if r, _ := b.again(0); r.Action != Refuse || !strings.Contains(r.Reason, "in the future") {
		t.Fatalf("seen first: %+v", r)
	}
	if r, _ := b.again(29 * time.Minute); r.Action != Refuse {
		t.Errorf("29 minutes later: %+v", r)
	}
	if r, _ := b.again(time.Minute); !r.Helped {
		t.Errorf("30 minutes later: %+v", r)
	}
}

// TestHandlerFutureArrives holds that a record from the future does not count anew when this host's clock has reached its time.
func TestHandlerFutureArrives(t *testing.T) {
	b := newBench(t)
	r := ago(-25*time.Minute, Helped)
	r.Boot, r.Host = "another", "mon9"
	b.write(t, "environment-29", r)
	for _, later := range []time.Duration{0, 20 * time.Minute, 9 * time.Minute} {
		if r, _ := b.again(later); r.Action != Refuse || !strings.Contains(r.Remedy, "from 2026-12-03 12:30 UTC on it may act") {
			t.Errorf("%s later: %+v", later, r)
		}
	}
	if r, _ := b.again(time.Minute); !r.Helped {
		t.Errorf("half an hour after it was seen first: %+v", r)
	}
}

// TestHandlerFutureOfAWrongClock holds that a host whose clock was years behind when it met a record does not take it for old once it
// has booted with the right one.
func TestHandlerFutureOfAWrongClock(t *testing.T) {
	b := newBench(t)
	r := ago(0, Helped)
	r.Boot, r.Host = "another", "mon9"
	b.write(t, "environment-29", r)
	b.now = Moment{Wall: noon.Wall.AddDate(-6, 0, 0), Host: noon.Host, Boot: "one", Uptime: time.Minute}
	if r, _ := b.again(0); r.Action != Refuse || !strings.Contains(r.Reason, "in the future") {
		t.Fatalf("%+v", r)
	}
	b.now = Moment{Wall: noon.Wall, Host: noon.Host, Boot: "two", Uptime: time.Second}
	if r, _ := b.again(5 * time.Minute); r.Action != Refuse || !strings.Contains(r.Reason, "5m ago") {
		t.Errorf("5 minutes after the resync: %+v", r)
	}
}

// TestHandlerClocks holds that of hosts that share the directory, and whose clocks differ, none doubles a resync because another
// one looked.
func TestHandlerClocks(t *testing.T) {
	ahead := newBench(t)
	ahead.now.Wall = noon.Wall.Add(time.Hour)
	if r, err := ahead.run(context.Background()); err != nil || !r.Acted {
		t.Fatalf("%+v, %v", r, err)
	}
	written := ahead.record(t).Stamp
	var others []*bench
	for i, clock := range []time.Duration{0, -time.Hour} { // each earlier than the one before
		b := newBench(t)
		b.store, b.host, b.directory = ahead.store, fmt.Sprint("other", i), ahead.directory
		b.now = Moment{Wall: noon.Wall.Add(clock), Host: b.host, Boot: b.host, Uptime: time.Hour}
		others = append(others, b)
	}
	for minute := 1; minute < 30; minute++ {
		for _, b := range append(others, ahead) {
			b.pools[29] = Pool{Size: 4}
			if r, err := b.again(time.Minute); err != nil || r.Acted || b.puts() != 0 {
				t.Fatalf("%s after %d minutes: %+v, %v", b.host, minute, r, err)
			}
		}
	}
	if r := ahead.record(t); r.Stamp != written || r.Host != "mon1" {
		t.Errorf("the writer's stamp is replaced: %+v", r)
	}
	last := others[1]
	if r, err := last.again(2 * time.Minute); err != nil || !r.Acted {
		t.Errorf("half an hour after it was first seen: %+v, %v", r, err)
	}
}

// TestHandlerClockAhead holds that a host whose clock is ahead of the writer's by more than the cooldown heeds the clock of the
// directory, which both share.
func TestHandlerClockAhead(t *testing.T) {
	writer := newBench(t)
	if r, err := writer.run(context.Background()); err != nil || !r.Acted {
		t.Fatalf("%+v, %v", r, err)
	}
	ahead := newBench(t)
	ahead.store, ahead.host = writer.store, "ahead"
	ahead.now = Moment{Wall: writer.now.Wall.Add(32 * time.Minute), Host: "ahead", Boot: "ahead", Uptime: time.Hour}
	ahead.directory = func() time.Time { return ahead.now.Wall.Add(-32 * time.Minute) }
	for minute := 1; minute < 30; minute++ {
		if r, err := ahead.again(time.Minute); err != nil || r.Action != Refuse || ahead.puts() != 0 ||
			!strings.Contains(r.Reason, fmt.Sprintf("by the clock of mon1, %dm", minute)) {
			t.Fatalf("%d minutes after the resync: %+v, %v", minute, r, err)
		}
	}
	if r, err := ahead.again(time.Minute); err != nil || !r.Acted {
		t.Errorf("half an hour after it: %+v, %v", r, err)
	}
}

// TestHandlerUptimeOfAnother holds that containers, which share the boot's name and have uptimes of their own, compare the wall clock.
func TestHandlerUptimeOfAnother(t *testing.T) {
	b := newBench(t)
	r := Record{Action: doResync, Outcome: Helped, Host: "ct2", PID: 7}
	r.stamp(Moment{Wall: noon.Wall.Add(-time.Minute), Boot: noon.Boot, Uptime: time.Hour})
	if err := b.store.write("environment-29", r); err != nil {
		t.Fatal(err)
	}
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "1m ago") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestHandlerFutureRestart holds that a restart that another run is just writing down is not overwritten by an older one.
func TestHandlerFutureRestart(t *testing.T) {
	b := newBench(t)
	old := ago(-24*time.Hour, Helped)
	old.Action, old.Boot = doRestart, "another"
	if err := b.store.write(restartKey, old); err != nil {
		t.Fatal(err)
	}
	unlock, err := b.store.lock(restartKey, holder{"mon2", 8, noon.Wall})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = b.run(context.Background())
	if r, err := b.store.read(restartKey); err != nil || len(r.Seen) != 0 {
		t.Errorf("written beside its lock: %+v, %v", r, err)
	}
	unlock()
	_, _ = b.again(time.Hour)
	if r, err := b.store.read(restartKey); err != nil || len(r.Seen) != 1 || !reflect.DeepEqual(r.Stamp, old.Stamp) {
		t.Errorf("not seen: %+v, %v", r, err)
	}
}
