package resync

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
	"overdue/internal/prewarm"
)

func TestHandlerRefills(t *testing.T) {
	b := newBench(t)
	r, err := b.run(context.Background())
	if err != nil || !r.Acted || !r.Helped {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, want := b.finding(r).Subject+": "+r.change(), "resync 29 at 12:00 UTC: idle 0/4 → 4/4 in 4 s, 2 used runners ended"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	want := []string{"statistics", "nomad", "get", "get", "nomad", "statistics", "put 29 as it came", "statistics", "statistics", "statistics"}
	if !slices.Equal(b.asks, want) {
		t.Errorf("asks %q, want %q", b.asks, want)
	}
	if r := b.record(t); r.Outcome != Helped || r.Before.Used != 2 || r.After.Idle != 4 || r.PID != 7 {
		t.Errorf("remembers %+v", r)
	}
	if r, err := b.again(10 * time.Minute); err != nil || r.Action != Refuse || len(b.asks) != 0 {
		t.Errorf("10 minutes later: %+v, %v, asked %q", r, err, b.asks)
	}
}

// TestHandlerDidNotHelp holds that what did not help is not repeated until the service recovers.
func TestHandlerDidNotHelp(t *testing.T) {
	b := newBench(t)
	b.onPause = func() {}
	r, err := b.run(context.Background())
	if err != nil || !r.Acted || r.Helped || r.state() != plugin.Critical || r.Took != b.settle {
		t.Fatalf("%+v, %v", r, err)
	}
	if f := b.finding(r); !strings.Contains(f.Problem, "did not help: idle 0/4 → 0/4 after 20 s") || !strings.Contains(f.Remedy, "restart Poseidon") {
		t.Errorf("says %+v", f)
	}
	if r, _ := b.again(24 * time.Hour); r.Action != Refuse || !strings.Contains(r.Reason, "did not help") || b.puts() != 0 {
		t.Errorf("a day later: %+v", r)
	}
	b.facts.Call.State = plugin.OK
	if r, _ := b.again(0); r.Action != Nothing || !strings.Contains(r.Note, "marker of 2026-12-03 12:00 UTC is cleared") {
		t.Errorf("recovery: %+v", r)
	}
	b.facts.Call.State = plugin.Critical
	if r, _ := b.again(0); r.Action != Resync || b.puts() != 1 {
		t.Errorf("the next incident: %+v", r)
	}
}

// TestHandlerMarkerOfAnEarlierIncident holds that a SOFT state before --on tells of a recovery whose call was missed: another node
// of the zone had it, or Icinga was down. A resync by hand within the same incident is younger than --cooldown.
func TestHandlerMarkerOfAnEarlierIncident(t *testing.T) {
	call := func(attempt int) Call { return Call{State: plugin.Critical, Attempt: attempt} }
	for name, row := range map[string]struct {
		call    Call
		age     time.Duration
		dry     bool
		cleared bool
	}{
		"the next incident":           {call(1), 24 * time.Hour, false, true},
		"just before it acts":         {call(5), 24 * time.Hour, false, true},
		"when it acts":                {call(6), 24 * time.Hour, false, false},
		"HARD":                        {Call{State: plugin.Critical, Hard: true, Attempt: 1}, 24 * time.Hour, false, false},
		"by hand in this incident":    {call(3), 29 * time.Minute, false, false},
		"the node that is not to act": {Call{State: plugin.Critical, Attempt: 1, Skip: true}, 24 * time.Hour, false, false},
		"a person":                    {Call{ByHand: true}, 24 * time.Hour, false, false},
		"a dry run":                   {call(1), 24 * time.Hour, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.write(t, "environment-29", ago(row.age, DidNotHelp))
			b.facts.Call, b.dry = row.call, row.dry
			r, err := b.run(context.Background())
			if err != nil || b.puts() != 0 {
				t.Fatalf("%+v, %v, asked %q", r, err, b.asks)
			}
			if cleared := b.record(t).Outcome == Cleared; cleared != row.cleared || cleared != strings.Contains(r.Note, "is cleared") {
				t.Errorf("cleared: %t, note %q", cleared, r.Note)
			}
		})
	}
}

