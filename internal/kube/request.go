package kube

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"

	"overdue/internal/web"
)

// request is one question to the API server.
type request struct {
	op       string // for errors: "list nodes"
	page     int    // of a list, from 1
	resource Resource
	path     string
	query    url.Values
	accept   string
	kind     string // what the answer must be, in words: "a list of nodes"
}

// ask sends a request, again if the server wants that, and has a good answer read by read.
func (c *Client) ask(ctx context.Context, q request, read func(*answer) error) error {
	for try := 0; ; try++ {
		again, err := c.try(ctx, q, read)
		if err == nil || again == nil || ctx.Err() != nil {
			return err
		}
		wait, refused := again.delay(ctx, try)
		if refused != "" {
			if e := asError(err); e != nil {
				e.What += refused
			}
			return err
		}
		c.by.waiting("%s: told to wait %s (%s)", q.op, wait, err.(*Error).What)
		if c.pause(ctx, wait) != nil {
			return err
		}
	}
}

// try sends a request once. A non-nil retry says that another try may help.
func (c *Client) try(ctx context.Context, q request, read func(*answer) error) (*retry, error) {
	page := ""
	if q.page > 1 {
		page = fmt.Sprintf(" (page %d)", q.page)
	}
	c.by.waiting("%s from %s%s", q.resource.Name, c.Server(), page)
	u := *c.base
	u.Path += q.path
	u.RawQuery = q.query.Encode()
	phase := new(web.Phase)
	req, err := http.NewRequestWithContext(phase.Trace(ctx), http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &Error{Op: q.op, What: clean(err.Error()), Err: err}
	}
	req.Header.Set("Accept", q.accept)
	res, err := c.roundTrip(req)
	if err != nil {
		return nil, c.networkError(ctx, q, phase.String(), err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return retryOf(res), c.statusError(ctx, q, res)
	}
	a := newAnswer(res)
	defer a.release()
	if a.isHTML() {
		return nil, htmlError(q, res)
	}
	if err := read(a); err != nil {
		return nil, c.readError(ctx, q, a, err)
	}
	return nil, nil
}

// roundTrip waits for the answer, but not for a credential plugin that hangs: client-go runs it without a context.
func (c *Client) roundTrip(req *http.Request) (*http.Response, error) {
	if c.login.plugin == "" {
		return c.send.RoundTrip(req)
	}
	type result struct {
		res *http.Response
		err error
	}
	done := make(chan result, 1)
	go func() {
		res, err := c.send.RoundTrip(req)
		done <- result{res, err}
	}()
	select {
	case r := <-done:
		return r.res, r.err
	case <-req.Context().Done():
		go func() { // it ends with the process
			if r := <-done; r.err == nil {
				r.res.Body.Close()
			}
		}()
		return nil, req.Context().Err()
	}
}

// readError tells a broken connection from a broken answer.
func (c *Client) readError(ctx context.Context, q request, a *answer, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	switch {
	case errors.Is(a.err, web.ErrTooLarge):
		return &Error{Op: q.op, Status: 200, What: "answer larger than 64 MiB from " + c.Server(), Err: web.ErrTooLarge,
			Remedy: "is this the API server? " + c.Server()}
	case a.err != nil:
		return c.networkError(ctx, q, fmt.Sprintf("reading the answer (%d bytes so far)", a.bytes), a.err)
	case a.bytes == 0:
		return unusable(q, "an empty answer", err)
	}
	return unusable(q, err.Error(), err)
}

// unusable is the error for a 200 that does not hold what was asked for. It must never pass for an empty list.
func unusable(q request, what string, err error) *Error {
	return &Error{Op: q.op, Status: 200, What: "the answer is not " + q.kind + ": " + clean(what), Err: err,
		Remedy: "is this the address of a Kubernetes API server, with no proxy in between?"}
}

func mediaType(res *http.Response) string {
	t, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return t
}
