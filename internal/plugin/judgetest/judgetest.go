// Package judgetest holds a judge's findings against what a table's row expects of them.
package judgetest

import (
	"strings"
	"testing"

	check "github.com/NETWAYS/go-check"

	"overdue/internal/plugin"
)

// Want is what a row expects: the verdict's state, and words that its texts must and must not hold.
type Want struct {
	State plugin.State
	Says  []string
	Not   []string
}

// Check reports where findings and the summary, which may be empty, are not as wanted.
func (w Want) Check(t *testing.T, findings []plugin.Finding, summary string) {
	t.Helper()
	text := Story(findings, summary)
	if got := Worst(findings); got != w.State {
		t.Errorf("state %s, want %s:\n%s", got, w.State, text)
	}
	for _, s := range w.Says {
		if !strings.Contains(text, s) {
			t.Errorf("does not say %q:\n%s", s, text)
		}
	}
	for _, s := range w.Not {
		if strings.Contains(text, s) {
			t.Errorf("must not say %q:\n%s", s, text)
		}
	}
}

// Story is a verdict as text, a line each finding and the summary last.
func Story(findings []plugin.Finding, summary string) string {
	var b strings.Builder
	for _, f := range findings {
		since := ""
		if !f.Since.IsZero() {
			since = "since " + plugin.Moment(f.Since)
			if f.AtLeast {
				since = "at least " + since
			}
		}
		b.WriteString(strings.Join(append([]string{f.State.String(), f.Subject, f.Problem, since, f.Cause, f.Consequence, f.Remedy}, f.Details...), " ¶ ") + "\n")
		for _, row := range f.Table {
			b.WriteString(row[0] + " → " + row[1] + "\n")
		}
	}
	return b.String() + summary + "\n"
}

// Worst is the state that the frame gives to findings; OK if there are none.
func Worst(findings []plugin.Finding) plugin.State {
	states := []plugin.State{plugin.OK}
	for _, f := range findings {
		states = append(states, f.State)
	}
	return check.WorstState(states...)
}
