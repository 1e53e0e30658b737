package resync

import (
	"context"
	"fmt"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// lookAgain acts if a second look, some seconds later, gives the same picture.
func (h *handler) lookAgain(ctx context.Context, d Decision) (result, error) {
	id := h.facts.Environment
	var environment poseidon.Environment
	var err error
	if d.Action == Resync {
		environment, err = h.poseidon.Environment(ctx, id)
	}
	if poseidon.IsUnknown(err) {
		delete(h.facts.Pools, id)
		return h.ends(h.decide()), nil
	}
	if err != nil {
		return h.ends(Decision{}), err
	}
	first := h.facts
	h.waiting("a second look")
	if err := h.pause(ctx, h.recheck); err != nil {
		return h.ends(Decision{}), err
	}
	if err := h.readPools(ctx); err != nil {
		return h.ends(Decision{}), err
	}
	if h.nomad != nil {
		h.facts.Nomad = h.nomad(ctx)
	}
	switch d = DecideAgain(first, h.facts, h.rules, h.moment()); d.Action {
	case Resync:
		return h.resync(ctx, d, environment)
	case Restart:
		return h.restartPoseidon(ctx, d)
	}
	return h.ends(d), nil
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
		return h.poseidon.Replace(ctx, environment)
	})
}

// inTime says why there is not time enough to act and to see what comes of it.
func (h *handler) inTime(ctx context.Context, patience time.Duration) *Decision {
	deadline, limited := ctx.Deadline()
	need := patience + h.settle + reserve
	if !limited || time.Until(deadline) >= need-reserve { // which is off already
		return nil
	}
	more := plugin.Duration((need + time.Minute).Round(time.Minute))
	return refuse(fmt.Sprintf("give --timeout %s, and the EventCommand a longer timeout", &more),
		"it may take %s, and --timeout leaves less", plugin.Age(need))
}
