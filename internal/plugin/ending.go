package plugin

import (
	"errors"
	"fmt"
	"os"
	"time"
)

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
		if isMisuse(end.err) {
			v := misused(program, end.err)
			return failed(Unknown, v.head, told)
		}
		return failed(unreachable, errorText(end.err), told)
	}
	return found(told)
}

// isMisuse says that the options are wrong.
func isMisuse(err error) bool {
	var usage interface{ Usage() bool }
	return errors.As(err, &usage) && usage.Usage()
}

func errorText(err error) string {
	text := clip(err.Error(), maxLine)
	if text == "" {
		text = "failed without saying why"
	}
	if hint := clip(Hint(err), maxLine/2); hint != "" {
		text += "; do: " + hint
	}
	return text
}

// Hint is what an error says to do, or "".
func Hint(err error) string {
	var hinter interface{ Hint() string }
	if errors.As(err, &hinter) {
		return hinter.Hint()
	}
	return ""
}
