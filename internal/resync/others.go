package resync

import "errors"

// lockPoseidon takes the lock of the restart and those of all environments: who holds one resynchronises it, which a restart would
// break off, and who wants one must wait for the restart. That of the handler's own environment it holds already.
func (h *handler) lockPoseidon() (unlock func(), err error) {
	var unlocks []func()
	unlock = func() {
		for _, one := range unlocks {
			one()
		}
	}
	keys := []string{restartKey}
	for id := range h.facts.Pools {
		if id != h.facts.Environment {
			keys = append(keys, environmentKey(id))
		}
	}
	for _, key := range keys {
		one, err := h.lock(key)
		unlocks = append(unlocks, one)
		if err != nil {
			return unlock, err
		}
	}
	return unlock, nil
}

// readOthers reads what is remembered of the other environments, which only a restart must heed.
func (h *handler) readOthers() {
	others, errs := map[int]Record{}, []error{}
	for id := range h.facts.Pools {
		if id == h.facts.Environment || h.replay {
			continue
		}
		r, err := h.store.read(environmentKey(id))
		others[id], errs = r, append(errs, err)
	}
	h.facts.State.Others, h.facts.State.OthersTrouble = others, ""
	if err := errors.Join(errs...); err != nil {
		h.facts.State.OthersTrouble = err.Error()
	}
}
