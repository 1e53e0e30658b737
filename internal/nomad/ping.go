package nomad

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"overdue/internal/web"
)

// pingPatience is how long a server may take to answer a ping. One without a leader takes 5.0 to 5.2 s to say so.
const pingPatience = 6 * time.Second

// Ping is how a server answered when it was asked directly. It is the only early sign: for 40 s the others call a dead server
// healthy, and a hung one too.
type Ping struct {
	Address    string
	Silent     string // why there is no sensible answer, or ""
	Leaderless string // what it says of the leader that it misses, or ""
}

func (p Ping) well() bool { return p.Silent == "" && p.Leaderless == "" }

// Ping asks each address at once, and makes those that are well the first to be asked from then on. Those that may be in an
// election are asked once more after it; all are if none is well. The error says that there is no leader, if nobody is well
// and anybody says so.
func (c *Client) Ping(ctx context.Context) error {
	c.pings = make([]Ping, len(c.addresses))
	c.pingAll(ctx, func(Ping) bool { return true })
	well, why := c.prefer()
	unsettled := func(p Ping) bool { return !well || p.Leaderless != "" && p.Leaderless != noLeader }
	if why != "" && slices.ContainsFunc(c.pings, unsettled) && c.waitForLeader(ctx, why) {
		c.pingAll(ctx, unsettled)
		well, why = c.prefer()
	}
	if well || why == "" {
		return nil
	}
	return &Error{Op: "find a leader", Status: http.StatusInternalServerError, What: c.Server() + " has none to ask: " + why, leaderless: why}
}

// Pings tells how each address answered, in the order in which they were given; none before Ping.
func (c *Client) Pings() []Ping { return c.pings }

func (c *Client) pingAll(ctx context.Context, which func(Ping) bool) {
	patience := pingPatience
	if deadline, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(deadline)*2/3)
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c.by.waiting("a ping of each of the %d servers", len(c.addresses))
	var all sync.WaitGroup
	for _, to := range c.addresses {
		if !which(c.pings[to.number]) {
			continue
		}
		all.Go(func() {
			before, now := c.pings[to.number], c.ping(within, to)
			if now.Silent == "" || before.Leaderless == "" { // silence tells less than what was said before
				c.pings[to.number] = now
			}
		})
	}
	all.Wait()
}

// prefer brings the addresses in order: the well, those without a leader, the silent. why is what one of them says of the
// leader that it misses.
func (c *Client) prefer() (anyWell bool, why string) {
	var well, leaderless, silent []address
	for _, a := range c.addresses {
		switch p := c.pings[a.number]; {
		case p.Silent != "":
			silent = append(silent, a)
		case p.Leaderless != "":
			leaderless = append(leaderless, a)
			why = p.Leaderless
		default:
			well = append(well, a)
		}
	}
	c.addresses, c.at = slices.Concat(well, leaderless, silent), 0
	return len(well) > 0, why
}

func (c *Client) ping(ctx context.Context, to address) Ping {
	p := Ping{Address: to.name}
	u := *to.base
	u.Path += "/v1/agent/health"
	query := url.Values{"type": {"server"}}
	if c.by.Recorded {
		query.Set("address", to.name) // tells the answers apart in a recording; Nomad does not heed it
	}
	u.RawQuery = query.Encode()
	phase := new(web.Phase)
	req, err := http.NewRequestWithContext(phase.Trace(ctx), http.MethodGet, u.String(), nil)
	if err != nil {
		p.Silent = web.Clean(err.Error())
		return p
	}
	if to.socket != "" {
		req.Host = "localhost"
	}
	req.Header.Set("User-Agent", c.by.UserAgent)
	res, err := c.send.RoundTrip(req)
	if err != nil {
		p.Silent, _ = silence(ctx, to, phase.String(), err)
		if c.by.Offline {
			p.Silent = "no answer from " + to.name + " when the recording was made"
		}
		return p
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if err != nil {
		p.Silent, _ = silence(ctx, to, "reading the answer", err)
		return p
	}
	var health struct {
		Server *struct {
			OK      bool
			Message string
		}
	}
	switch err := json.Unmarshal(body, &health); {
	case err != nil || health.Server == nil:
		p.Silent = fmt.Sprintf("%s answered %d without its health", to.name, res.StatusCode)
	case health.Server.OK, strings.Contains(health.Server.Message, "server not enabled"): // the latter is a client agent
	default:
		message := web.Clean(health.Server.Message)
		p.Leaderless = cmp.Or(leaderText(message), message, "it is not well")
	}
	return p
}
