package plugin

import (
	"fmt"
	"strings"
)

// Outcomes is what the exit codes 0 to 3 mean in a program that is no check, and whose results are no states of a service. It
// has no --unreachable: what could not be asked is always 3.
type Outcomes [4]Outcome

// Outcome is one exit code.
type Outcome struct {
	Name    string // in the first line, in place of OK to UNKNOWN
	Meaning string // in --help
}

// name is how the first line begins.
func (o *Outcomes) name(state State) string {
	if o == nil || state < OK || state > Unknown {
		return state.String()
	}
	return o[state].Name
}

// help is the last part of --help.
func (o *Outcomes) help() string {
	if o == nil {
		return exitCodes
	}
	var b strings.Builder
	b.WriteString("Exit codes:\n")
	for code, outcome := range o {
		fmt.Fprintf(&b, "  %d  %s\n", code, wrap(outcome.Meaning, 5))
	}
	return b.String()
}
