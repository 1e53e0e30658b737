package main

import (
	"fmt"
	"strings"
	"time"
)

const generated = "Written by `make wiring` from the programs' own options. Changes belong into packaging/icinga."

// commandsConf is the commands in Icinga 2's language.
func commandsConf(commands []command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n// Times are seconds, or texts with a unit: \"30m\". Every option is described by PROGRAM --help.\n", generated)
	for _, c := range commands {
		kind := "CheckCommand"
		if c.event {
			kind = "EventCommand"
		}
		fmt.Fprintf(&b, "\n// %s\nobject %s %s {\n", c.summary, kind, quote(c.name))
		fmt.Fprintf(&b, "  command = [ PluginDir + %s ]\n  timeout = %s\n  arguments = {\n", quote("/"+c.program), seconds(c.timeout))
		for _, o := range c.options {
			fmt.Fprintf(&b, "    %s = {\n", quote("--"+o.flag.Name))
			switch {
			case o.expression:
				fmt.Fprintf(&b, "      set_if = {{ %s }}\n", o.value)
			case o.kind == condition:
				fmt.Fprintf(&b, "      set_if = %s\n", quote(o.value))
			default:
				fmt.Fprintf(&b, "      value = %s\n", quote(o.value))
			}
			if o.kind == repeated || o.kind == together {
				fmt.Fprintf(&b, "      repeat_key = %v\n", o.kind == repeated)
			}
			if o.required {
				b.WriteString("      required = true\n")
			}
			fmt.Fprintf(&b, "      description = %s\n    }\n", quote(o.description))
		}
		b.WriteString("  }\n")
		for _, v := range c.defaults {
			fmt.Fprintf(&b, "  vars.%s = %s\n", v.name, v.literal())
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// quote is a string of Icinga's language.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

func seconds(d time.Duration) string { return fmt.Sprintf("%ds", int(d.Seconds())) }
