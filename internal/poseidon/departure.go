package poseidon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// departure is the body of a request that changes something. It leaves in time or never: whoever gave up may rely on that nothing
// was changed, as Poseidon reads the body before it does anything.
type departure struct {
	body io.Reader
	end  time.Time                 // by which it must have left: the timer is late in a process that was stopped
	at   atomic.Pointer[time.Time] // when it left, or never, or nil
}

// soon is how long Poseidon takes to reject a request, which it does before anything else; what took longer may be a proxy that gave up.
const soon = 2 * time.Second

// never is a time at which nothing leaves.
var never time.Time

// errLate says that the time to leave was over.
var errLate = fmt.Errorf("it could not be sent in time: %w", context.DeadlineExceeded)

// depart gives a request its body, which is to leave within a time. forbid keeps it from leaving, and returns false if it has left.
func depart(r *http.Request, body []byte, within time.Duration) (_ *http.Request, d *departure, cancel func()) {
	ctx, end := context.WithCancelCause(r.Context())
	d = &departure{body: bytes.NewReader(body), end: time.Now().Add(within)}
	timer := time.AfterFunc(within, func() {
		if d.forbid() {
			end(errLate)
		}
	})
	r = r.WithContext(ctx)
	r.Body, r.ContentLength, r.GetBody = io.NopCloser(d), int64(len(body)), nil // never sent twice
	return r, d, func() { timer.Stop(); end(nil) }
}

// Read is called when there is a connection, and the header is about to be sent with what it returns.
func (d *departure) Read(p []byte) (int, error) {
	now := time.Now()
	if now.After(d.end) {
		d.forbid()
	}
	if !d.at.CompareAndSwap(nil, &now) && d.at.Load() == &never {
		return 0, errLate
	}
	return d.body.Read(p)
}

func (d *departure) forbid() bool { return d.at.CompareAndSwap(nil, &never) || d.at.Load() == &never }

// atOnce says that this moment is soon after it left.
func (d *departure) atOnce() bool {
	if d == nil {
		return false
	}
	at := d.at.Load()
	return at != nil && time.Since(*at) < soon
}

// IsUnsent says that a request to change something was not sent.
func IsUnsent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Unsent
}

// IsLate says that it was not sent as its time to leave was over.
func IsLate(err error) bool { return errors.Is(err, errLate) }
