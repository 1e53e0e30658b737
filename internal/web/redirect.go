package web

import (
	"net/http"
	"net/url"
)

// RedirectTarget names the host to which an answer points, "another path" of the same one, or "nowhere". The rest of the address
// may hold a session's secrets.
func RedirectTarget(header http.Header) string {
	location := header.Get("Location")
	u, err := url.Parse(location)
	switch {
	case err != nil || location == "":
		return "nowhere"
	case u.Host == "":
		return "another path"
	}
	return Clean(u.Host)
}
