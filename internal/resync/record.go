package resync

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	strictjson "sigs.k8s.io/json"

	"overdue/internal/poseidon"
	"overdue/internal/prewarm"
)

// Record is what is remembered of the last time that a pool was resynchronised or Poseidon was restarted. It is written
// before anything is changed: whoever finds it knows that it may have happened, even if its writer was killed.
type Record struct {
	Action  string `json:"action"`  // "resync" or "restart"
	Outcome string `json:"outcome"` // one of the constants below
	Stamp          // when it was begun, by the clocks of its writer; nobody else may set it
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Before  Pool   `json:"before"`
	After   Pool   `json:"after,omitzero"`   // zero if it was not seen
	Remedy  string `json:"remedy,omitempty"` // what to do, if it did not help

	// By host, when it first met this record as one from the future: to that host it is as old as that. Each host keeps its own,
	// as none can trust another's clock.
	Seen map[string]Stamp `json:"seen_in_the_future,omitempty"`
}

// Stamp is a moment as a record keeps it.
type Stamp struct {
	At        time.Time `json:"at"`
	Boot      string    `json:"boot,omitempty"`     // of the machine, see Moment
	Uptime    float64   `json:"uptime,omitempty"`   // of the machine then, in seconds
	Directory time.Time `json:"directory,omitzero"` // by the clock of the state directory, see Moment
}

// Outcomes of a record. One that says begun, and whose writer is gone, is from a run that was killed.
const (
	Begun       = "begun"
	Helped      = "helped"
	DidNotHelp  = "did not help" // the marker: it forbids the next attempt
	Cleared     = "cleared"      // the marker is gone: the service has recovered since
	maxRecord   = 16 << 10       // bytes
	doResync    = "resync"
	doRestart   = "restart"
	clockJitter = time.Minute // by which the clocks of two hosts may differ unsaid
)

// Pool is an environment's runners as Poseidon counts them.
type Pool struct {
	Idle int `json:"idle"`
	Used int `json:"used"`
	Size int `json:"size"` // of the pre-warming pool; used runners do not count in it
}

// limits are those of the alarm that was asked for: a pool that is half full is well.
var limits = prewarm.DefaultLimits()

// Low says that less than half of the pool is idle.
func (p Pool) Low() bool { return limits.Low(p.of(0)) }

// of is the pool of an environment, as the check judges it.
func (p Pool) of(id int) poseidon.Pool {
	return poseidon.Pool{ID: id, Size: p.Size, Idle: p.Idle, Used: p.Used}
}

// String is the pool as "1/4".
func (p Pool) String() string { return fmt.Sprintf("%d/%d", p.Idle, p.Size) }

// Moment is a time, also on a clock that nobody sets: wall clocks jump, and a handler that believed one could resynchronise
// twice in a minute or never again.
type Moment struct {
	Wall   time.Time
	Host   string        // whose clocks these are
	Boot   string        // names the time since the machine was booted; "" if unknown
	Uptime time.Duration // since then, sleep included

	// By the clock that times the files of the state directory: the file server's, and so one for all hosts that share it. Zero
	// until the lock is held.
	Directory time.Time
}

// exists says whether there is a record at all.
func (r Record) exists() bool { return !r.At.IsZero() }

// age is how long ago the record was made. One from the future, by a clock that was wrong then or is now, is as old as this host knows
// it, and from the future until the host has written down when that began. Once its time has come, what the host knows counts by the
// clock that nobody sets only: the wall clock was perhaps the wrong one.
func (r Record) age(now Moment) (age time.Duration, future bool) {
	age = r.Stamp.age(r.Host, now)
	if seen, ok := r.Seen[now.Host]; ok && (age < -clockJitter || seen.Boot != "" && seen.Boot == now.Boot) {
		age = max(age, seen.age(now.Host, now))
	}
	return max(age, 0), age < -clockJitter
}

// age is how long ago a host set the stamp, less than 0 if that is in the future. Only that host may compare uptimes: containers
// share the name of the boot and may count their own. Of another host's clock and the directory's, the one counts that makes
// the stamp younger.
func (s Stamp) age(host string, now Moment) time.Duration {
	uptime := time.Duration(s.Uptime * float64(time.Second))
	if s.Boot != "" && s.Boot == now.Boot && host == now.Host && uptime <= now.Uptime {
		return now.Uptime - uptime
	}
	age := now.Wall.Sub(s.At)
	if !s.Directory.IsZero() && !now.Directory.IsZero() {
		age = min(age, now.Directory.Sub(s.Directory))
	}
	return age
}

func stampOf(now Moment) Stamp {
	return Stamp{now.Wall.UTC().Truncate(time.Second), now.Boot, now.Uptime.Seconds(), now.Directory.UTC().Truncate(time.Second)}
}

// stamp sets the record's time.
func (r *Record) stamp(now Moment) { r.Stamp = stampOf(now) }

// see writes down that to this host the record is from the future, since now.
func (r *Record) see(now Moment) {
	seen := maps.Clone(r.Seen)
	if seen == nil {
		seen = make(map[string]Stamp)
	}
	seen[now.Host] = stampOf(now)
	r.Seen = seen
}

func (r Record) encode() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// decodeRecord reads a record. What is not quite one is an error: to take it for none could double a resync.
func decodeRecord(data []byte) (Record, error) {
	var r Record
	strict, err := strictjson.UnmarshalStrict(data, &r) // no key twice, unknown or in another case
	if err := errors.Join(append(strict, err)...); err != nil {
		return Record{}, fmt.Errorf("not a record: %w", err)
	}
	switch {
	case !r.exists():
		return Record{}, errors.New("not a record: it has no time")
	case r.Action != doResync && r.Action != doRestart:
		return Record{}, errors.New("not a record: its action is unknown")
	case !slices.Contains([]string{Begun, Helped, DidNotHelp, Cleared}, r.Outcome):
		return Record{}, errors.New("not a record: its outcome is unknown")
	case r.Uptime < 0 || r.Uptime > 1e10:
		return Record{}, errors.New("not a record: its uptime is impossible")
	}
	for _, seen := range r.Seen {
		if seen.At.IsZero() || seen.Uptime < 0 || seen.Uptime > 1e10 {
			return Record{}, errors.New("not a record: a host saw it at no time")
		}
	}
	return r, nil
}
