package plugin

import (
	"fmt"
	"strings"
)

// Count puts a number and its noun together: "1 node", "44 nodes".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Verb is the form of a verb that goes with a number.
func Verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// List names at most three things: "a, b and c", "a, b, c and 4 more".
func List(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	if len(names) > 1 {
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	}
	return strings.Join(names, "")
}

// Misuse is an error in what was asked for, not in what is watched: the state is then UNKNOWN whatever --unreachable says.
type Misuse string

func (m Misuse) Error() string { return string(m) }

// Usage marks the error for Main.
func (m Misuse) Usage() bool { return true }
