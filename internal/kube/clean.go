package kube

import (
	"strings"
	"unicode"
)

const maxText = 300 // characters of untrusted text in an error

// clean makes a text from outside fit for one line: no control characters, runs of blanks as one, at most maxText characters.
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
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxText {
		return string(r[:maxText]) + "…"
	}
	return s
}
