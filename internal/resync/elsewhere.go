package resync

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// Elsewhere is a record of the same environment, or of a restart, under another address: whether that is the same Poseidon by another
// name cannot be known.
type Elsewhere struct {
	Address string
	Key     string
	File    string
	Record
}

// elsewhere are the stores of the other addresses that hold a lock's file or a record of a key.
func (s store) elsewhere(key string) (others []store, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, errState{fmt.Errorf("the state directory %s: %w", s.dir, cause(err)), "see to --state-dir"}
	}
	for _, entry := range entries {
		for _, kind := range []string{"lock", "json"} {
			name, found := strings.CutSuffix(entry.Name(), "_"+key+"."+kind)
			if other := (store{s.dir, name}); found && other != s && !slices.Contains(others, other) {
				others = append(others, other)
			}
		}
	}
	return others, nil
}

// lockAll takes a key's lock, and those of the same key under other addresses: it may be the same Poseidon.
func (h *handler) lockAll(key string) (unlock func(), err error) {
	first, err := h.lock(h.store, key)
	if err != nil {
		return first, err
	}
	held := unlocks{first}
	others, err := h.store.elsewhere(key)
	for _, other := range others {
		var one func()
		if one, err = h.lock(other, key); err != nil {
			if locked := (errLocked{}); errors.As(err, &locked) {
				err = other.lockedElsewhere(locked.by)
			}
			break
		}
		held = append(held, one)
	}
	if err != nil {
		held.all()
		return func() {}, err
	}
	return held.all, nil
}

func (s store) lockedElsewhere(by string) errLocked {
	address := poseidon.FileAddress(s.poseidon)
	return errLocked{fmt.Sprintf("under another address, %s, %s", address, by), "wait until it has ended; " + oneAddress(address)}
}

// oneAddress is how to tell whether another address is the same Poseidon.
func oneAddress(address string) string {
	return fmt.Sprintf("if that is the same Poseidon, give --address %s; if it is another one, give each a --state-dir of its own", plugin.Word(address))
}

// readElsewhere reads what the state directory holds under other addresses. Only a dry run looks at their locks: another one has them.
func (h *handler) readElsewhere() error {
	state := h.facts.State
	state.Elsewhere = nil
	for _, key := range []string{environmentKey(h.facts.Environment), restartKey} {
		others, err := h.store.elsewhere(key)
		if err != nil {
			return err
		}
		for _, other := range others {
			if by := other.locked(key, h.holder()); by != "" && h.dry {
				return other.lockedElsewhere(by)
			}
			r, err := h.read(other, key)
			if err != nil {
				return err
			}
			if r.exists() {
				state.Elsewhere = append(state.Elsewhere, Elsewhere{poseidon.FileAddress(other.poseidon), key, other.path(key, "json"), r})
			}
		}
	}
	return nil
}

// byElsewhere heeds what was done under another address, as it may have been done to the same Poseidon.
func byElsewhere(f Facts, rules Rules, now Moment) *Decision {
	for _, e := range f.State.Elsewhere {
		d, remedy := cooling(f, e.Record, rules, now), oneAddress(e.Address)+"; if nobody uses that address any more, delete the file"
		if e.Outcome == DidNotHelp && e.Key != restartKey && !rules.Force {
			d = refuse("", "%s", inVain(e.Record))
			remedy += "; --force by hand passes over it"
		}
		if d != nil {
			return refuse(remedy, "under another address, %s, %s (%s)", e.Address, d.Reason, e.File)
		}
	}
	return nil
}
