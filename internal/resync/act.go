package resync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"overdue/internal/plugin"
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
		return h.ends(*refuse(cmp.Or(plugin.Hint(err), "wait until that run has ended; Poseidon is restarted at the next call then, if it still must be"), "%s", err)), nil
	}
	if h.facts.State.Restart, err = h.read(h.store, restartKey); err == nil { // another environment's run may just have ended
		err = h.readElsewhere()
	}
	if err != nil {
		h.facts.State.Trouble, h.facts.State.Remedy = err.Error(), plugin.Hint(err)
	}
	h.readOthers()
	if d = h.decide(); d.Action != Restart {
		return h.ends(d), nil
	}
	return h.act(ctx, d, doRestart, []string{environmentKey(h.facts.Environment), restartKey}, func(ctx context.Context) error {
		h.waiting("the command that restarts Poseidon")
		ctx, cancel := context.WithTimeoutCause(ctx, restartPatience, fmt.Errorf("no end after %s", plugin.Age(restartPatience)))
		defer cancel()
		return h.restart(ctx, h.command)
	})
}

// act writes what it is about to do, does it, waits for the pool, and writes what came of it.
func (h *handler) act(ctx context.Context, d Decision, action string, keys []string, do func(context.Context) error) (result, error) {
	if refusal := h.tooLate(ctx); refusal != nil {
		return h.ends(*refusal), nil
	}
	before := h.facts.Pools[h.facts.Environment]
	record := Record{Action: action, Outcome: Begun, Host: h.host, PID: h.pid, Before: before}
	began := h.now()
	record.stamp(began)
	for i, key := range keys {
		if refusal := h.unlike(key); refusal != nil {
			return h.ends(h.takeBack(*refusal, keys[:i])), nil
		}
		if err := h.store.write(key, record); err != nil {
			refusal := *refuse("make room and see to its rights", "without a record a resync could be doubled: %s", err)
			return h.ends(h.takeBack(refusal, keys[:i+1])), nil
		}
	}
	if refusal := h.tooLate(ctx); refusal != nil { // a slow file system
		return h.ends(h.takeBack(*refusal, keys)), nil
	}
	r := result{Decision: d, At: began, Acted: true, Before: before, Failure: errEnded}
	h.otherwise(h.judged(r, errInterrupted{action, errEnded}))
	r.Failure = do(ctx)
	if poseidon.IsLate(r.Failure) {
		r = h.ends(h.takeBack(*stale(freshness, r.Failure.Error()), keys))
		h.otherwise(h.judged(r, nil))
		return r, nil
	}
	if notBegun(r.Failure) {
		r, failure := h.ends(d), errNotBegun{action, r.Failure, h.forget(keys)}
		h.otherwise(h.judged(r, failure))
		return r, failure
	}
	r.After, r.Helped, r.Unseen = h.watch(ctx)
	r.Took = h.since(began)
	record.After, record.Outcome = r.After, Helped
	if !r.Helped {
		record.Outcome, record.Remedy = DidNotHelp, clean(r.next())
	}
	for _, key := range keys {
		if err := h.store.write(key, record); err != nil { // the cooldown still counts from the record that it was begun
			r.Unkept, r.Note = err, err.Error()
		}
	}
	if !r.Helped && ctx.Err() != nil {
		r.Unseen = nil // for that alone
		return r, errInterrupted{action, ctx.Err()}
	}
	return r, nil
}

// errEnded stands for whatever ends the run.
var errEnded = errors.New("the run was ended")

// errInterrupted says that the deadline or a signal came after something was done.
type errInterrupted struct {
	action string
	cause  error
}

func (e errInterrupted) Error() string {
	return fmt.Sprintf("interrupted after the %s began (%s), which counts for --cooldown", e.action, e.cause)
}

func (e errInterrupted) Unwrap() error { return e.cause }

// watch looks at the pool until it is at least half full or the time to settle is over. Poseidon may be starting meanwhile, or
// hang: no look may take all of that time. It returns the last pool that was seen, and why the last look saw none.
func (h *handler) watch(ctx context.Context) (after Pool, helped bool, unseen error) {
	ctx, cancel := context.WithTimeout(ctx, max(h.settle, lookPatience))
	defer cancel()
	for began := h.moment(); ; {
		if unseen = h.look(ctx); unseen == nil {
			if after = h.facts.Pools[h.facts.Environment]; after.Size > 0 && !after.Low() {
				return after, true, nil
			}
		}
		if h.since(began) >= h.settle || h.pause(ctx, pollEvery) != nil {
			return after, false, unseen
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
