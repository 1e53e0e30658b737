package nomad

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"overdue/internal/web"
)

// maxErrorBody bounds what is read of an error answer, in bytes: Nomad sends one line of text.
const maxErrorBody = 64 << 10

// electionTexts are what servers answer (500) while there is no leader, the leader has just died or a new one is not ready.
// Recorded in four leader failures; "Not ready" is Nomad's ErrNotReadyForConsistentReads.
var electionTexts = []string{"No cluster leader", "rpc error: EOF", "failed to get conn", "lead thread didn't get connection",
	"Not ready to serve consistent reads", "node is not the leader", "leadership lost"}

// noLeader is said after the server has waited for a leader for 5 s; the other texts come at once during an election.
const noLeader = "No cluster leader"

// leaderText is that part of a server's error that speaks of a missing leader, or "".
func leaderText(message string) string {
	if slices.ContainsFunc(electionTexts, func(text string) bool { return strings.Contains(message, text) }) {
		return strings.TrimPrefix(message, "rpc error: ")
	}
	return ""
}

// statusError puts any other answer than a good one into words.
func (c *Client) statusError(ctx context.Context, to address, q question, code int, header http.Header, a *answer) error {
	body, err := io.ReadAll(io.LimitReader(a, maxErrorBody))
	if err != nil && ctx.Err() != nil {
		return c.networkError(ctx, to, q, "reading the answer", err)
	}
	message := web.Clean(string(body))
	e := &Error{Op: q.op, Status: code}
	switch {
	case code >= 300 && code < 400:
		e.What = fmt.Sprintf("%s redirected to %s (%d)", to.name, web.RedirectTarget(header), code)
		e.Remedy = "give the address of Nomad itself, not of a proxy"
	case code == http.StatusUnauthorized:
		e.What = fmt.Sprintf("%s refused the login (401)", to.name)
		e.Remedy = "a proxy wants a login? set NOMAD_HTTP_AUTH=user:password"
	case code == http.StatusForbidden:
		e.What = "refused (403 " + message + ")"
		e.Remedy = c.grant(to, q.right)
	case code == http.StatusNotFound:
		e.gone = q.gone != "" && message == q.gone
		e.What = fmt.Sprintf("%s knows no such thing (404 %s)", to.name, message)
		switch {
		case e.gone:
		case strings.Contains(q.path, "%2F"):
			e.Remedy = "is there a proxy that decodes or refuses %2F?"
		default:
			e.Remedy = "is this the address of a Nomad server (1.3 or later), with nothing in between?"
		}
	case code == http.StatusTooManyRequests:
		e.What = fmt.Sprintf("%s limits requests (429 %s)", to.name, message)
		e.Remedy = "see limits in the agent's configuration, or check less often"
	case code == http.StatusInternalServerError && strings.Contains(message, "No path to region"):
		e.Misuse = true
		e.What = "no server knows the region " + web.Clean(c.region)
		e.Remedy = "correct " + to.option("region") + " or NOMAD_REGION; the regions are told by: nomad server members"
	case code == http.StatusBadRequest && strings.Contains(message, "HTTP request to an HTTPS server"):
		e.What = to.name + " speaks TLS"
		e.Remedy = "give the address with https://"
	case code >= 500 && leaderText(message) != "":
		e.leaderless = leaderText(message)
		e.What = fmt.Sprintf("%s has no leader to ask (%d %s)", to.name, code, message)
	case code < 300:
		e.What = fmt.Sprintf("%s answered %d instead of %s", to.name, code, q.kind)
		e.Remedy = "is this the address of a Nomad server, with nothing in between?"
	default:
		e.What = fmt.Sprintf("%s answered %d %s", to.name, code, message)
		e.Remedy = "look at that server's log: journalctl -u nomad"
	}
	return e
}

// grant is what to do about a right that is missing. Nomad says the same of a token that it does not know.
func (c *Client) grant(to address, right string) string {
	what := "give its policy " + right
	if c.by.PolicyFile != "" {
		what += " (" + c.by.PolicyFile + ")"
	}
	if !c.hasToken {
		return "there is no token: give " + to.option("token-file") + " or NOMAD_TOKEN, and " + what
	}
	return "is the token right and still valid? if it is, " + what
}

func htmlError(q question, to address, code int) *Error {
	return &Error{Op: q.op, Status: code, What: fmt.Sprintf("%s answered with an HTML page (%d): a proxy or a login page?", to.name, code),
		Remedy: "give the address of Nomad itself, and set NO_PROXY for it"}
}
