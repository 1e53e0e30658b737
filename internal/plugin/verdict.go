package plugin

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	check "github.com/NETWAYS/go-check"
)

// maxDetails is the number of lines below the first that are printed without -v.
const maxDetails = 20

// verdict is what is printed, and the state of it.
type verdict struct {
	state   State
	head    string    // the first line, clean
	details []string  // the first lines below, clean, with their indentation
	rest    []Finding // told below those
	now     time.Time
	notes   []string
	trace   []string // of a crash
	metrics []Metric
}

// found is the verdict over a check that came to its end.
func found(told told) verdict {
	v := verdict{state: OK, notes: told.notes, metrics: told.metrics}
	summary := clip(told.summary, maxLine)
	if len(told.findings) == 0 {
		if v.head = summary; summary == "" {
			v.state, v.head = Unknown, "nothing was judged"
		}
		return v
	}
	sorted := worstFirst(told.findings)
	worst := sorted[0]
	v.state = worst.State
	v.head = worst.line(told.now)
	if worst.State == OK && summary != "" {
		v.head += "; " + summary
	}
	v.head += more(sorted[1:])
	v.details, v.rest, v.now = worst.details(), sorted[1:], told.now
	return v
}

// failed is the verdict over a check that did not come to its end.
func failed(state State, head string, told told) verdict {
	v := verdict{state: state, head: head, notes: told.notes, metrics: told.metrics, rest: worstFirst(told.findings), now: told.now}
	if len(told.findings) > 0 {
		v.details = append(v.details, "known until then:")
	}
	return v
}

func misused(program string, err error) verdict {
	return verdict{state: Unknown, head: fmt.Sprintf("%s: %s; see %s --help", program, errorText(err), program)}
}

func crashed(program string, crash any, stack []byte) verdict {
	v := verdict{state: Unknown, head: fmt.Sprintf("%s crashed: %s; please report it with -vv", program, clip(fmt.Sprint(crash), maxLine))}
	for line := range strings.Lines(string(stack)) {
		v.trace = append(v.trace, "    "+clip(line, maxLine))
	}
	return v
}

// worstFirst sorts findings by state and keeps the order within one. A state that does not exist counts as UNKNOWN.
func worstFirst(findings []Finding) []Finding {
	sorted := slices.Clone(findings)
	for i := range sorted {
		if sorted[i].State < OK || sorted[i].State > Unknown {
			sorted[i].State = Unknown
		}
	}
	slices.SortStableFunc(sorted, func(a, b Finding) int { return check.Compare(a.State, b.State) })
	return sorted
}

// more counts the findings that the first line does not tell and that are not well.
func more(findings []Finding) string {
	var parts []string
	total := 0
	for _, state := range []State{Critical, Unknown, Warning} {
		count := 0
		for _, finding := range findings {
			if finding.State == state {
				count++
			}
		}
		if count > 0 {
			total += count
			parts = append(parts, fmt.Sprintf("%d %s", count, strings.ToLower(state.String())))
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf(" (+%d more: %s)", total, strings.Join(parts, ", "))
}

// line tells a finding: "Subject: Problem, for AGE (since TIME): Cause; next: Consequence; do: Remedy".
func (f Finding) line(now time.Time) string {
	texts := fit(maxLine, f.Subject, f.Problem, f.Cause, f.Consequence, f.Remedy)
	subject, problem, cause, consequence, remedy := texts[0], texts[1], texts[2], texts[3], texts[4]

	text := join(subject, ": ", problem)
	if !f.Since.IsZero() {
		age := Age(now.Sub(f.Since))
		if f.AtLeast {
			age = "at least " + age
		}
		text = join(text, ", ", fmt.Sprintf("for %s (since %s)", age, Moment(f.Since)))
	}
	text = join(text, ": ", cause)
	if consequence != "" {
		text = join(text, "; ", "next: "+consequence)
	}
	if remedy != "" {
		text = join(text, "; ", "do: "+remedy)
	}
	if text == "" {
		return "no text"
	}
	return text
}

func (f Finding) details() []string {
	lines := make([]string, 0, len(f.Details)+len(f.Table))
	for _, detail := range f.Details {
		lines = append(lines, "    "+clip(detail, maxLine))
	}
	return append(lines, columns(f.Table)...)
}

// columns lays a table out, its second column aligned.
func columns(table [][2]string) []string {
	const widest = 60 // a longer case pushes its own line to the right, not all
	cases := make([]string, len(table))
	width := 0
	for i, row := range table {
		cases[i] = clip(row[0], maxLabel)
		width = max(width, min(widest, utf8.RuneCountInString(cases[i])))
	}
	var lines []string
	for i, row := range table {
		gap := max(0, width-utf8.RuneCountInString(cases[i])) + 2
		lines = append(lines, strings.TrimRight("    "+cases[i]+strings.Repeat(" ", gap)+clip(row[1], maxLine), " "))
	}
	return lines
}

func (f Finding) block(now time.Time) []string {
	return append([]string{fmt.Sprintf(`\_ [%s] %s`, f.State, f.line(now))}, f.details()...)
}

func join(left, separator, right string) string {
	if left == "" || right == "" {
		return left + right
	}
	return left + separator + right
}

// fit cleans texts and shortens the longest of them until all together keep to a limit: the short ones stay whole.
func fit(limit int, texts ...string) []string {
	sizes := make([]int, len(texts))
	fitted := make([]string, len(texts))
	for i, text := range texts {
		fitted[i] = clip(text, limit)
		sizes[i] = len([]rune(fitted[i]))
	}
	slices.SortFunc(sizes, func(a, b int) int { return cmp.Compare(a, b) })
	share, left := limit, limit
	for i, size := range sizes {
		share = left / (len(sizes) - i)
		if size > share {
			break
		}
		left -= size
		share = limit
	}
	for i := range fitted {
		fitted[i] = clip(fitted[i], share)
	}
	return fitted
}

// lines are the lines below the first, and how many more there are than can be shown. Those are counted, not made: a server
// that lies can have a check find a million things.
func (v verdict) lines(most int) (lines []string, left int) {
	lines = v.details
	for i, finding := range v.rest {
		if len(lines) > most {
			for _, hidden := range v.rest[i:] {
				left += 1 + len(hidden.Details) + len(hidden.Table)
			}
			break
		}
		lines = append(lines, finding.block(v.now)...)
	}
	if len(lines) > most {
		left += len(lines) - (most - 1)
		lines = lines[:most-1]
	}
	return lines, left
}

// print lays the verdict out as Nagios and Icinga read it. outcomes, which may be nil, name its state.
func (v verdict) print(verbose int, outcomes *Outcomes) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] - %s\n", outcomes.name(v.state), v.head)
	most := maxDetails
	if verbose > 0 {
		most = math.MaxInt
	}
	details, left := v.lines(most)
	for _, line := range details {
		b.WriteString(line + "\n")
	}
	if left > 0 {
		fmt.Fprintf(&b, "... %d more lines, -v shows all\n", left)
	}
	if verbose > 0 {
		for _, note := range v.notes {
			fmt.Fprintf(&b, "note: %s\n", clip(note, maxLine))
		}
	}
	if verbose > 1 {
		for _, line := range v.trace {
			b.WriteString(line + "\n")
		}
	}
	if points := perfdata(v.metrics); points != "" {
		fmt.Fprintf(&b, "|%s\n", points)
	}
	return b.String()
}
