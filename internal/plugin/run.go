package plugin

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
)

// Program is one plugin as the frame sees it.
type Program struct {
	Name        string // of the binary
	Summary     string // one line: what it watches
	Description string // paragraphs for --help
	Examples    []Example
	Timeout     time.Duration // default of --timeout; 30 s if zero
	Unreachable State         // default of --unreachable; UNKNOWN if zero, because no answer is never OK
	Outcomes    *Outcomes     // nil for a check

	// Define declares the program's own flags and returns the check, which reads the flags' values once they are parsed.
	Define func(*Flags) Check

	Misused func(args []string, err error) // is told of wrong use, unless it is nil
}

// Example is one use of the program for --help.
type Example struct {
	About   string // why one would run it
	Command string
}

// define declares all flags of the program: its own, and those that every program has.
func (p Program) define(opts *options) (Check, *Flags) {
	var flags Flags
	check := p.Define(&flags)
	opts.declare(&flags, p)
	return check, &flags
}

// Flags returns the program's flags in the order of --help, for what is made from them: man pages and Icinga's files.
func (p Program) Flags() *pflag.FlagSet {
	_, flags := p.define(new(options))
	return flags.all()
}

// Topics yields the same flags by topic, with the topic's title.
func (p Program) Topics() iter.Seq2[string, *pflag.FlagSet] {
	_, flags := p.define(new(options))
	return func(yield func(string, *pflag.FlagSet) bool) {
		for _, group := range flags.groups {
			if !yield(group.title, group.set) {
				return
			}
		}
	}
}

// Check asks, judges and tells the run what it found. An error means that it could not ask or could not judge: the state is
// then that of --unreachable. If an error in its chain has a method Hint() string, the hint is printed as what to do; if one
// has Usage() bool and it is true, the options are wrong and the state is UNKNOWN.
type Check func(context.Context, *Run) error

// Run is one execution of a program: what the check may know of its surroundings and where it tells what it found.
// All methods may be called from any goroutine.
type Run struct {
	program string
	env     []string
	tape    *tape // nil: nothing is recorded or replayed
	live    bool

	mu       sync.Mutex
	now      time.Time
	waiting  string
	findings []Finding
	instead  *Finding
	metrics  []Metric
	summary  string
	notes    []string
}

// Now is the time to judge by: that at which the run began, or of the recording, or the one given with --now. It stands
// still, so that all findings of a run are judged alike.
func (r *Run) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// Getenv returns an environment variable; an empty one counts as unset, as Icinga passes unset macros so.
func (r *Run) Getenv(name string) string {
	for _, entry := range slices.Backward(r.env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// UserAgent names the program to the servers it asks: "overdue/1.2.3 check_mcp".
func (r *Run) UserAgent() string {
	number, _ := version()
	return "overdue/" + number + " " + r.program
}

// Transport wraps the transport of a client so that --record and --replay see every answer. With --replay base is not used.
// scrub, which may be nil, removes from a recorded body what is secret in that client's API.
func (r *Run) Transport(base http.RoundTripper, scrub func(body []byte) []byte) http.RoundTripper {
	if r.tape == nil {
		return base
	}
	return r.tape.transport(base, scrub)
}

// Recorded says that this run writes or reads a recording: clients then ask for answers that a person can read, and with
// --replay need no credentials.
func (r *Run) Recorded() (recording, replaying bool) {
	if r.tape == nil {
		return false, false
	}
	return !r.tape.replaying, r.tape.replaying
}

// Live says that the run is about this moment: there is neither --replay nor --now. A program that acts does so only then.
func (r *Run) Live() bool { return r.live }

// Waiting notes what the run is about to wait for. It is told when the deadline or a signal ends the run.
func (r *Run) Waiting(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = fmt.Sprintf(format, args...)
}

// Add tells findings. What was added before the deadline is told even if it strikes.
func (r *Run) Add(findings ...Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.findings = append(r.findings, findings...)
}

// unrecorded tells that the recording could not be written: of a program that changes something beside what it did, which its exit
// code is about.
func (r *Run) unrecorded(p Program, f Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.findings) - 1; p.Outcomes != nil && last >= 0 {
		r.findings[last].Details = append(r.findings[last].Details, f.line(r.now))
		return
	}
	r.findings = append(r.findings, f)
}

// Otherwise sets what is told, with its state, if a signal, the deadline, an error or a crash ends the run from now on before it adds a finding:
// for a program that changes something, as that must not pass for a run which came to nothing.
func (r *Run) Otherwise(f Finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.instead = &f
}

// Measure adds performance data.
func (r *Run) Measure(metrics ...Metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.metrics = append(r.metrics, metrics...)
}

// Summarize sets the text of the first line for when all is well.
func (r *Run) Summarize(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary = fmt.Sprintf(format, args...)
}

// Note tells something that is shown with -v only, such as an optional right that is missing.
func (r *Run) Note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// told is all that a check has told so far. A check that outlives its deadline may go on telling, unheard.
type told struct {
	now      time.Time
	waiting  string
	findings []Finding
	instead  *Finding
	metrics  []Metric
	summary  string
	notes    []string
}

func (r *Run) told() told {
	r.mu.Lock()
	defer r.mu.Unlock()
	return told{r.now, r.waiting, slices.Clone(r.findings), r.instead, slices.Clone(r.metrics), r.summary, slices.Clone(r.notes)}
}