// TestHandlerRecoveryWhileAtWork holds that a recovery which cannot clear the marker, as that is yet to come, is told as such.
func TestHandlerRecoveryWhileAtWork(t *testing.T) {
	b := newBench(t)
	looks := 0
	b.onPause = func() {
		if looks++; looks != 3 { // it looks at the pool
			return
		}
		other := newBench(t)
		other.store, other.facts.Call.State = b.store, plugin.OK
		if r, err := other.run(t.Context()); err != nil || r.Action != Nothing || !strings.Contains(r.Note, "its marker stays although the service is OK, and --force by hand passes over it: another run holds the lock") {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if r, err := b.run(t.Context()); err != nil || !r.Acted || looks < 3 {
		t.Errorf("%+v, %v", r, err)
	}
	b.write(t, "environment-29", ago(time.Minute, Begun)) // whoever began it was killed
	b.facts.Call.State = plugin.OK
	if r, err := b.again(0); err != nil || r.Note != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestHandlerForce(t *testing.T) {
	b := newBench(t)
	if err := b.store.write("environment-29", ago(time.Hour, DidNotHelp)); err != nil {
		t.Fatal(err)
	}
	b.rules.Force = true
	if r, err := b.run(context.Background()); err != nil || !r.Helped {
		t.Fatalf("%+v, %v", r, err)
	}
	b.rules.Force = false
	if r := b.record(t); r.Outcome != Helped {
		t.Errorf("the marker is still there: %+v", r)
	}
}

// TestHandlerRecordsFirst holds that whoever is killed at any point leaves a record that counts, and that there is no PUT
// without one.
func TestHandlerRecordsFirst(t *testing.T) {
	b := newBench(t)
	b.onPut = func() error {
		if r := b.record(t); r.Outcome != Begun || r.Host != "mon1" {
			t.Errorf("at the PUT the record is %+v", r)
		}
		panic("killed")
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = b.run(context.Background())
	}()
	if r, _ := b.again(time.Minute); r.Action != Refuse || !strings.Contains(r.Reason, "began a resync") {
		t.Errorf("a minute later: %+v", r)
	}
	b.onPut = func() error { b.pools[29] = Pool{Idle: 4, Size: 4}; return nil }
	if r, err := b.again(30 * time.Minute); err != nil || !r.Helped {
		t.Errorf("half an hour later: %+v, %v", r, err)
	}
}

func TestHandlerNoRecordNoPut(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root may write everywhere: the directory is taken away instead")
	}
	b := newBench(t)
	b.nomad = func(context.Context) *prewarm.Nomad {
		if err := os.RemoveAll(b.store.dir); err != nil {
			t.Fatal(err)
		}
		return nomadRuns(0, 0)
	}
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || b.puts() != 0 {
		t.Errorf("%+v, %v, asked %q", r, err, b.asks)
	}
}

// TestHandlerLooksAgain holds that what changes between the first look and the PUT is heeded.
func TestHandlerLooksAgain(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*bench)
		want   Action
		says   string
	}{
		"recovered":                    {func(b *bench) { b.pools[29] = Pool{Idle: 4, Size: 4} }, Nothing, "recovered"},
		"another is low":               {func(b *bench) { b.pools[10] = Pool{Size: 4} }, Refuse, "2 of 2"},
		"a runner came":                {func(b *bench) { b.pools[29] = Pool{Idle: 1, Used: 2, Size: 4} }, Refuse, "used runners"},
		"it is gone":                   {func(b *bench) { delete(b.pools, 29) }, Refuse, "does not know"},
		"size changed (poseidon#716)":  {func(b *bench) { b.pools[29] = Pool{Size: 6} }, Refuse, "moves: idle 0/4 → 0/6"},
		"another image (poseidon#716)": {func(b *bench) { b.environment.Body = []byte("as CodeOcean saved it") }, Refuse, "somebody changes the environment"},
		"unknown to the other route":   {func(b *bench) { b.getErr = &poseidon.Error{Status: 404, Unknown: true} }, Refuse, "does not know"},
		"Nomad runs one": {func(b *bench) {
			b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(1, 0) }
		}, Refuse, "lost in Poseidon's memory"},
		"Nomad starts one": {func(b *bench) {
			b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(0, 1) }
		}, Refuse, "Nomad is starting 1"},
		"Nomad's leader is gone": {func(b *bench) {
			b.nomad = func(context.Context) *prewarm.Nomad { return troubled("no leader") }
		}, Refuse, "no leader"},
		"claimed meanwhile":         {func(b *bench) { b.pools[29] = Pool{Used: 7, Size: 4} }, Refuse, "moves: 2 used runners, and 7 at the second look"},
		"used ones ended meanwhile": {func(b *bench) { b.pools[29] = Pool{Used: 1, Size: 4} }, Resync, "it ends 1 used runner"},
		"all as before":             {func(*bench) {}, Resync, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.onPause = func() { row.change(b) }
			r, err := b.run(context.Background())
			if err != nil || r.Action != row.want || !strings.Contains(r.Reason, row.says) {
				t.Errorf("%+v, %v; want %d because %q", r, err, row.want, row.says)
			}
			if acted := row.want == Resync; acted != (b.puts() > 0) || acted != b.record(t).exists() {
				t.Errorf("acted: asked %q", b.asks)
			}
		})
	}
}

