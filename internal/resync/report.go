package resync

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// state is the exit code of a result.
func (r result) state() plugin.State {
	switch {
	case r.Acted && !r.Helped:
		return plugin.Critical
	case r.Action == Refuse:
		return plugin.Warning
	}
	return plugin.OK
}

// outcomes are the exit codes of the handler.
var outcomes = plugin.Outcomes{
	{Name: "DONE", Meaning: "done, or nothing to do"},
	{Name: "REFUSED", Meaning: "refused to act"},
	{Name: "DID NOT HELP", Meaning: "acted, and the pool is still not half full"},
	{Name: "NO ANSWER", Meaning: "Poseidon could not be asked; also for --help, --version and wrong use"},
}

// subject is what a result is about: "resync 29 at 07:53 UTC".
func (h *handler) subject(r result) string {
	name := "resync"
	if r.Action == Restart {
		name = "restart for"
	}
	return fmt.Sprintf("%s %d at %s", name, h.facts.Environment, r.At.Wall.UTC().Format("15:04 UTC"))
}

// finding tells a result to a person.
func (h *handler) finding(r result) plugin.Finding {
	f := plugin.Finding{State: r.state(), Subject: h.subject(r), Problem: r.Reason, Remedy: r.Remedy}
	switch {
	case r.Acted:
		f.Problem, f.Cause = r.change(), r.why()
		if !r.Helped {
			f.Consequence, f.Remedy = "it is not repeated until the service recovers, or --force", r.next()
		}
		if !r.Helped && r.Unkept != nil {
			f.Consequence = "it is repeated when --cooldown is over, as what came of it cannot be written down"
			f.Remedy = "make room in the state directory, and see to its rights; " + f.Remedy
		}
	case r.Action == Resync:
		f.Problem = "would resync: " + r.Reason
	case r.Action == Restart:
		f.Problem = "would restart Poseidon: " + r.Reason
	case r.Action == Nothing:
		f.Problem = "nothing to do: " + r.Reason
	}
	if r.Note != "" {
		f.Details = append(f.Details, r.Note)
	}
	return f
}

// change tells what acting brought: "idle 1/4 → 4/4 in 12 s, 0 used runners ended".
func (r result) change() string {
	switch {
	case r.Helped:
		return fmt.Sprintf("idle %s → %s in %s, %s", r.Before, r.After, seconds(r.Took), r.harm())
	case r.Unseen != nil:
		return fmt.Sprintf("it is not known whether it helped: the pool could not be seen %s later, %s", seconds(r.Took), r.harm())
	}
	return fmt.Sprintf("did not help: idle %s → %s after %s, %s", r.Before, r.After, seconds(r.Took), r.harm())
}

// harm tells what acting has cost, for certain or at most.
func (r result) harm() string {
	if r.Action == Restart {
		executions := plugin.Count(r.Breaks, "execution")
		switch {
		case r.Breaks == 0:
			return "no execution broken"
		case r.Failure != nil: // it may have stopped Poseidon, or not even have been allowed to
			return "up to " + executions + " may be broken"
		}
		return "up to " + executions + " broken"
	}
	atMost := ""
	if r.Failure != nil && r.Before.Used > 0 {
		atMost = "up to "
	}
	return atMost + plugin.Count(r.Before.Used, "used runner") + " ended"
}

// why is what went wrong: with the PUT or the command, and with looking at what came of it.
func (r result) why() string {
	var causes []string
	for _, err := range []error{r.Failure, r.Unseen} {
		if err != nil {
			causes = append(causes, err.Error())
		}
	}
	return strings.Join(causes, "; ")
}

// next is what to do when it did not help.
func (r result) next() string {
	var answer *poseidon.Error
	switch {
	case r.Action == Restart && r.Failure != nil:
		return "run the command of --restart-command by hand, as the user that runs the handler, and see to its rights"
	case errors.As(r.Failure, &answer) && (answer.NoRoom || answer.Refused):
		return answer.Hint()
	case r.Unseen != nil && plugin.Hint(r.Unseen) != "":
		return plugin.Hint(r.Unseen)
	case r.Action == Restart:
		return "look at Poseidon's log: journalctl -u poseidon, and at Nomad's"
	}
	return advice + "; its event stream may have stalled"
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	}
	return plugin.Age(d)
}
