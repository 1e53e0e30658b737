package plugin

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Longest texts that are printed: one hostile name must not flood the monitoring system.
const (
	maxLine  = 600
	maxLabel = 200
)

// Age tells how long something takes or has lasted, in its two largest units: "45s", "4m 10s", "3h 12m", "2d 4h".
// A negative duration, which only a wrong clock can yield, is "0s".
func Age(d time.Duration) string {
	seconds := max(int64(d/time.Second), 0)
	units := []struct {
		name string
		size int64
	}{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}
	for i, unit := range units {
		if seconds < unit.size {
			continue
		}
		text := fmt.Sprintf("%d%s", seconds/unit.size, unit.name)
		if i+1 < len(units) {
			if rest := seconds % unit.size / units[i+1].size; rest > 0 {
				text += fmt.Sprintf(" %d%s", rest, units[i+1].name)
			}
		}
		return text
	}
	return "0s"
}

// Moment tells a point in time: "2026-11-30 23:58 UTC".
func Moment(t time.Time) string {
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// Word makes a text one word of a shell's command line.
func Word(s string) string {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-_./:@%+=,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Clean makes untrusted text safe to print in one line: what would break the line, start performance data, be rendered as
// a tag, steer a terminal or hide other text is replaced.
func Clean(s string) string {
	return strings.Join(strings.FieldsFunc(strings.Map(harmless, s), func(r rune) bool { return r == ' ' }), " ")
}

func harmless(r rune) rune {
	switch {
	case r == '|':
		return '¦'
	case r == '<':
		return '‹'
	case r == '>':
		return '›'
	case unicode.IsSpace(r), unicode.In(r, unicode.Z):
		return ' '
	case unicode.IsPrint(r):
		return r
	}
	return unicode.ReplacementChar
}

// clip cleans a text and shortens it to a number of characters.
func clip(s string, limit int) string {
	const runeSize = 4
	if most := 4 * runeSize * (limit + 1); len(s) > most {
		s = s[:most] + "…" // cleaning megabytes to print a line would be a waste
	}
	runes := []rune(Clean(s))
	if len(runes) <= limit {
		return string(runes)
	}
	return strings.TrimRight(string(runes[:limit-1]), " ") + "…"
}
