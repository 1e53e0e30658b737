package nomad

import (
	"context"
	"time"
)

// ask sends a request and has a good answer read by read, which must begin anew when it is called again. It goes on to the
// next address if one cannot answer, and repeats once in a run what fails for want of a leader.
func (c *Client) ask(ctx context.Context, q question, read func(*answer) error) error {
	err := c.askEach(ctx, q, nil, read)
	why := Leaderless(err)
	if why == "" || c.waited || !c.waitForLeader(ctx, why) {
		return err
	}
	return c.askEach(ctx, q, err, read)
}

// askEach asks one address after the other until one can answer, the last good one first. If none can, it returns what tells
// most: a server that has no leader tells more than a silent one. before is an earlier such error, or nil.
func (c *Client) askEach(ctx context.Context, q question, before error, read func(*answer) error) error {
	failed, first := before, c.at
	passed := map[int]Ping{}
	for i := range c.addresses {
		c.at = (first + i) % len(c.addresses)
		to := c.addresses[c.at]
		err := c.try(ctx, to, q, patience(ctx, len(c.addresses)-i, failed != nil), read)
		if !cannotAnswer(err) || ctx.Err() != nil {
			c.pass(passed)
			return err
		}
		e := asError(err)
		switch {
		case e.Status == 0 && c.by.Offline: // the recording lacks the answer; that says nothing of the server
		case e.leaderless == "":
			passed[to.number] = Ping{Address: to.name, Silent: e.What}
		case e.leaderless == noLeader: // any other text is that of an election, which ends by itself
			passed[to.number] = Ping{Address: to.name, Leaderless: e.leaderless}
		}
		if failed == nil || Leaderless(failed) == "" && e.leaderless != "" {
			failed = err
		}
	}
	c.at = first
	c.pass(passed)
	return failed
}

// pass keeps what was wrong with servers that answered the ping.
func (c *Client) pass(passed map[int]Ping) {
	for number, ping := range passed {
		if c.pings != nil && c.pings[number].well() {
			c.pings[number] = ping
		}
	}
}

// patience is how long one server may be silent while left of them are still to be asked, itself among them; 0 is until the
// end of the run. The last must leave time to tell an earlier error.
func patience(ctx context.Context, left int, earlier bool) time.Duration {
	if left == 1 && !earlier {
		return 0
	}
	most := pingPatience
	if deadline, ok := ctx.Deadline(); ok {
		rest := time.Until(deadline)
		rest -= min(rest/10, 500*time.Millisecond)
		if left == 1 {
			return max(rest, 1)
		}
		most = min(most, rest/2)
	}
	return max(most, 1)
}

// patiently ends a context as at a deadline when alive was not called for some time; 0 is never.
func patiently(ctx context.Context, patience time.Duration) (within context.Context, alive, stop func()) {
	if patience == 0 {
		return ctx, func() {}, func() {}
	}
	within, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(patience, func() { cancel(context.DeadlineExceeded) })
	return within, func() { timer.Reset(patience) }, func() { timer.Stop(); cancel(nil) }
}
