package resync

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"overdue/internal/poseidon"
	"overdue/internal/prewarm"
)

// Record is what is remembered of the last time that a pool was resynchronised or Poseidon was restarted. It is written
// before anything is changed: whoever finds it knows that it may have happened, even if its writer was killed.
type Record struct {
	Action  string    `json:"action"`           // "resync" or "restart"
	Outcome string    `json:"outcome"`          // one of the constants below
	At      time.Time `json:"at"`               // when it was begun
	Boot    string    `json:"boot,omitempty"`   // of the machine, see Moment
	Uptime  float64   `json:"uptime,omitempty"` // of the machine then, in seconds
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Before  Pool      `json:"before"`
	After   Pool      `json:"after"`
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
	Boot   string        // names the time since the machine was booted; "" if unknown
	Uptime time.Duration // since then, sleep included
}

// exists says whether there is a record at all.
func (r Record) exists() bool { return !r.At.IsZero() }

// age is how long ago the record was made. If it is from the future, by a clock that was wrong then or is now, that is 0.
func (r Record) age(now Moment) (age time.Duration, future bool) {
	if uptime := time.Duration(r.Uptime * float64(time.Second)); r.Boot != "" && r.Boot == now.Boot && uptime <= now.Uptime {
		return now.Uptime - uptime, false
	}
	age = now.Wall.Sub(r.At)
	return max(age, 0), age < -clockJitter
}

// stamp sets the record's time.
func (r *Record) stamp(now Moment) {
	r.At, r.Boot, r.Uptime = now.Wall.UTC().Truncate(time.Second), now.Boot, now.Uptime.Seconds()
}

func (r Record) encode() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	return append(data, '\n'), err
}

// decodeRecord reads a record. What is not quite one is an error: to take it for none could double a resync.
func decodeRecord(data []byte) (Record, error) {
	var r Record
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		return Record{}, fmt.Errorf("not a record: %w", err)
	}
	if decoder.More() {
		return Record{}, errors.New("not a record: there is more behind it")
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
	return r, nil
}
