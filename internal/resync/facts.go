package resync

import (
	"time"
)

// Facts is all that a decision may rest on. What is nil is not known yet.
type Facts struct {
	Environment int
	Call        Call
	State       *State
	Pools       map[int]Pool // by environment, as Poseidon tells them
	Nomad       *Nomad
}

// State is what the state directory says.
type State struct {
	Trouble  string // why it cannot be used, or ""
	LockedBy string // who works on this environment, or ""
	Last     Record // of this environment
	Restart  Record // of Poseidon
}

// Nomad is what Nomad alone says of the environment's runners.
type Nomad struct {
	Trouble  string // why it could not be asked: no answer, no leader; or ""
	Verdict  Verdict
	Idle     int
	Used     int
	Starting int
}

// Verdict compares Poseidon's numbers with Nomad's.
type Verdict int

// Of these only Missing is a reason to resynchronise.
const (
	Unjudged Verdict = iota
	Agreed           // and the pool is well
	Missing          // the runners are gone in Nomad too
	Lost             // Nomad runs them, Poseidon has forgotten them
	Stale            // Poseidon counts runners that Nomad does not run
	Filling          // Nomad starts them, or has no room for them
)

// Spare says when used runners, which a resync ends, are worth more than a full pool.
type Spare string

// Auto spares them while there are idle ones left to claim.
const (
	SpareAuto   Spare = "auto"
	SpareAlways Spare = "always"
	SpareNever  Spare = "never"
)

// Rules are the operator's.
type Rules struct {
	On           When
	Cooldown     time.Duration
	Spare        Spare
	Force        bool // heed no marker of a resync that did not help
	MayRestart   bool // there is a command for it
	WithoutNomad bool // act on Poseidon's numbers alone
}