// TestHandlerFailedPut holds that a PUT that failed counts, as it may have ended runners, and that the pool decides whether
// it helped.
func TestHandlerFailedPut(t *testing.T) {
	b := newBench(t)
	b.onPut = func() error { return errors.New("500 job not found") }
	b.onPause = func() {}
	r, err := b.run(context.Background())
	if err != nil || r.Helped || b.record(t).Outcome != DidNotHelp || !strings.Contains(b.finding(r).Cause, "job not found") {
		t.Errorf("%+v, %v", r, err)
	}
	b = newBench(t)
	b.onPut = func() error {
		b.pools[29] = Pool{Idle: 2, Size: 4}
		return context.DeadlineExceeded
	}
	if r, err := b.run(context.Background()); err != nil || !r.Helped {
		t.Errorf("Poseidon went on by itself: %+v, %v", r, err)
	}
}

func TestHandlerDryRun(t *testing.T) {
	b := newBench(t)
	b.dry = true
	r, err := b.run(context.Background())
	if err != nil || r.Action != Resync || r.Acted || !strings.Contains(b.finding(r).Problem, "would resync: 0/4 runners are idle, and it ends 2 used runners") {
		t.Errorf("%+v, %v", r, err)
	}
	if entries, _ := os.ReadDir(b.store.dir); len(entries) != 0 || b.puts() != 0 {
		t.Errorf("left %v, asked %q", entries, b.asks)
	}
	unlock, err := b.store.lock("environment-29", holder{"mon2", 8, noon.Wall})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if r, _ := b.again(0); r.Action != Refuse || !strings.Contains(r.Reason, "mon2") {
		t.Errorf("beside a real run: %+v", r)
	}
}

// TestHandlerDryRunRemembers holds that a dry run changes no record: it neither clears the marker nor notes a future one, and is not
// logged as a run that acted.
func TestHandlerDryRunRemembers(t *testing.T) {
	marker, future := ago(time.Hour, DidNotHelp), ago(-24*time.Hour, Helped)
	future.Boot = "another"
	for name, row := range map[string]struct {
		record Record
		state  plugin.State
	}{"marker at recovery": {marker, plugin.OK}, "future": {future, plugin.Critical}, "acts": {Record{}, plugin.Critical}} {
		b := newBench(t)
		b.dry, b.facts.Call.State = true, row.state
		if row.record.exists() {
			if err := b.store.write("environment-29", row.record); err != nil {
				t.Fatal(err)
			}
		}
		logged := 0
		r, err := b.run(context.Background())
		f := teller{log: func(context.Context, slog.Record) error { logged++; return nil }}.tell(context.Background(), b.handler, r, err)
		if line := strings.Join(f.Details, " "); err != nil || r.Acted || logged != 0 || strings.Contains(line, "decision=helped") || strings.Contains(line, "cleared") {
			t.Errorf("%s: %+v, %v, %d lines logged: %s", name, r, err, logged, line)
		}
		if got := b.record(t); !reflect.DeepEqual(got, row.record) {
			t.Errorf("%s: remembers %+v, want %+v", name, got, row.record)
		}
	}
}

