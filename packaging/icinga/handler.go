package main

import (
	"time"

	"github.com/spf13/pflag"

	"overdue/internal/plugin"
	"overdue/internal/prewarm"
)

// told are the options by which Icinga tells the handler of the service.
var told = map[string]string{
	"state":               "$service.state$",
	"state-type":          "$service.state_type$",
	"attempt":             "$service.check_attempt$",
	"downtime-depth":      "$service.downtime_depth$",
	"host-downtime-depth": "$host.downtime_depth$",
	"icinga-host":         "$host.name$",
	"icinga-service":      "$service.name$",
}

// elsewhere is true on a node that schedules no check of the service. Icinga calls a handler on the parent zone's nodes too,
// unless the check has a command_endpoint: then all of them send it there. Objects outside of zones.d have no zone.
//
// The endpoint comes first: an agent knows only those macros that the scheduling node has looked up when it sent the command.
const elsewhere = `!macro("$service.command_endpoint$") && macro("$service.zone$") && macro("$service.zone$") != ZoneName`

// handler is the EventCommand. What the check of the pool knows as well, such as Poseidon's address, is in the check's variables.
func handler(p plugin.Program) command {
	c := start(p, p.Name)
	c.event = true
	c.timeout = time.Hour // the program has its own deadline, which large pools need longer: 10 s a runner
	known, standard := prewarm.Program.Flags(), standardOptions(p)
	p.Flags().VisitAll(func(flag *pflag.Flag) {
		if unwired[flag.Name] != "" {
			return
		}
		prefix := c.name
		if known.Lookup(flag.Name) != nil && !standard[flag.Name] {
			prefix = "prewarm_pool"
		}
		o := wire(flag, variableOf(prefix, flag.Name))
		if macro := told[flag.Name]; macro != "" {
			o.value, o.required = macro, true
		}
		switch flag.Name {
		case "environment":
			o.kind, o.required = together, true
		case "skip":
			o.value, o.expression = elsewhere, true
		}
		c.options = append(c.options, o)
	})
	return c
}

func standardOptions(p plugin.Program) map[string]bool {
	names := map[string]bool{}
	for title, flags := range p.Topics() {
		if title == "Standard options" {
			flags.VisitAll(func(flag *pflag.Flag) { names[flag.Name] = true })
		}
	}
	return names
}
