package resync

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"overdue/internal/plugin"
)

// Call is what the caller told of the service whose handler this is.
type Call struct {
	ByHand   bool // nothing was told: a person calls
	State    plugin.State
	Hard     bool
	Attempt  int // of a SOFT state; in a HARD state Icinga always says 1
	Downtime int // how many downtimes are in effect
	HostDown int // how many of its host, which Icinga counts apart
	Skip     bool
}

// String tells the call in Icinga's words: "CRITICAL SOFT 6".
func (c Call) String() string {
	kind := "SOFT " + strconv.Itoa(c.Attempt)
	switch {
	case c.ByHand:
		return "by hand"
	case c.Hard:
		kind = "HARD"
	}
	return c.State.String() + " " + kind
}

// macros are the flags that carry Icinga's macros, as they were given.
type macros struct {
	state    string
	given    *pflag.Flag // that of the state: an empty one is a macro that was not resolved, and no call by hand
	kind     string
	attempt  number
	downtime number
	hostDown number
	skip     bool
}

func (m *macros) addFlags(f *pflag.FlagSet) {
	f.StringVar(&m.state, "state", "", "`STATE` of the service: $service.state$; without it the call counts as one by hand, at a bad state")
	m.given = f.Lookup("state")
	f.StringVar(&m.kind, "state-type", "", "`TYPE` of that state, SOFT or HARD: $service.state_type$")
	f.Var(&m.attempt, "attempt", "`NUMBER` of the check's attempt: $service.check_attempt$")
	f.Var(&m.downtime, "downtime-depth", "`NUMBER` of downtimes in effect: $service.downtime_depth$; in one, nothing is done; needed with --state")
	f.Var(&m.hostDown, "host-downtime-depth", "`NUMBER` of downtimes of its host in effect: $host.downtime_depth$; in one, nothing is done; needed with --state")
	f.BoolVar(&m.skip, "skip", false, "do nothing: for the nodes of a zone that are not to act, as Icinga calls a handler on several")
}

// call makes sense of the macros. Half a call is an error: what was left out might have forbidden to act.
func (m macros) call() (Call, error) {
	c := Call{ByHand: !m.given.Changed, Attempt: m.attempt.value, Downtime: m.downtime.value, HostDown: m.hostDown.value, Skip: m.skip}
	if c.ByHand {
		if m.kind != "" || m.attempt.given {
			return c, plugin.Misuse("--state-type and --attempt need --state: give all three, or none of them by hand")
		}
		return c, nil
	}
	if err := plugin.StateValue(&c.State).Set(m.state); err != nil {
		return c, plugin.Misuse(fmt.Sprintf("--state %q: %s; Icinga knows it as $service.state$", plugin.Clean(m.state), err))
	}
	switch {
	case strings.EqualFold(m.kind, "hard"):
		c.Hard = true
	case !strings.EqualFold(m.kind, "soft"):
		return c, plugin.Misuse("--state needs --state-type, SOFT or HARD: Icinga knows it as $service.state_type$")
	case m.attempt.value == 0:
		return c, plugin.Misuse("--state-type SOFT needs --attempt: Icinga knows it as $service.check_attempt$")
	}
	switch {
	case !m.downtime.given:
		return c, plugin.Misuse("--state needs --downtime-depth: Icinga knows it as $service.downtime_depth$, and 0 is none")
	case !m.hostDown.given:
		return c, plugin.Misuse("--state needs --host-downtime-depth: Icinga knows it as $host.downtime_depth$, and 0 is none")
	}
	return c, nil
}

// number is a flag for a number from 0 on in decimal digits, as Poseidon and Icinga write them. Given twice, it is not known which one
// is meant.
type number struct {
	value int
	given bool
}

// Set reads the number.
func (n *number) Set(text string) (err error) {
	if n.given {
		return errors.New("it is given twice")
	}
	n.value, err = plugin.Number(text)
	n.given = err == nil
	return err
}

// String is what Set reads.
func (n *number) String() string {
	if !n.given {
		return ""
	}
	return strconv.Itoa(n.value)
}

// Type names the value in --help.
func (*number) Type() string { return "NUMBER" }
