package resync

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"overdue/internal/poseidon"
)

// restartPoseidon runs the operator's command. It is locked and remembered for all environments together.
func (h *handler) restartPoseidon(ctx context.Context, d Decision) (result, error) {
	if refusal := h.inTime(ctx, restartPatience); refusal != nil {
		d = *refusal
	}
	if d.Action != Restart || h.dry {
		return h.ends(d), nil
	}
	unlock, err := h.lockPoseidon()
	defer unlock()
	if err != nil {
		return h.ends(*refuse("wait until that run has ended; Poseidon is restarted at the next call then, if it still must be", "%s", err)), nil
	}
	if h.facts.State.Restart, err = h.read(restartKey); err != nil { // another environment's run may just have ended
		h.facts.State.Trouble = err.Error()
	}
	h.readOthers()
	if d = h.decide(); d.Action != Restart {
		return h.ends(d), nil
	}
	return h.act(ctx, d, doRestart, []string{environmentKey(h.facts.Environment), restartKey}, func(ctx context.Context) error {
		h.waiting("the command that restarts Poseidon")
		ctx, cancel := context.WithTimeout(ctx, restartPatience)
		defer cancel()
		return h.restart(ctx, h.command)
	})
}

// act writes what it is about to do, does it, waits for the pool, and writes what came of it.
func (h *handler) act(ctx context.Context, d Decision, action string, keys []string, do func(context.Context) error) (result, error) {
	id := h.facts.Environment
	before := h.facts.Pools[id]
	record := Record{Action: action, Outcome: Begun, Host: h.host, PID: h.pid, Before: before, After: before}
	began := h.now()
	record.stamp(began)
	for _, key := range keys {
		if err := h.store.write(key, record); err != nil {
			return h.ends(*refuse("make room and see to its rights", "without a record a resync could be doubled: %s", err)), nil
		}
	}
	failure := do(ctx)
	if notBegun(failure) {
		h.forget(keys)
		return h.ends(d), errNotBegun{action, failure}
	}
	r := result{Decision: d, At: began, Acted: true, Before: before, Failure: failure}
	r.After, r.Helped = h.watch(ctx, before)
	r.Took = h.since(began)
	record.After, record.Outcome = r.After, Helped
	if !r.Helped {
		record.Outcome = DidNotHelp
	}
	for _, key := range keys {
		if err := h.store.write(key, record); err != nil {
			r.Note = err.Error() // the cooldown still counts from the record that it was begun
		}
	}
	if !r.Helped && ctx.Err() != nil {
		return r, errInterrupted{action, ctx.Err()}
	}
	return r, nil
}

// errInterrupted says that the deadline or a signal came after something was done.
type errInterrupted struct {
	action string
	cause  error
}

func (e errInterrupted) Error() string {
	return fmt.Sprintf("interrupted after the %s began (%s), which counts for --cooldown", e.action, e.cause)
}

func (e errInterrupted) Unwrap() error { return e.cause }

// errNotBegun says that what was decided was not begun: there is nothing to remember.
type errNotBegun struct {
	action string
	cause  error
}

func (e errNotBegun) Error() string {
	return fmt.Sprintf("the %s was not begun: %s", e.action, e.cause)
}

func (e errNotBegun) Unwrap() error { return e.cause }

// forget takes back the records of what was not begun after all.
func (h *handler) forget(keys []string) {
	for _, key := range keys {
		last := h.facts.State.Last
		if key == restartKey {
			last = h.facts.State.Restart
		}
		if last.exists() {
			_ = h.store.write(key, last)
		} else {
			_ = h.store.remove(key)
		}
	}
}

// watch looks at the pool until it is at least half full or the time to settle is over. Poseidon may be starting meanwhile, or
// hang: no look may take all of that time.
func (h *handler) watch(ctx context.Context, before Pool) (after Pool, helped bool) {
	ctx, cancel := context.WithTimeout(ctx, max(h.settle, lookPatience))
	defer cancel()
	after = before
	id := h.facts.Environment
	for began := h.moment(); ; {
		if h.look(ctx) == nil {
			if after = h.facts.Pools[id]; after.Size > 0 && !after.Low() {
				return after, true
			}
		}
		if h.since(began) >= h.settle || h.pause(ctx, pollEvery) != nil {
			return after, false
		}
	}
}

func (h *handler) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	return h.readPools(ctx)
}

// since is the time that has passed, by the clock that does not jump if there is one.
func (h *handler) since(then Moment) time.Duration {
	now := h.moment()
	if then.Boot != "" && then.Boot == now.Boot {
		return now.Uptime - then.Uptime
	}
	return now.Wall.Sub(then.Wall) // both from time.Now: the difference is monotonic
}

// notBegun says that nothing can have been changed: there was no connection to send the request on, the server rejected it
// (3xx, 4xx), or the command could not be started.
func notBegun(err error) bool {
	var op *net.OpError
	var answer *poseidon.Error
	return errors.As(err, &op) && op.Op == "dial" ||
		errors.As(err, &answer) && answer.Status >= 300 && answer.Status < 500 ||
		errors.As(err, new(errUnstarted))
}
