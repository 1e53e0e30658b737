package nomad

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Autopilot is what the leader thinks of the servers of its region.
type Autopilot struct {
	Healthy          *bool
	FailureTolerance *int     // how many servers may fail before there is no quorum
	Unexplained      bool     // its status was 429, which says unhealthy, and its body told nothing
	Servers          []Server // null for some 5 s after an election, or for ever if autopilot is in trouble
}

// Server is one of them. A dead one is taken from the list after some 45 s.
type Server struct {
	Name        string
	Address     string
	SerfStatus  string // alive, failed, left
	Healthy     bool
	Voter       bool
	Leader      bool
	StableSince time.Time // when Healthy changed last
}

// autopilotPauses is how often to wait while autopilot tells of no server: it did for 5.2 s after the elections measured.
const autopilotPauses = 3

// Autopilot asks for the health of the servers, and again while it tells of none, as after an election. It takes operator read.
func (c *Client) Autopilot(ctx context.Context) (*Autopilot, error) {
	for paused := 0; ; paused++ {
		found, err := c.autopilot(ctx)
		if err != nil || len(found.Servers) > 0 || found.Unexplained || paused == autopilotPauses || !c.pause(ctx, "autopilot to know the servers after an election") {
			return found, err
		}
	}
}

func (c *Client) autopilot(ctx context.Context) (*Autopilot, error) {
	q := question{op: "read the servers' health", path: "/v1/operator/autopilot/health", query: url.Values{}, kind: "autopilot's health",
		right: "operator read", also: http.StatusTooManyRequests}
	found, code, limited := new(Autopilot), 0, false
	err := c.ask(ctx, q, func(a *answer) (err error) {
		code = a.code
		start, _ := a.Peek(256)
		limited = strings.Contains(strings.ToLower(string(start)), "too many") // the agent's limits are 429 too, in text
		if found, err = readValue[Autopilot](a); err == nil && (found.Healthy == nil || found.FailureTolerance == nil) {
			err = errors.New("it lacks what it must have")
		}
		return err
	})
	if e := asError(err); e != nil && e.Status == http.StatusOK && code == http.StatusTooManyRequests && !limited {
		return &Autopilot{Unexplained: true}, nil
	}
	return found, err
}

// Peers counts the servers that belong to the quorum. It takes no right.
func (c *Client) Peers(ctx context.Context) (int, error) {
	q := question{op: "count the servers", path: "/v1/status/peers", query: url.Values{}, kind: "a list of servers"}
	peers, err := get(ctx, c, q, func(peers *[]string) bool { return len(*peers) > 0 })
	if err != nil {
		return 0, err
	}
	return len(*peers), nil
}

// BrokerPaused says that an operator has paused the evaluation broker: nothing is scheduled then. It takes operator read.
func (c *Client) BrokerPaused(ctx context.Context) (bool, error) {
	type configuration struct {
		SchedulerConfig *struct{ PauseEvalBroker bool }
	}
	q := question{op: "read the scheduler configuration", path: "/v1/operator/scheduler/configuration", query: url.Values{}, kind: "the scheduler configuration",
		right: "operator read"}
	found, err := get(ctx, c, q, func(s *configuration) bool { return s.SchedulerConfig != nil })
	return err == nil && found.SchedulerConfig.PauseEvalBroker, err
}

// Namespaces lists those that the token may see.
func (c *Client) Namespaces(ctx context.Context) ([]string, error) {
	type namespace struct{ Name string }
	q := question{op: "list namespaces", path: "/v1/namespaces", query: url.Values{}, kind: "a list of namespaces", right: "read-job in a namespace"}
	kept, _, err := list(ctx, c, q, func(n *namespace) bool { return n.Name != "" }, func(n *namespace) (string, bool) { return n.Name, true })
	return kept, err
}
