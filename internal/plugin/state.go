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

// badState is a state other than OK.
type badState struct{ pflag.Value }

func (s badState) Set(text string) error {
	state, err := check.NewStatusFromString(text)
	switch {
	case err != nil:
		return errors.New("a state is warning, critical or unknown")
	case state == OK:
		return errors.New("a check that got no answer must never be OK; use warning, critical or unknown")
	}
	return s.Value.Set(text)
}
