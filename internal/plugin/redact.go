package plugin

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const removed = "removed"

// secretWords are found in the names of headers and query parameters whose values are secrets.
var secretWords = []string{"token", "secret", "auth", "key", "cookie", "passw", "credential", "session"}

// plainHeaders of a request are recorded; of all others only that they were sent.
var plainHeaders = []string{"Accept", "Content-Type", "User-Agent"}

func secretName(name string) bool {
	name = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	if strings.Contains(name, "nexttoken") {
		return false // the page to ask for next in Nomad's lists
	}
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

func redactRequestHeader(header http.Header) http.Header {
	clean := http.Header{}
	for name, values := range header {
		clean[name] = []string{removed}
		if slices.Contains(plainHeaders, name) {
			clean[name] = slices.Clone(values)
		}
	}
	return clean
}

func redactResponseHeader(header http.Header) http.Header {
	clean := http.Header{}
	for name, values := range header {
		for _, value := range values {
			if secretName(name) {
				value = removed
			} else if name == "Location" || name == "Content-Location" {
				value = redactReference(value)
			}
			clean[name] = append(clean[name], printableASCII(value))
		}
	}
	// These told of the body as it was sent, not as it is recorded.
	clean.Del("Content-Length")
	return clean
}

func redactReference(reference string) string {
	parsed, err := url.Parse(reference)
	if err != nil {
		return removed
	}
	return redactURL(parsed)
}

// redactURL is a URL without a password and without secrets in its query, whose parameters are brought in order.
func redactURL(u *url.URL) string {
	clean := *u
	clean.User, clean.Fragment, clean.RawFragment = nil, "", ""
	query := clean.Query()
	for name, values := range query {
		if !secretName(name) {
			continue
		}
		for i := range values {
			values[i] = removed
		}
	}
	clean.RawQuery = query.Encode()
	return clean.String()
}

func printableASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}
