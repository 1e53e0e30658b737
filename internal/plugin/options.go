package plugin

import (
	"errors"
	"fmt"
	"time"
)

const defaultTimeout = 30 * time.Second

// options are the values of the flags that every program has.
type options struct {
	timeout     Duration
	verbose     int
	version     bool
	help        bool
	unreachable State
	record      string
	replay      string
	now         timeValue
}

func (o *options) declare(f *Flags, p Program) {
	o.timeout = Duration(p.Timeout)
	if o.timeout <= 0 {
		o.timeout = Duration(defaultTimeout)
	}
	o.unreachable = p.Unreachable
	if p.Unreachable <= OK || p.Unreachable > Unknown {
		o.unreachable = Unknown
	}
	set := f.Group("Standard options")
	set.VarP(&o.timeout, "timeout", "t", "end the whole run after this time, in seconds or with a unit (30, 45s, 1m), and tell what it waited for")
	if p.Outcomes == nil {
		set.Var(badState{StateValue(&o.unreachable)}, "unreachable", "state when no answer can be had: warning, critical or unknown")
	}
	set.StringVar(&o.record, "record", "", "save every answer to `FILE`, without secrets")
	set.StringVar(&o.replay, "replay", "", "judge the recording in `FILE`, at the time it was made, without a network")
	set.Var(&o.now, "now", "judge as of `TIME`, such as 2026-11-30T23:58:00Z or \"2026-11-30 23:58\" (UTC)")
	set.CountVarP(&o.verbose, "verbose", "v", "tell everything: all findings, and notes; repeat it for the trace of a crash")
	set.BoolVarP(&o.version, "version", "V", false, "print the version")
	set.BoolVarP(&o.help, "help", "h", false, "print this help")
}

// check refuses what no single flag can see.
func (o *options) check(changed func(name string) bool) error {
	switch {
	case o.timeout <= 0:
		return errors.New("--timeout must be more than 0, for example 30s")
	case changed("record") && o.record == "":
		return errors.New("--record needs the name of a file")
	case changed("replay") && o.replay == "":
		return errors.New("--replay needs the name of a file")
	case o.record != "" && o.replay != "":
		return errors.New("--record and --replay exclude each other")
	}
	return nil
}

// timeValue is a point in time, or none, as a pflag.Value.
type timeValue struct {
	time.Time
}

func (t *timeValue) Set(text string) error {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02 15:04 UTC"} {
		if parsed, err := time.Parse(layout, text); err == nil {
			t.Time = parsed
			return nil
		}
	}
	return fmt.Errorf("a time is %q or %q (UTC)", "2026-11-30T23:58:00Z", "2026-11-30 23:58")
}

func (t *timeValue) String() string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

func (t *timeValue) Type() string { return "TIME" }
