package resync

import (
	"fmt"
	"time"

	"overdue/internal/prewarm"
)

// Facts is all that a decision may rest on. What is nil is not known yet.
type Facts struct {
	Environment int
	Options     string // which name this Poseidon and this state directory on a command line, or ""
	Call        Call
	State       *State
	Pools       map[int]Pool // by environment, as Poseidon tells them
	Nomad       *prewarm.Nomad
}

// command is what a person types to call the handler by hand.
func (f Facts) command() string {
	return fmt.Sprintf("%s --environment %d%s", programName, f.Environment, f.Options)
}

// running is how many idle runners of the environment Nomad runs, 0 if it was not to be asked.
func (f Facts) running() int {
	if f.Nomad == nil {
		return 0
	}
	return f.Nomad.Environments[f.Environment].Running
}

// State is what the state directory says.
type State struct {
	Trouble  string // why it cannot be used, or ""
	LockedBy string // who works on this environment, or ""
	Remedy   string // what to do about either, or ""
	Last     Record // of this environment
	Restart  Record // of Poseidon

	Others        map[int]Record // of the other environments
	OthersTrouble string         // why one of these cannot be read, or ""

	Elsewhere []Elsewhere // what is remembered under other addresses
}

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
