package nomad

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
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

// Ping asks each address at once, and makes those that are well the first to be asked from then on. If all say that there is no
// leader it waits once for an election.
func (c *Client) Ping(ctx context.Context) []Ping {
	patience := pingPatience
	if deadline, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(deadline)/2)
	}
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c.by.waiting("a ping of each of the %d servers", len(c.addresses))
	pings := make([]Ping, len(c.addresses))
	var all sync.WaitGroup
	ping := func(i int) { pings[i] = c.ping(within, c.addresses[i]) }
	for i := range c.addresses {
		if c.by.Recorded {
			ping(i) // a recording has the answers in the order of the addresses
			continue
		}
		all.Go(func() { ping(i) })
	}
	all.Wait()
	if why := c.prefer(pings); why != "" {
		c.waitForLeader(ctx, why)
	}
	return pings
}

// prefer brings the addresses in order: the well, those without a leader, the silent. It returns why there is no leader, if
// the first says so.
func (c *Client) prefer(pings []Ping) string {
	why := ""
	var well, leaderless, silent []address
	for i, p := range pings {
		switch {
		case p.Silent != "":
			silent = append(silent, c.addresses[i])
		case p.Leaderless != "":
			leaderless = append(leaderless, c.addresses[i])
			why = p.Leaderless
		default:
			well = append(well, c.addresses[i])
		}
	}
	c.addresses, c.at = append(append(well, leaderless...), silent...), 0
	if len(well) > 0 {
		return ""
	}
	return why
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
		p.Leaderless = either(leaderText(message), either(message, "it is not well"))
	}
	return p
}
