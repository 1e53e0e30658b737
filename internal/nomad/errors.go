package nomad

import (
	"errors"
	"net/http"
)

// Error says why something could not be asked or was not answered. Its texts hold no secrets, and what came from outside is
// cut and free of control characters.
type Error struct {
	Op     string // "list evaluations"; "" while connecting
	Status int    // of the HTTP answer; 0 if there was none, 200 if the answer was unusable
	What   string // what happened
	Remedy string // what to do, or ""
	Misuse bool   // the options or the environment are wrong, whatever the servers do
	Err    error  // the cause, or nil

	gone       bool   // Nomad itself said that the one thing asked for does not exist
	leaderless string // what the server said of the leader that it misses, or ""
}

func (e *Error) Error() string {
	if e.Op == "" {
		return e.What
	}
	return "cannot " + e.Op + ": " + e.What
}

// Hint returns what to do, or "".
func (e *Error) Hint() string { return e.Remedy }

// Usage says that the options or the environment are wrong.
func (e *Error) Usage() bool { return e.Misuse }

func (e *Error) Unwrap() error { return e.Err }

// IsForbidden says that the token lacks a right, or that there is no such token: Nomad says the same of both.
func IsForbidden(err error) bool {
	e := asError(err)
	return e != nil && e.Status == http.StatusForbidden
}

// IsNotFound says that the one thing asked for does not exist, in Nomad's own words. A 404 alone does not: a proxy answers so
// to a path with %2F that it refuses.
func IsNotFound(err error) bool {
	e := asError(err)
	return e != nil && e.gone
}

// Leaderless returns what a server said that answers but has no leader to ask, or "". It still says so after one repetition.
func Leaderless(err error) string {
	if e := asError(err); e != nil {
		return e.leaderless
	}
	return ""
}

// cannotAnswer says that a server is silent, has no leader, or is behind a gateway that gives up, so that another may answer.
func cannotAnswer(err error) bool {
	e := asError(err)
	if e == nil {
		return false
	}
	switch e.Status {
	case 0, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return e.leaderless != ""
}

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
