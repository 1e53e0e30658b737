// Package nomad asks Nomad's servers for the little that is judged: open and failed evaluations, pending allocations, jobs
// that wait, and the health of the servers.
//
// It sends its own requests. HashiCorp's client (github.com/hashicorp/nomad/api) reads the process's environment, holds
// whole lists in memory, has no limit for an answer and takes autopilot's 429 for an error. All filters sent are constants:
// one that is wrong can kill the leader (go-bexpr before 0.1.16). All reads are consistent ones: a server that was just
// restarted answers a stale read with an empty list and says that all is well.
package nomad

import (
	"net/http"
	"time"
)

// Client asks one region. Its methods are for one goroutine at a time.
type Client struct {
	send      http.RoundTripper // not an http.Client, which would follow redirects and take the token elsewhere
	addresses []address         // in the order in which they are asked
	at        int               // the one that is asked
	pings     []Ping            // in the order in which they were given; nil before Ping
	waited    bool              // for an election, once in a run
	region    string
	hasToken  bool
	ahead     time.Duration // of this machine's clock, as the last answer tells
	by        Surroundings
}

// Server returns the address of the server that is asked, as it appears in texts: "http://10.0.0.1:4646".
func (c *Client) Server() string { return c.addresses[c.at].name }

// Region is the one that was asked for, or "" for the servers' own.
func (c *Client) Region() string { return c.region }

// HasToken says that requests carry a token.
func (c *Client) HasToken() bool { return c.hasToken }

// Ahead is how far the servers' clock is ahead of this machine's, to a second, as the last answer tells; negative if it is behind, 0
// if none told.
func (c *Client) Ahead() time.Duration { return c.ahead }

// Addresses is how many servers were named.
func (c *Client) Addresses() int { return len(c.addresses) }
