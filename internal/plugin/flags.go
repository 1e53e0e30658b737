package plugin

import "github.com/spf13/pflag"

// Flags collects a program's flags in groups, one for each topic of --help.
type Flags struct{}

// Group returns the flag set of one topic; flags are shown in the order of their declaration.
func (f *Flags) Group(title string) *pflag.FlagSet { panic("todo") }
