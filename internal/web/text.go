// Package web holds what the suite's clients of HTTP APIs have in common: texts from outside made fit for one line, bodies
// that are bounded in size, how far a request got, and proxies from a given environment.
package web

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

const maxText = 300 // characters of untrusted text in an error

// secrets that a server or a file may echo: a bearer token, a basic login, Nomad's token, and the password in a URL.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)((?:bearer|basic)\s+|x-nomad-token["']?\s*[:=]\s*[\["']*)[^\s"',\]]+|(://[^\s/@:]*:)[^\s/@]*@`)
})

// WithoutSecrets takes out of a text what looks like a bearer token, a basic login, Nomad's token or the password in a URL.
func WithoutSecrets(s string) string { return secrets().ReplaceAllString(s, "$1${2}removed ") }

// Clean makes a text from outside fit for one line: no control characters, runs of blanks as one, no secrets, at most 300
// characters.
func Clean(s string) string {
	if len(s) > 4*maxText {
		s = s[:4*maxText]
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	s = WithoutSecrets(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return s
}