// TestHandlerStateTrouble holds that what is wrong in the state directory is refused with a way out.
func TestHandlerStateTrouble(t *testing.T) {
	for name, lay := range map[string]func(dir string) error{
		"the lock is a directory":     func(dir string) error { return os.Mkdir(dir+"/environment-29.lock", 0o700) },
		"the lock is a symbolic link": func(dir string) error { return os.Symlink("/nonexistent", dir+"/environment-29.lock") },
		"the record is a directory":   func(dir string) error { return os.Mkdir(dir+"/environment-29.json", 0o700) },
		"the restart's is no record":  func(dir string) error { return os.WriteFile(dir+"/restart.json", []byte("{"), 0o600) },
	} {
		b := newBench(t)
		if err := lay(b.store.dir); err != nil {
			t.Fatal(err)
		}
		if r, err := b.run(t.Context()); err != nil || r.Action != Refuse || !strings.HasPrefix(r.Remedy, "look at it, then delete it") || b.puts() != 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestHandlerTogether holds that of 20 handlers at once one acts. Files are real, and so is the order of things.
func TestHandlerTogether(t *testing.T) {
	first := newBench(t)
	var acted, refused sync.Map
	var all sync.WaitGroup
	for i := range 20 {
		b := newBench(t)
		b.store, b.pid = first.store, 100+i
		all.Go(func() {
			r, err := b.run(context.Background())
			if err != nil {
				t.Errorf("%d: %v", i, err)
			}
			if b.puts() > 0 {
				acted.Store(i, true)
			} else if r.Action == Refuse {
				refused.Store(i, true)
			}
		})
	}
	all.Wait()
	count := func(m *sync.Map) (n int) { m.Range(func(any, any) bool { n++; return true }); return n }
	if count(&acted) != 1 || count(&refused) != 19 {
		t.Errorf("%d acted and %d refused", count(&acted), count(&refused))
	}
}

// TestHandlerTwoRoutes holds that both routes of Poseidon's must tell the same.
func TestHandlerTwoRoutes(t *testing.T) {
	b := newBench(t)
	b.getErr = &poseidon.Error{Status: 404, Unknown: true}
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "does not know") || b.puts() != 0 {
		t.Errorf("unknown to one: %+v, %v", r, err)
	}
	b = newBench(t)
	b.environment.Size = 6
	if r, err := b.run(context.Background()); err != nil || r.Action != Refuse || !strings.Contains(r.Reason, "size 4 in the statistics, 6") || b.puts() != 0 {
		t.Errorf("of another size: %+v, %v", r, err)
	}
	b = newBench(t)
	b.getErr = errGone
	if _, err := b.run(context.Background()); !errors.Is(err, errGone) || b.puts() != 0 {
		t.Errorf("no answer: %v", err)
	}
}

// TestHandlerUnsent holds that a PUT that found no server is no resync: the next call may act.
func TestHandlerUnsent(t *testing.T) {
	b := newBench(t)
	before := ago(time.Hour, Helped)
	if err := b.store.write("environment-29", before); err != nil {
		t.Fatal(err)
	}
	b.onPut = func() error {
		return &poseidon.Error{Unsent: true, Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	}
	if _, err := b.run(context.Background()); err == nil || !reflect.DeepEqual(b.record(t), before) {
		t.Errorf("%v, remembers %+v", err, b.record(t))
	}
	b.onPut = func() error { return &poseidon.Error{Err: &net.OpError{Op: "read", Err: syscall.ECONNRESET}} }
	if r, err := b.again(0); err != nil || !r.Acted {
		t.Errorf("a connection that broke later: %+v, %v", r, err)
	}
}

func TestHandlerCannotAsk(t *testing.T) {
	b := newBench(t)
	b.statsErr = errGone
	if _, err := b.run(context.Background()); !errors.Is(err, errGone) || b.record(t).exists() {
		t.Errorf("%v", err)
	}
}
