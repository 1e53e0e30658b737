package plugin

import (
	"errors"
	"strings"

	check "github.com/NETWAYS/go-check"
	"github.com/spf13/pflag"
)

// StateValue is a flag that takes any of the four states.
func StateValue(state *State) pflag.Value { return (*anyState)(state) }

type anyState State

func (s *anyState) Set(text string) error {
	state, err := check.NewStatusFromString(text)
	if err != nil {
		return errors.New("a state is ok, warning, critical or unknown")
	}
	*s = anyState(state)
	return nil
}

func (s *anyState) String() string { return strings.ToLower(State(*s).String()) }

func (s *anyState) Type() string { return "STATE" }
