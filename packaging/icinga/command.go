package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"overdue/internal/plugin"
	"overdue/packaging/programs"
)

// command is a CheckCommand or an EventCommand of Icinga's.
type command struct {
	name     string // as Icinga's own library has it: the program's without check_
	program  string
	summary  string
	event    bool
	timeout  time.Duration
	options  []option
	defaults []variable // the thresholds, at the command, so that hosts, templates and services can all change them
}

// option is one of a program's options as an argument of a command.
type option struct {
	flag        *pflag.Flag
	kind        kind
	value       string // a text with macros; of a condition the macro or, with expression, an expression of Icinga's language
	expression  bool
	required    bool
	description string
}

type kind int

const (
	single   kind = iota
	together      // several values are given after one key: a program that takes one refuses them
	repeated
	condition
)

type variable struct {
	name  string
	value any // a text, or true
}

// literal is a variable's value in Icinga's language. A switch wants a boolean: set_if takes no text.
func (v variable) literal() string {
	if text, ok := v.value.(string); ok {
		return quote(text)
	}
	return fmt.Sprint(v.value)
}

// unwired are options that no configuration of a monitoring should set.
var unwired = map[string]string{
	"help":          "prints a text",
	"version":       "prints a text",
	"force":         "for calls by hand only",
	"before-change": "asks about a change, not about a state",
}

// spare is how long Icinga waits for a program after the program's own deadline, so that it can say what it waited for.
const spare = 15 * time.Second

func commands() []command {
	var all []command
	for _, p := range programs.All {
		if strings.HasPrefix(p.Name, "check_") {
			all = append(all, check(p))
		} else {
			all = append(all, handler(p))
		}
	}
	return all
}

func check(p plugin.Program) command {
	c := start(p, strings.TrimPrefix(p.Name, "check_"))
	p.Flags().VisitAll(func(flag *pflag.Flag) {
		if unwired[flag.Name] == "" {
			c.options = append(c.options, wire(flag, variableOf(c.name, flag.Name)))
		}
	})
	for title, flags := range p.Topics() {
		flags.VisitAll(func(flag *pflag.Flag) {
			if title == "Thresholds" && flag.DefValue != "" && flag.DefValue != "off" && flag.DefValue != "0" {
				c.defaults = append(c.defaults, variable{variableOf(c.name, flag.Name), flag.DefValue})
			}
		})
	}
	return c
}

func start(p plugin.Program, name string) command {
	var deadline plugin.Duration
	if err := deadline.Set(p.Flags().Lookup("timeout").DefValue); err != nil {
		panic(err)
	}
	return command{name: name, program: p.Name, summary: p.Summary, timeout: time.Duration(deadline) + spare}
}

func variableOf(prefix, flag string) string {
	return prefix + "_" + strings.ReplaceAll(flag, "-", "_")
}

func wire(flag *pflag.Flag, variable string) option {
	_, usage := pflag.UnquoteUsage(flag)
	switch flag.DefValue {
	case "", "false", "0", "[]":
	default:
		usage += fmt.Sprintf(" (default %s)", flag.DefValue)
	}
	o := option{flag: flag, value: "$" + variable + "$", description: usage}
	switch {
	case flag.NoOptDefVal != "":
		o.kind = condition
	case strings.Contains(flag.Usage, "repeatable"):
		o.kind = repeated
	}
	return o
}
