package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"overdue/internal/plugin"
)

// write prints a program's man page in the roff of man(7). date is that of the release.
//
// Libraries that turn flags into man pages sort the flags, drop their topics and arguments, and stamp the day of the build.
func write(out io.Writer, p plugin.Program, version string, date time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 8 %s \"Overdue %s\" \"Icinga and Nagios plugins\"\n", strings.ToUpper(p.Name), date.UTC().Format(time.DateOnly), escape(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(p.Name), text(strings.TrimSuffix(p.Summary, ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n[\\fIoptions\\fR]\n", escape(p.Name))
	b.WriteString(".SH DESCRIPTION\n")
	for paragraph := range strings.SplitSeq(strings.TrimSpace(p.Description), "\n\n") {
		fmt.Fprintf(&b, ".PP\n%s\n", text(paragraph))
	}
	b.WriteString(".SH OPTIONS\n")
	for title, flags := range p.Topics() {
		fmt.Fprintf(&b, ".SS %s\n", escape(title))
		flags.VisitAll(func(flag *pflag.Flag) { option(&b, flag) })
	}
	if len(p.Examples) > 0 {
		b.WriteString(".SH EXAMPLES\n")
	}
	for _, example := range p.Examples {
		fmt.Fprintf(&b, ".PP\n%s\n.PP\n.nf\n.RS\n", text(example.About))
		for line := range strings.SplitSeq(strings.TrimSpace(example.Command), "\n") {
			fmt.Fprintf(&b, "%s\n", text(line))
		}
		b.WriteString(".RE\n.fi\n")
	}
	fmt.Fprintf(&b, ".SH \"SEE ALSO\"\nThe meaning of each verdict, and what to do: /usr/share/doc/overdue/docs/%s.md\n", escape(p.Name))
	_, err := io.WriteString(out, b.String())
	return err
}

func option(b *strings.Builder, flag *pflag.Flag) {
	if flag.Hidden {
		return
	}
	kind, usage := pflag.UnquoteUsage(flag)
	b.WriteString(".TP\n")
	if flag.Shorthand != "" {
		fmt.Fprintf(b, "\\fB\\-%s\\fR, ", flag.Shorthand)
	}
	fmt.Fprintf(b, "\\fB\\-\\-%s\\fR", escape(flag.Name))
	if kind != "" && flag.NoOptDefVal == "" {
		fmt.Fprintf(b, " \\fI%s\\fR", escape(strings.ToUpper(kind)))
	}
	switch flag.DefValue {
	case "", "false", "0", "[]":
	default:
		usage += fmt.Sprintf(" (default %s)", flag.DefValue)
	}
	fmt.Fprintf(b, "\n%s\n", text(usage))
}

// text is a line that roff must not take for a request.
func text(line string) string {
	line = escape(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}

var escape = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace
