package resync

import (
	"context"
	"errors"
	"fmt"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// freshness is how old the statistics may be when something is done: what the decision rests on may have changed since.
const freshness = 5 * time.Second

// tooLate refuses what is not to be begun any more: the time of the run is over, or the second look is too long ago.
func (h *handler) tooLate(ctx context.Context) *Decision {
	if err := ctx.Err(); err != nil {
		return refuse("", "interrupted before it began (%s)", err)
	}
	if age := h.since(h.looked); age > freshness {
		return stale(age, "")
	}
	return nil
}

// stale refuses as the statistics are too old.
func stale(age time.Duration, why string) *Decision {
	d := refuse("look at why Poseidon or the file system of the state directory is so slow", "the statistics are %s old by now, and much may have changed since", seconds(age))
	if why != "" {
		d.Reason += ": " + why
	}
	return d
}

// unlike refuses when a record is another one than the decision heeded: a lock that does not span hosts, or whose file somebody
// deleted, kept nobody out.
func (h *handler) unlike(key string) *Decision {
	is, err := h.store.read(key)
	if err != nil {
		return refuse(plugin.Hint(err), "without its record a resync could be doubled: %s", err)
	}
	if was := h.remembered(key); is.Stamp != was.Stamp || is.Outcome != was.Outcome || is.Host != was.Host || is.PID != was.PID {
		return refuse("let the state directory be on a file system whose locks span hosts", "another run has written %s since this one read it: its lock kept neither out", h.store.path(key, "json"))
	}
	return nil
}

// remembered is a key's record as the decision heeded it.
func (h *handler) remembered(key string) Record {
	if key == restartKey {
		return h.facts.State.Restart
	}
	return h.facts.State.Last
}

// takeBack is a refusal after some records were written.
func (h *handler) takeBack(refusal Decision, keys []string) Decision {
	if err := h.forget(keys); err != nil {
		refusal.Reason += fmt.Sprintf("; and it counts for --cooldown, as its record stays: %s", err)
	}
	return refusal
}

// forget takes back the records of what was not begun after all.
func (h *handler) forget(keys []string) error {
	var errs []error
	for _, key := range keys {
		if last := h.remembered(key); last.exists() {
			errs = append(errs, h.store.write(key, last))
		} else {
			errs = append(errs, h.store.remove(key))
		}
	}
	return errors.Join(errs...)
}

// errNotBegun says that what was decided was not begun: there is nothing to remember.
type errNotBegun struct {
	action string
	cause  error
	stays  error // why its record could not be taken back, or nil
}

func (e errNotBegun) Error() string {
	text := fmt.Sprintf("the %s was not begun: %s", e.action, e.cause)
	if e.stays != nil {
		text += fmt.Sprintf("; and it counts for --cooldown, as its record stays: %s", e.stays)
	}
	return text
}

func (e errNotBegun) Unwrap() error { return e.cause }

// notBegun says that nothing can have been changed: the request was not sent, Poseidon itself rejected it unread, or the command could
// not be started. Any other answer may be a proxy's, behind which Poseidon goes on.
func notBegun(err error) bool {
	return poseidon.IsUnsent(err) || poseidon.IsRejected(err) || errors.As(err, new(errUnstarted))
}
