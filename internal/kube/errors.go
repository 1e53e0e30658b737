package kube

import (
	"errors"
	"net/http"
)

// Error says why something could not be asked or was not answered. Its texts hold no secrets, and what came from outside is
// cut and free of control characters.
type Error struct {
	Op     string // "list machineconfigpools", "get node"; "" while connecting
	Status int    // of the HTTP answer; 0 if there was none, 200 if the answer was unusable
	Reason string // of the API's Status object: "Forbidden", "Expired"; "" if it sent none
	What   string // what happened
	Remedy string // what to do, or ""
	Misuse bool   // the options are wrong, nothing was asked
	Err    error  // the cause, or nil
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
func (e *Error) Usage() bool { return e.Misuse }

func (e *Error) Unwrap() error { return e.Err }

// IsForbidden says that the user lacks a right. It may also hide that the API group does not exist: the server tells that
// only to those who may list it. It is false of a page of HTML, which is not the server's word.
func IsForbidden(err error) bool {
	e := asError(err)
	return e != nil && e.Status == http.StatusForbidden && e.Reason != reasonHTML
}

// IsNotFound says that the one object asked for does not exist. It is false if its whole kind does not exist.
func IsNotFound(err error) bool {
	e := asError(err)
	return e != nil && e.Status == http.StatusNotFound && e.Reason == "NotFound"
}

// IsNoSuchGroup says that the server does not know the API group, its version or the resource in it.
func IsNoSuchGroup(err error) bool {
	e := asError(err)
	return e != nil && e.Status == http.StatusNotFound && e.Reason == reasonNoGroup
}

// reasonNoGroup stands in Error.Reason for the plain text "404 page not found", which comes without a Status object.
const reasonNoGroup = "NoSuchGroup"

// reasonHTML stands in Error.Reason for a page of HTML, as proxies send.
const reasonHTML = "HTML"

func isExpired(err error) bool {
	e := asError(err)
	return e != nil && e.Status == http.StatusGone
}

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
