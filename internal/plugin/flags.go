package plugin

import (
	"io"

	"github.com/spf13/pflag"
)

// Flags collects a program's flags in groups, one for each topic of --help.
type Flags struct {
	groups []flagGroup
}

type flagGroup struct {
	title string
	set   *pflag.FlagSet
}

// Group returns the flag set of one topic; flags are shown in the order of their declaration.
func (f *Flags) Group(title string) *pflag.FlagSet {
	for _, group := range f.groups {
		if group.title == title {
			return group.set
		}
	}
	set := newFlagSet(title)
	f.groups = append(f.groups, flagGroup{title, set})
	return set
}

// all joins the groups for parsing. It panics on a flag that is declared twice: pflag would drop one silently.
func (f *Flags) all() *pflag.FlagSet {
	joined := newFlagSet("all")
	for _, group := range f.groups {
		group.set.VisitAll(func(flag *pflag.Flag) {
			if joined.Lookup(flag.Name) != nil {
				panic("flag --" + flag.Name + " is declared twice")
			}
			joined.AddFlag(flag)
		})
	}
	return joined
}

func newFlagSet(name string) *pflag.FlagSet {
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SortFlags = false
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	return set
}
