// Package plugin is the frame that every program of the suite stands in: flags, thresholds, deadline, verdict, output,
// performance data, exit code, recording and replay. It knows nothing of what the programs watch.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"syscall"
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

// deliver writes the output. A reader that does not read can hold it up, so the end of the run's time ends the attempt, and so
// does a signal, after a moment for readers that do. While signals are not caught, they end the process.
func deliver(out io.Writer, text string, stop <-chan os.Signal, until time.Time) bool {
	if stop == nil {
		return write(out, text)
	}
	written := make(chan bool, 1)
	go func() { written <- write(out, text) }()
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case complete := <-written:
		return complete
	case <-timer.C:
		return false
	case <-stop:
		timer.Reset(grace)
	}
	select {
	case complete := <-written:
		return complete
	case <-timer.C:
		return false
	}
}

func write(out io.Writer, text string) (complete bool) {
	defer func() { _ = recover() }()
	if file, ok := out.(*os.File); ok {
		out = quietPipe{file}
	}
	n, err := io.WriteString(out, text)
	return err == nil && n == len(text)
}

// quietPipe writes to a file by itself, as os.File ends the process when stdout is a pipe that nobody reads.
type quietPipe struct{ file *os.File }

func (q quietPipe) Write(p []byte) (written int, err error) {
	conn, err := q.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := conn.Write(func(fd uintptr) (done bool) {
		for written < len(p) {
			n, failure := syscall.Write(int(fd), p[written:])
			switch {
			case failure == syscall.EINTR:
			case failure == syscall.EAGAIN:
				return false
			case failure != nil:
				err = failure
				return true
			default:
				written += n
			}
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return written, err
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
	verdict := judge(p.Name, end, r.told(), opts.unreachable)
	until = began.Add(time.Duration(opts.timeout) + grace)
	if soon := time.Now().Add(grace); until.Before(soon) {
		until = soon
	}
	return verdict.print(opts.verbose, p.Outcomes), verdict.state, until
}

// ending is how a check ended: by itself, with err or nil, or by one of the other fields.
type ending struct {
	err      error
	crash    any
	stack    []byte
	late     bool          // it came back only after it was told to stop
	deadline time.Duration // it struck
	signal   os.Signal     // it came
	caller   bool          // the caller's context was done
	after    time.Duration
}

// byItself says that the check came to its end.
func (e ending) byItself() bool {
	return e.err == nil && e.crash == nil && e.signal == nil && !e.caller && e.deadline == 0
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

// judge turns the ending and what was told into a verdict. How the run ended is a detail where it had something to tell otherwise.
func judge(program string, end ending, told told, unreachable State) verdict {
	v := judgeEnding(program, end, told, unreachable)
	if told.instead == nil || end.byItself() {
		return v
	}
	if len(told.findings) == 0 {
		told.findings = []Finding{*told.instead}
	}
	whole := found(told)
	whole.details, whole.trace = append(whole.details, "    "+v.head), v.trace
	return whole
}

func judgeEnding(program string, end ending, told told, unreachable State) verdict {
	waiting := func(prefix string) string {
		if told.waiting == "" {
			return ""
		}
		return prefix + clip(told.waiting, maxLine/2)
	}
	switch {
	case end.signal != nil:
		text := fmt.Sprintf("stopped by %s after %s", signalName(end.signal), Age(end.after))
		if end.signal != os.Interrupt {
			return failed(Unknown, text+" (the caller's own timeout?)"+waiting(" while waiting for ")+"; set --timeout below it", told)
		}
		return failed(Unknown, text+waiting(" while waiting for "), told)
	case end.caller:
		return failed(Unknown, fmt.Sprintf("stopped by its caller after %s", Age(end.after))+waiting(" while waiting for "), told)
	case end.deadline != 0:
		text := fmt.Sprintf("no result after %s", Duration(end.deadline))
		var hinter interface{ Hint() string }
		if errors.As(end.err, &hinter) { // a client says best what it was at
			return failed(unreachable, text+": "+errorText(end.err), told)
		}
		return failed(unreachable, text+waiting(": still waiting for "), told)
	case end.crash != nil:
		return crashed(program, end.crash, end.stack)
	case end.err != nil:
		var usage interface{ Usage() bool }
		if errors.As(end.err, &usage) && usage.Usage() {
			v := misused(program, end.err)
			return failed(Unknown, v.head, told)
		}
		return failed(unreachable, errorText(end.err), told)
	}
	return found(told)
}

func errorText(err error) string {
	text := clip(err.Error(), maxLine)
	if text == "" {
		text = "failed without saying why"
	}
	var hinter interface{ Hint() string }
	if errors.As(err, &hinter) {
		if hint := clip(hinter.Hint(), maxLine/2); hint != "" {
			text += "; do: " + hint
		}
	}
	return text
}
