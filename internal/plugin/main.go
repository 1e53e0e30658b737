// Package plugin is the frame that every program of the suite stands in: flags, thresholds, deadline, verdict, output,
// performance data, exit code, recording and replay. It knows nothing of what the programs watch.
package plugin

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"
	"time"
)

// grace is how long a check may take to come back once it is told to stop.
const grace = 300 * time.Millisecond

// Main runs a program once and returns its exit code, 0 to 3. It prints to out only, once, and leaves nothing behind, so
// that a whole run is one function call in a test.
func Main(ctx context.Context, p Program, args, env []string, out io.Writer) int {
	var signals signals
	if out != io.Writer(os.Stdout) { // a process that ends anyway goes on catching: a late signal must not take its exit code
		defer func() { signals.release() }()
	}
	defer silenceLog()()

	text, state, until := run(ctx, p, args, env, &signals)
	if atTerminal(out, env) {
		text = coloured(text)
	}
	if !deliver(out, text, signals.stop, until) || state < OK || state > Unknown {
		return int(Unknown)
	}
	return int(state)
}

func run(ctx context.Context, p Program, args, env []string, signals *signals) (text string, state State, until time.Time) {
	defer func() {
		if crash := recover(); crash != nil {
			text, state, until = crashed(p.Name, crash, nil).print(0, p.Outcomes), Unknown, time.Now().Add(grace)
		}
	}()
	began := time.Now()
	var opts options
	check, flags := p.define(&opts)
	set := flags.all()

	err := parse(set, args)
	switch {
	case opts.help || err != nil && asked(args, "--help", "-h"):
		return help(p, flags), Unknown, until
	case opts.version || err != nil && asked(args, "--version", "-V"):
		return versionLine(p.Name) + "\n", Unknown, until
	case err == nil:
		err = opts.check(set.Changed)
	}
	if err != nil {
		p.misused(args, err)
		return misused(p.Name, err).print(0, p.Outcomes), Unknown, until
	}

	r := &Run{program: p.Name, env: env, now: began, live: opts.replay == "" && opts.now.IsZero()}
	if !opts.now.IsZero() {
		r.now = opts.now.Time
	}
	if opts.record != "" || opts.replay != "" {
		r.tape = newTape(r, &opts)
	}
	signals.catch() // not before: help and version need none, and it costs a tenth of their time
	end := execute(ctx, r, check, time.Duration(opts.timeout), signals.stop)
	if r.tape != nil {
		if err := r.tape.save(); err != nil {
			r.unrecorded(p, Finding{State: Unknown, Subject: "--record " + opts.record, Problem: "the recording could not be written", Cause: err.Error()})
		}
	}
	if isMisuse(end.err) {
		p.misused(args, end.err)
	}
	verdict := judge(p.Name, end, r.told(), opts.unreachable)
	until = began.Add(time.Duration(opts.timeout) + grace)
	if soon := time.Now().Add(grace); until.Before(soon) {
		until = soon
	}
	return verdict.print(opts.verbose, p.Outcomes), verdict.state, until
}

func (p Program) misused(args []string, err error) {
	if p.Misused != nil {
		p.Misused(args, err)
	}
}

var errNoReturn = errors.New("the check ended without a result")

// execute runs the check until it returns, the deadline strikes or a signal comes.
func execute(parent context.Context, r *Run, check Check, timeout time.Duration, stop <-chan os.Signal) ending {
	began := time.Now()
	ctx, cancel := context.WithTimeout(parent, timeout)
	defer cancel()
	returned := make(chan ending, 1)
	go func() {
		end := ending{err: errNoReturn} // stays if the check calls runtime.Goexit
		defer func() {
			if end.crash = recover(); end.crash != nil {
				end.stack = debug.Stack()
			}
			end.late = ctx.Err() != nil
			returned <- end
		}()
		if r.tape != nil {
			if end.err = r.tape.open(); end.err != nil {
				return
			}
			end.err = errNoReturn
		}
		end.err = check(ctx, r)
	}()

	var end ending
	select {
	case end = <-returned:
		if !end.late {
			return end
		}
	case end.signal = <-stop:
	case <-ctx.Done():
	}
	end = ending{signal: end.signal, after: time.Since(began), err: end.err}
	switch {
	case end.signal != nil:
	case parent.Err() != nil:
		end.caller = true
	default:
		end.deadline = timeout
	}
	cancel()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	if end.err == nil {
		select {
		case late := <-returned:
			end.err = late.err
		case <-timer.C:
		}
	}
	return end
}
