package resync

import "errors"

// lockPoseidon takes the lock of the restart and those of all environments: who holds one resynchronises it, which a restart would
// break off, and who wants one must wait for the restart. That of the handler's own environment it holds already.
func (h *handler) lockPoseidon() (unlock func(), err error) {
	var held unlocks
	keys := []string{restartKey}
	for id := range h.facts.Pools {
		if id != h.facts.Environment {
			keys = append(keys, environmentKey(id))
		}
	}
	for _, key := range keys {
		one, err := h.lockAll(key)
		held = append(held, one)
		if err != nil {
			return held.all, err
		}
	}
	return held.all, nil
}

// unlocks are locks that are held together.
type unlocks []func()

func (u unlocks) all() {
	for _, one := range u {
		one()
	}
}

// readOthers reads what is remembered of the other environments, which only a restart must heed.
func (h *handler) readOthers() {
	others, errs := map[int]Record{}, []error{}
	for id := range h.facts.Pools {
		if id == h.facts.Environment || h.replay {
			continue
		}
		key := environmentKey(id)
		elsewhere, err := h.store.elsewhere(key)
		errs = append(errs, err)
		for _, s := range append(elsewhere, h.store) {
			r, err := h.read(s, key)
			if errs = append(errs, err); others[id].Outcome != Begun {
				others[id] = r
			}
		}
	}
	h.facts.State.Others, h.facts.State.OthersTrouble = others, ""
	if err := errors.Join(errs...); err != nil {
		h.facts.State.OthersTrouble = err.Error()
	}
}
