package resync

import (
	"fmt"
	"time"

	"overdue/internal/plugin"
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
	{Name: "NO ANSWER", Meaning: "Poseidon could not be asked, or a signal ended the run; also for --help, --version and wrong use"},
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
		f.Problem = r.change()
		if r.Failure != nil {
			f.Cause = r.Failure.Error()
		}
		if !r.Helped {
			f.Consequence = "it is not repeated until the service recovers, or --force"
			f.Remedy = advice + "; its event stream may have stalled"
			if r.Action == Restart {
				f.Remedy = "look at Poseidon's log: journalctl -u poseidon, and at Nomad's"
			}
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
	text := fmt.Sprintf("idle %s → %s in %s", r.Before, r.After, seconds(r.Took))
	if !r.Helped {
		text = fmt.Sprintf("did not help: idle %s → %s after %s", r.Before, r.After, seconds(r.Took))
	}
	if r.Action == Resync {
		atMost := ""
		if r.Failure != nil && r.Before.Used > 0 {
			atMost = "up to "
		}
		text += ", " + atMost + plugin.Count(r.Before.Used, "used runner") + " ended"
	}
	if r.Action == Restart && r.Breaks > 0 {
		text += ", up to " + plugin.Count(r.Breaks, "execution") + " broken"
	}
	return text
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	}
	return plugin.Age(d)
}
