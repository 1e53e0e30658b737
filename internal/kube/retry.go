package kube

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// maxWaits bounds how often one request is repeated because the server asked for it.
const maxWaits = 10

// shortWaits are the pauses before the tries after an error that passes by itself, such as a change of etcd's leader. A
// refused connection is not tried again: the monitoring system does that.
var shortWaits = []time.Duration{500 * time.Millisecond, time.Second}

// retry says when another try may help; after is what the server asked for, or negative.
type retry struct{ after time.Duration }

// retryOf returns nil for an answer that another try would only repeat.
func retryOf(res *http.Response) *retry {
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if after, ok := retryAfter(res.Header.Get("Retry-After")); ok {
			return &retry{after}
		}
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
	default:
		return nil
	}
	return &retry{-1}
}

// retryAfter reads both forms of the header (RFC 9110, 10.2.3). Less than a second counts as one.
func retryAfter(header string) (time.Duration, bool) {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return max(time.Duration(seconds)*time.Second, time.Second), true
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(time.Until(at).Round(time.Second), time.Second), true
	}
	return 0, false
}

// delay returns how long to wait before the next try, or why there is none.
func (r *retry) delay(ctx context.Context, try int) (wait time.Duration, refused string) {
	asked := ""
	if wait = r.after; wait >= 0 {
		if try >= maxWaits {
			return 0, fmt.Sprintf("; still so after %d tries", try+1)
		}
		asked = fmt.Sprintf("; it asks to wait %s, longer than the time left", wait)
	} else {
		if try >= len(shortWaits) {
			return 0, fmt.Sprintf("; still so after %d tries", try+1)
		}
		wait = shortWaits[try]
		asked = "; no time left to try again"
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return 0, asked
	}
	return wait, ""
}

type pauseFunc func(context.Context, time.Duration) error

func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
