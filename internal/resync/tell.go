package resync

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"overdue/internal/plugin"
)

// teller reports a result: to who called, to the log and, as nobody sees what a handler prints, to Icinga.
type teller struct {
	icinga *icinga // nil: no comments are wanted
	mute   error   // why none can be added, or nil
	log    func(context.Context, slog.Record) error
}

// judged is what a result comes to, or why there is none.
func (h *handler) judged(r result, failure error) plugin.Finding {
	f := h.finding(r)
	switch {
	case failure == nil:
	case r.Acted:
		f.Problem, f.Cause = failure.Error()+", "+r.harm(), ""
	default:
		f = plugin.Finding{State: plugin.Unknown, Subject: h.subject(r), Problem: "Poseidon could not be asked", Cause: failure.Error(), Remedy: plugin.Hint(failure)}
		if errors.As(failure, new(errNotBegun)) {
			f.Problem, f.Cause = failure.Error(), ""
		}
	}
	return f
}

// tell reports a result, or why there is none. A report that fails is told in the others and changes nothing. The log comes first, as
// Icinga may hang for as long as the run lives.
func (t teller) tell(ctx context.Context, h *handler, r result, failure error) plugin.Finding {
	f := h.judged(r, failure)
	line := h.record(r, f, failure)
	if h.dry {
		t.log = nil
	}
	if failure == nil || r.Acted {
		told := f
		told.Details = append(slices.Clone(f.Details), oneLine(line))
		h.otherwise(told) // to report takes time
	}
	t.write(ctx, line)
	if (t.icinga != nil || t.mute != nil) && !h.dry && (f.State != plugin.OK || r.Acted) {
		h.waiting("Icinga, to add a comment")
		if err := t.comment(ctx, sentence(f), h.moment().Wall); err != nil {
			text := "the comment could not be added: " + err.Error()
			t.write(ctx, h.line(slog.LevelWarn, text, "comment-failed"))
			line.AddAttrs(slog.String("comment", "failed: "+clean(err.Error())))
			f.Details = append(f.Details, text)
		} else {
			line.AddAttrs(slog.String("comment", "added"))
		}
	}
	f.Details = append(f.Details, oneLine(line))
	return f
}

// write logs a line, in a bounded time: a journal that does not read blocks whoever writes to it. A machine without journal and syslog
// is no error.
func (t teller) write(ctx context.Context, line slog.Record) {
	if t.log == nil {
		return
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = t.log(context.WithoutCancel(ctx), line)
	}()
	patience := logPatience
	if ctx.Err() != nil {
		patience = lastMoment
	}
	select {
	case <-written:
	case <-time.After(patience):
	}
}

// comment adds a comment, in a time that leaves some to end with the right exit code. If the run was interrupted, that is the
// moment which ends it.
func (t teller) comment(ctx context.Context, text string, now time.Time) error {
	if t.mute != nil {
		return t.mute
	}
	patience := icingaPatience
	if deadline, limited := ctx.Deadline(); limited {
		patience = min(patience, time.Until(deadline)-time.Second)
	}
	if ctx.Err() != nil {
		patience = lastMoment
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return t.icinga.comment(ctx, text, now)
}

// withoutReserve is a context that ends early enough to tell why, also if --timeout is short.
func withoutReserve(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(reserve, time.Until(deadline)/3)))
}

// sentence is a finding as the text of a comment.
func sentence(f plugin.Finding) string {
	text := f.Subject
	if f.State == plugin.Warning {
		text += " refused"
	}
	text += ": " + f.Problem
	if f.Cause != "" {
		text += ": " + f.Cause
	}
	if f.Remedy != "" {
		text += "; do: " + f.Remedy
	}
	return text
}
