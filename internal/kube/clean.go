package kube

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

const maxText = 300 // characters of untrusted text in an error

// secrets that a server or a file may echo: a bearer token, and the password in a URL.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(bearer\s+)[^\s"',\]]+|(://[^\s/@:]*:)[^\s/@]*@`)
})

// clean makes a text from outside fit for one line: no control characters, runs of blanks as one, no secrets, at most maxText
// characters.
func clean(s string) string {
	if len(s) > 4*maxText {
		s = s[:4*maxText]
	}
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	s = secrets().ReplaceAllString(strings.Join(strings.Fields(s), " "), "$1${2}removed ")
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return s
}
