package plugin

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

const (
	helpWidth   = 100
	helpColumn  = 32
	licenceLine = "Licence: GPL-3.0-or-later"
	exitCodes   = `Exit codes:
  0 OK   1 WARNING   2 CRITICAL   3 UNKNOWN, also for --help, --version and wrong use
`
	ranges = `Ranges:
  A range says which values are well; all others raise the alarm.
    10       0 to 10            10:      10 or more
    ~:10     10 or less         10:20    10 to 20
    @10:20   all but 10 to 20   off      no alarm
`
	timeRanges = `  A bound of a TIMERANGE takes units: 90s, 30m, 1h30m, 2d, @10m:1h. A plain number is seconds.
`
)

func help(p Program, f *Flags) string {
	var b strings.Builder
	number, _ := version()
	fmt.Fprintf(&b, "%s %s\n%s\n\n", p.Name, number, licenceLine)
	if p.Summary != "" {
		fmt.Fprintf(&b, "%s\n\n", wrap(p.Summary, 0))
	}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(p.Description), "\n\n") {
		if paragraph != "" {
			fmt.Fprintf(&b, "%s\n\n", wrap(paragraph, 0))
		}
	}
	fmt.Fprintf(&b, "Usage: %s [options]\n\n", p.Name)
	kinds := map[string]bool{}
	for _, group := range f.groups {
		fmt.Fprintf(&b, "%s:\n", group.title)
		group.set.VisitAll(func(flag *pflag.Flag) {
			if !flag.Hidden {
				helpFlag(&b, flag)
			}
			kinds[flag.Value.Type()] = true
		})
		b.WriteString("\n")
	}
	if kinds["RANGE"] || kinds["TIMERANGE"] {
		b.WriteString(ranges)
		if kinds["TIMERANGE"] {
			b.WriteString(timeRanges)
		}
		b.WriteString("\n")
	}
	if len(p.Examples) > 0 {
		b.WriteString("Examples:\n")
		for _, example := range p.Examples {
			fmt.Fprintf(&b, "  %s\n", wrap(example.About, 2))
			fmt.Fprintf(&b, "    %s\n\n", strings.ReplaceAll(strings.TrimSpace(example.Command), "\n", "\n    "))
		}
	}
	b.WriteString(p.Outcomes.help())
	return b.String()
}

func helpFlag(b *strings.Builder, flag *pflag.Flag) {
	kind, usage := pflag.UnquoteUsage(flag)
	head := "      --" + flag.Name
	if flag.Shorthand != "" {
		head = "  -" + flag.Shorthand + ", --" + flag.Name
	}
	if kind != "" && flag.NoOptDefVal == "" {
		head += " " + strings.ToUpper(kind)
	}
	switch flag.DefValue {
	case "", "false", "0", "[]":
	default:
		usage += fmt.Sprintf(" (default %s)", flag.DefValue)
	}
	if gap := helpColumn - utf8.RuneCountInString(head); gap >= 2 {
		head += strings.Repeat(" ", gap)
	} else {
		head += "\n" + strings.Repeat(" ", helpColumn)
	}
	fmt.Fprintf(b, "%s%s\n", head, wrap(usage, helpColumn))
}

// wrap breaks a text between words; lines after the first are indented.
func wrap(text string, indent int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		size := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+size > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += size
	}
	return b.String()
}
