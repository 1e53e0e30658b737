package poseidon

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"overdue/internal/web"
)

const notPoseidon = "is this the address of Poseidon, with nothing in between?"

// unplaced is what Poseidon answers where Nomad cannot place a runner (internal/nomad/nomad.go).
const unplaced = "failed to place all allocations"

// Error says why something could not be asked or was not answered. Its texts hold no secrets, and what came from outside is cut
// and free of control characters.
type Error struct {
	Op      string // "read the statistics"; "" while connecting
	Status  int    // of the HTTP answer; 0 if there was none
	What    string // what happened
	Remedy  string // what to do, or ""
	Crashed bool   // Poseidon answered 200 with an empty body: its handler died
	NoRoom  bool   // Nomad had no room for a runner
	Unsent  bool   // a request to change something did not leave
	Refused bool   // an answer of 3xx or 4xx: Poseidon's own or a proxy's
	Err     error  // the cause, or nil

	rejected bool // see IsRejected

	misuse bool

	Unknown bool // Poseidon does not have what was asked for: its own 404 has no body, unlike a proxy's and one for a wrong path
}

func (e *Error) Error() string {
	if e.Op == "" {
		return e.What
	}
	return "cannot " + e.Op + ": " + e.What
}

// Hint returns what to do, or "".
func (e *Error) Hint() string { return e.Remedy }

// Usage says that the options are wrong.
func (e *Error) Usage() bool { return e.misuse }

func (e *Error) Unwrap() error { return e.Err }

// IsUnknown says that Poseidon does not know the environment.
func IsUnknown(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Unknown
}

// IsRejected says that Poseidon itself refused a request to change something before it did anything: at once, 401 without a body, 400 with
// a message, in its own form (internal/api, pkg/dto). Any other refusal may come from a proxy, also while Poseidon is at it.
func IsRejected(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.rejected
}

// statusError puts any other answer than a good one into words.
func (c *Client) statusError(q question, res *http.Response, body []byte, atOnce bool) error {
	name, code := c.Address(), res.StatusCode
	message, own := c.message(res, body)
	e := &Error{Op: q.op, Status: code, Refused: code >= 300 && code < 500,
		rejected: atOnce && (code == http.StatusUnauthorized && len(body) == 0 || code == http.StatusBadRequest && own)}
	switch {
	case code >= 300 && code < 400:
		e.What = fmt.Sprintf("%s redirected to %s (%d)", name, web.RedirectTarget(res.Header), code)
		e.Remedy = "give the address of Poseidon itself, not of a proxy"
	case code == http.StatusUnauthorized && !c.hasToken:
		e.What = fmt.Sprintf("%s wants a token (401)", name)
		e.Remedy = "give server.token of Poseidon's configuration in --token-file or POSEIDON_TOKEN"
	case code == http.StatusUnauthorized:
		e.What = fmt.Sprintf("%s refused the token (401)", name)
		e.Remedy = "compare it with server.token of Poseidon's configuration"
	case code == http.StatusNotFound:
		e.Unknown = len(body) == 0
		e.What = fmt.Sprintf("%s knows no such thing (404%s)", name, message)
		e.Remedy = "is the address Poseidon's, without /api/v1, with no proxy in between that keeps some paths back?"
	case code >= 500 && strings.Contains(message, unplaced):
		e.NoRoom = true
		e.What = fmt.Sprintf("%s answered %d%s", name, code, message)
		e.Remedy = "add capacity to Nomad's clients: nomad node status"
	case code >= 500:
		e.What = fmt.Sprintf("%s answered %d%s", name, code, message)
		e.Remedy = "look at its log: journalctl -u poseidon"
	case code < 300:
		e.What = fmt.Sprintf("%s answered %d instead of %s", name, code, q.kind)
		e.Remedy = notPoseidon
	default:
		e.What = fmt.Sprintf("%s answered %d%s", name, code, message)
		e.Remedy = notPoseidon
	}
	return e
}

// message is what an answer says besides its status, after a blank, or "". Poseidon sends {message} with 4xx, and {message, errorCode}
// with 5xx (pkg/dto): own says that the answer is in that form.
func (c *Client) message(res *http.Response, body []byte) (text string, own bool) {
	var said struct {
		Message   string
		ErrorCode string
	}
	text = string(body)
	own = json.Unmarshal(body, &said) == nil && said.Message != ""
	switch {
	case own:
		text = strings.TrimSpace(said.ErrorCode + " " + said.Message)
	case strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") || strings.HasPrefix(strings.TrimSpace(text), "<"):
		text = "with an HTML page: a proxy or a login page?"
	}
	if text = web.Clean(text); text != "" {
		text = " " + text
	}
	return text, own
}

// unusable is the error for a good status with a body that does not hold what was asked for. It must never pass for an empty list.
func (c *Client) unusable(q question, body []byte, what string) error {
	e := &Error{Op: q.op, Status: http.StatusOK, What: "the answer of " + c.Address() + " is not " + q.kind + ": " + web.Clean(what), Remedy: notPoseidon}
	switch text := strings.TrimSpace(string(body)); {
	case text == "":
		e.Crashed = true
		e.What = "Poseidon's handler crashed: " + c.Address() + " answered 200 with an empty body"
		e.Remedy = "an environment was deleted while Nomad was away, and its used runners are still counted: look at Nomad; if it stays, systemctl restart poseidon"
	case strings.HasPrefix(text, "<"):
		e.What = c.Address() + " answered with an HTML page: a proxy or a login page?"
		e.Remedy = "give the address of Poseidon itself, and set NO_PROXY for it"
	}
	return e
}
