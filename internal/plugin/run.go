package plugin

import (
	"context"
	"net/http"
	"time"
)

// Program is one plugin as the frame sees it.
type Program struct {
	Name        string // of the binary
	Summary     string // one line: what it watches
	Description string // paragraphs for --help
	Examples    []Example
	Timeout     time.Duration // default of --timeout
	Unreachable State         // default of --unreachable

	// Define declares the program's own flags and returns the check, which reads the flags' values once they are parsed.
	Define func(*Flags) Check
}

// Example is one use of the program for --help.
type Example struct {
	About   string // why one would run it
	Command string
}

// Check asks, judges and tells the run what it found. An error means that it could not ask or could not judge.
type Check func(context.Context, *Run) error

// Run is one execution of a program: what the check may know of its surroundings and where it tells what it found.
// All methods may be called from any goroutine.
type Run struct{}

// Now is the time to judge by: the clock's, the recording's, or the one given with --now.
func (r *Run) Now() time.Time { panic("todo") }

// Getenv returns an environment variable; an empty one counts as unset, as Icinga passes unset macros so.
func (r *Run) Getenv(name string) string { panic("todo") }

// UserAgent names the program to the servers it asks: "overdue/1.2.3 check_mcp".
func (r *Run) UserAgent() string { panic("todo") }

// Transport wraps the transport of a client so that --record and --replay see every answer. With --replay base is not used.
// scrub, which may be nil, removes from a recorded body what is secret in that client's API.
func (r *Run) Transport(base http.RoundTripper, scrub func(body []byte) []byte) http.RoundTripper {
	panic("todo")
}

// Recorded says that this run writes or reads a recording: clients then ask for answers that a person can read, and with
// --replay need no credentials.
func (r *Run) Recorded() (recording, replaying bool) { panic("todo") }

// Waiting notes what the run is about to wait for. It is told when the deadline or a signal ends the run.
func (r *Run) Waiting(format string, args ...any) { panic("todo") }

// Add tells findings. What was added before the deadline is told even if it strikes.
func (r *Run) Add(findings ...Finding) { panic("todo") }

// Measure adds performance data.
func (r *Run) Measure(metrics ...Metric) { panic("todo") }

// Summarize sets the text of the first line for when all is well.
func (r *Run) Summarize(format string, args ...any) { panic("todo") }

// Note tells something that is shown with -v only, such as an optional right that is missing.
func (r *Run) Note(format string, args ...any) { panic("todo") }
