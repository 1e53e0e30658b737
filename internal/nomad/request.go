package nomad

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"overdue/internal/web"
)

// electionPause is how long to wait before the one repetition: a new leader was there after 2 to 3 s in every election
// measured (1.6.3 and 2.0.5).
const electionPause = 2500 * time.Millisecond

// question is one request.
type question struct {
	op    string // for errors: "list evaluations"
	path  string // escaped
	query url.Values
	kind  string // what the answer must be, in words: "a list of evaluations"
	right string // the capability that it takes: "read-job"
	gone  string // what Nomad answers (404) if the one thing asked for does not exist; "" for lists, which are empty then
	state bool   // answered from Nomad's state, and so with X-Nomad-Index
	also  int    // a further status code of a good answer
}

// waitForLeader rides out an election; false if there is no time for it.
func (c *Client) waitForLeader(ctx context.Context, why string) bool {
	c.waited = true
	return c.pause(ctx, fmt.Sprintf("a leader to be elected (%s said: %s)", c.Server(), why))
}

// pause waits for what an election brings; false if there is no time for it.
func (c *Client) pause(ctx context.Context, what string) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= electionPause {
		return false
	}
	c.by.waiting("%s", what)
	return c.by.Pause(ctx, electionPause) == nil
}

// try sends a request once. The server may be silent for as long as patience, or if that is 0 until the context is done.
func (c *Client) try(ctx context.Context, to address, q question, patience time.Duration, read func(*answer) error) error {
	ctx, alive, stop := patiently(ctx, patience)
	defer stop()
	c.by.waiting("%s from %s", q.kind, to.name)
	query := q.query
	if c.region != "" {
		query = with(query, "region", c.region)
	}
	u := *to.base
	raw := u.EscapedPath() + q.path
	path, err := url.PathUnescape(raw)
	if err != nil {
		return &Error{Op: q.op, What: "not a path: " + web.Clean(raw)}
	}
	u.Path, u.RawPath, u.RawQuery = path, raw, query.Encode()
	phase := new(web.Phase)
	req, err := http.NewRequestWithContext(phase.Trace(ctx), http.MethodGet, u.String(), nil)
	if err != nil {
		return &Error{Op: q.op, What: web.Clean(err.Error()), Err: err}
	}
	if to.socket != "" {
		req.Host = "localhost"
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.by.UserAgent)
	res, err := c.send.RoundTrip(req)
	if err != nil {
		return c.networkError(ctx, to, q, phase.String(), err)
	}
	defer res.Body.Close()
	alive()
	if date, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		c.ahead = time.Until(date)
	}
	a := newAnswer(res)
	a.alive = alive
	switch {
	case a.isHTML():
		return htmlError(q, to, res.StatusCode)
	case res.StatusCode != http.StatusOK && res.StatusCode != q.also:
		return c.statusError(ctx, to, q, res.StatusCode, res.Header, a)
	case q.state && res.Header.Get("X-Nomad-Index") == "":
		return unusable(q, to, "it has no X-Nomad-Index")
	case q.state && res.Header.Get("X-Nomad-KnownLeader") == "false":
		return &Error{Op: q.op, Status: res.StatusCode, What: to.name + " answers without a leader", leaderless: "it knows no leader"}
	}
	if err := read(a); err != nil {
		return c.readError(ctx, to, q, a, err)
	}
	return nil
}

// readError tells a broken connection from a broken answer.
func (c *Client) readError(ctx context.Context, to address, q question, a *answer, err error) error {
	switch {
	case errors.Is(err, web.ErrTooLarge):
		return &Error{Op: q.op, Status: http.StatusOK, What: fmt.Sprintf("the answer of %s is too large (%d bytes so far)", to.name, a.bytes), Err: err,
			Remedy: "is this one of Nomad's servers?"}
	case a.err != nil:
		return c.networkError(ctx, to, q, fmt.Sprintf("reading the answer (%d bytes so far)", a.bytes), a.err)
	case a.bytes == 0:
		return unusable(q, to, "it is empty")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return unusable(q, to, "it ends in the middle")
	}
	return unusable(q, to, err.Error())
}

// unusable is the error for a good status with a body that does not hold what was asked for. It must never pass for an empty list.
func unusable(q question, to address, what string) *Error {
	return &Error{Op: q.op, Status: http.StatusOK, What: "the answer of " + to.name + " is not " + q.kind + ": " + web.Clean(what),
		Remedy: "is this the address of a Nomad server (1.3 or later), with nothing in between?"}
}

func mediaType(header http.Header) string {
	t, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	return t
}

// with is a copy of a query with one more parameter.
func with(query url.Values, name, value string) url.Values {
	more := url.Values{name: {value}}
	for k, v := range query {
		more[k] = v
	}
	return more
}
