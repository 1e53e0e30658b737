package plugin

import (
	"time"

	check "github.com/NETWAYS/go-check"
)

// State is a Nagios service state; its numbers are the exit codes.
type State = check.Status

// The four service states, as the Monitoring Plugins guidelines name them.
const (
	OK       = check.OK
	Warning  = check.Warning
	Critical = check.Critical
	Unknown  = check.Unknown
)

// Finding is one judged fact, told so that a person can act on it. Texts may hold names from an API: the frame
// sanitises them when it prints. Every field but State, Subject and Problem may be empty.
type Finding struct {
	State   State
	Subject string // what it is about: "pool worker", "node wrk-98"
	Problem string // what is wrong: "update blocked, 1 of 44 nodes outdated"

	Since   time.Time // when it began; zero if unknown
	AtLeast bool      // Since is the latest moment at which it can have begun

	Cause       string   // because of what
	Consequence string   // what happens next
	Remedy      string   // what to do; a command where there is one
	Details     []string // further lines, one each, shown below the finding

	Table [][2]string // further lines, below the details, in two columns: a case and what comes of it
}

// Metric is one point of performance data. Its label must not depend on what was found, only on what is watched.
type Metric struct {
	Label             string  // no blanks, quotes, "=" or "::"
	Value             float64 // in base units
	Unit              string  // "", "s", "B", "%", "c"
	Warning, Critical *Range  // only plain upper bounds are drawn by Icinga's graphs
}
