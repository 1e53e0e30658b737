package poseidon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"overdue/internal/web"
)

const (
	// MaxAnswer bounds one answer, in bytes: an environment's statistics take about 90.
	MaxAnswer = 16 << 20

	maxHeader = 64 << 10
)

// Client asks one Poseidon. Its methods may be called one at a time.
type Client struct {
	base     *url.URL
	send     http.RoundTripper
	by       Surroundings
	hasToken bool
}

// Connect reads the options, the environment and the files they name, and returns a client. It sends nothing.
func Connect(o Options, s Surroundings) (*Client, error) {
	base, err := o.address(s)
	if err != nil {
		return nil, err
	}
	c := &Client{base: base, by: s}
	if s.Offline {
		c.send = s.Transport(nil)
		return c, nil
	}
	token, err := o.token(s)
	if err != nil {
		return nil, err
	}
	config, err := o.tlsConfig(s)
	if err != nil {
		return nil, err
	}
	c.hasToken = token != ""
	c.send = s.Transport(guarded{web.Mask(&http.Transport{
		Proxy:                  web.Proxy(s.Getenv),
		TLSClientConfig:        config,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
	}), token})
	return c, nil
}

// Address is the server as the user gave it.
func (c *Client) Address() string { return web.Clean(c.base.String()) }

// guarded adds the token below the recording hook, and cuts answers before they reach it.
type guarded struct {
	next  http.RoundTripper
	token string
}

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if g.token != "" {
		r.Header.Set("Poseidon-Token", g.token)
	}
	res, err := g.next.RoundTrip(r)
	if err == nil {
		res.Body = web.Limit(res.Body, MaxAnswer)
	}
	return res, err
}

// question is one request.
type question struct {
	op     string // for errors: "read the statistics"
	kind   string // what the answer must be: "statistics of environments"
	method string
	path   string
	body   []byte
	within time.Duration // in which the body must leave
	good   []int         // status codes
}

// ask sends a request once and returns the body of a good answer. Redirects are not followed.
func (c *Client) ask(ctx context.Context, q question) ([]byte, error) {
	c.by.Waiting("%s from %s", q.kind, c.Address())
	u := *c.base
	u.Path += "/api/v1" + q.path
	phase := new(web.Phase)
	req, err := http.NewRequestWithContext(phase.Trace(ctx), q.method, u.String(), nil)
	if err != nil {
		return nil, &Error{Op: q.op, What: web.Clean(err.Error()), Err: err}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.by.UserAgent)
	var d *departure
	if q.body != nil {
		req.Header.Set("Content-Type", "application/json")
		var cancel func()
		req, d, cancel = depart(req, q.body, q.within)
		defer cancel()
	}
	res, err := c.send.RoundTrip(req)
	if err != nil {
		e := c.silence(req.Context(), q, phase.String(), err)
		e.Unsent = d != nil && d.forbid()
		return nil, e
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	switch {
	case errors.Is(err, web.ErrTooLarge):
		return nil, &Error{Op: q.op, Status: res.StatusCode, Err: err, Remedy: notPoseidon,
			What: fmt.Sprintf("the answer of %s is larger than %d MiB", c.Address(), MaxAnswer>>20)}
	case err != nil:
		return nil, c.silence(ctx, q, fmt.Sprintf("reading the answer (%d bytes so far)", len(body)), err)
	}
	for _, code := range q.good {
		if res.StatusCode == code {
			return body, nil
		}
	}
	return nil, c.statusError(q, res, body, d.atOnce())
}

// option is an option as the user gives it.
func option(name string) string { return "--" + name }

func (c *Client) silence(ctx context.Context, q question, phase string, err error) *Error {
	peer := web.Peer{Name: c.Address(), Program: "Poseidon", Unit: "poseidon", TLSName: "or the address by that name", Option: option}
	e := &Error{Op: q.op, Err: err}
	e.What, e.Remedy = peer.Silence(ctx, phase, err)
	return e
}
