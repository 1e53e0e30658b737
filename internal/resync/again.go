package resync

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// lookAgain acts if a second look, some seconds later, gives the same picture.
func (h *handler) lookAgain(ctx context.Context, d Decision) (result, error) {
	var was poseidon.Environment
	if d.Action == Resync {
		var refusal Decision
		var err error
		if was, refusal, err = h.environment(ctx); refusal.Action != Ask || err != nil {
			return h.ends(refusal), err
		}
	}
	first := h.facts
	h.waiting("a second look")
	if err := h.pause(ctx, h.recheck); err != nil {
		return h.ends(Decision{}), err
	}
	is, refusal, err := h.secondLook(ctx, d.Action)
	if refusal.Action != Ask || err != nil {
		return h.ends(refusal), err
	}
	switch d = DecideAgain(first, h.facts, h.rules, h.now()); d.Action {
	case Resync:
		if !bytes.Equal(was.Body, is.Body) { // what was read before would undo it
			return h.ends(*refuse("wait", "somebody changes the environment: its configuration is another one than %s before", seconds(h.recheck))), nil
		}
		return h.resync(ctx, d, is)
	case Restart:
		return h.restartPoseidon(ctx, d)
	}
	return h.ends(d), nil
}

// secondLook asks for all that the decision rests on, and for the statistics last: they tell what acting would end.
func (h *handler) secondLook(ctx context.Context, action Action) (is poseidon.Environment, refusal Decision, err error) {
	early, cancel := context.WithTimeout(ctx, againPatience)
	defer cancel()
	if action == Resync {
		if is, refusal, err = h.environment(early); refusal.Action != Ask || err != nil {
			return is, refusal, err
		}
	}
	if h.nomad != nil {
		h.facts.Nomad = h.nomad(early)
	}
	h.looked = h.moment()
	return is, refusal, h.readPools(ctx)
}

// environment reads the environment's configuration. One that is unknown decides, as it does in the statistics.
func (h *handler) environment(ctx context.Context) (poseidon.Environment, Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	e, err := h.poseidon.Environment(ctx, h.facts.Environment)
	if poseidon.IsUnknown(err) {
		delete(h.facts.Pools, h.facts.Environment)
		return e, h.decide(), nil
	}
	return e, Decision{}, err
}

// resync sends the environment's own configuration back: it is the only call that refills a pool, and it ends the environment's
// used runners.
func (h *handler) resync(ctx context.Context, d Decision, environment poseidon.Environment) (result, error) {
	pool := h.facts.Pools[environment.ID]
	if environment.Size != pool.Size { // and is still being put into effect
		d = *refuse("wait", "its pool is being changed: size %d in the statistics, %d in its configuration", pool.Size, environment.Size)
	} else if refusal := h.inTime(ctx, putPatience(pool.Size)); refusal != nil {
		d = *refusal
	}
	if d.Action != Resync || h.dry {
		return h.ends(d), nil
	}
	return h.act(ctx, d, doResync, []string{environmentKey(environment.ID)}, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, putPatience(pool.Size))
		defer cancel()
		return h.poseidon.Replace(ctx, environment, freshness-h.since(h.looked))
	})
}

// inTime says why there is not time enough to act and to see what comes of it.
func (h *handler) inTime(ctx context.Context, patience time.Duration) *Decision {
	deadline, limited := ctx.Deadline()
	need := patience + h.settle + reserve
	if !limited || time.Until(deadline) >= need-reserve { // which is off already
		return nil
	}
	more := plugin.Duration((h.since(h.began) + need + time.Minute).Round(time.Minute))
	return refuse(fmt.Sprintf("give --timeout %s, and the EventCommand a longer timeout", &more),
		"it may take %s, and --timeout leaves less", plugin.Age(need))
}
