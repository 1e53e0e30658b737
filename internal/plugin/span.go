package plugin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxSpan keeps every accepted time within what time.Duration can hold.
const maxSpan = 100 * 365 * 24 * time.Hour

// units of time, in the order in which they may be written, and their seconds.
var units = []struct {
	name    byte
	seconds float64
}{{'w', 604800}, {'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}

// parseSpan reads a time as seconds: plain, because Icinga hands durations on so, or with units from the largest to the smallest.
func parseSpan(s string) (float64, error) {
	if len(s) > 100 {
		return 0, errors.New("too long for a time")
	}
	wrong := fmt.Errorf("%q is not a time", s)
	rest, negative := strings.CutPrefix(s, "-")
	number, rest, ok := leadingNumber(rest)
	if !ok {
		return 0, wrong
	}
	seconds := number
	if rest != "" {
		seconds = 0
		for _, unit := range units {
			if rest == "" || rest[0] != unit.name {
				continue
			}
			seconds += number * unit.seconds
			if rest = rest[1:]; rest == "" {
				break
			}
			if number, rest, ok = leadingNumber(rest); !ok {
				return 0, wrong
			}
		}
		if rest != "" {
			return 0, wrong
		}
	}
	if negative {
		seconds = -seconds
	}
	return seconds, checkSpan(seconds)
}

// leadingNumber takes digits, with a fraction perhaps, from the front of a text.
func leadingNumber(s string) (number float64, rest string, ok bool) {
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(s)
	}
	digits := s[:end]
	if strings.HasPrefix(digits, ".") || strings.HasSuffix(digits, ".") {
		return 0, s, false
	}
	number, err := strconv.ParseFloat(digits, 64)
	return number, s[end:], err == nil
}

func checkSpan(seconds float64) error {
	if seconds > maxSpan.Seconds() || seconds < -maxSpan.Seconds() {
		return errors.New("a time of more than 100 years")
	}
	return nil
}

// Duration is a time on a command line, in plain seconds or with units: 30, 90s, 1h30m, 2d. It is a pflag.Value.
type Duration time.Duration

// Set reads a duration; it must not be negative.
func (d *Duration) Set(s string) error {
	seconds, err := parseSpan(s)
	if err == nil && seconds < 0 {
		err = errors.New("it must not be negative")
	}
	if err != nil {
		return fmt.Errorf("%w; a time is 30 (seconds), 90s, 5m, 1h30m or 2d", err)
	}
	*d = Duration(seconds * float64(time.Second))
	return nil
}

// String is the duration with units, as Set takes it.
func (d Duration) String() string {
	rest := time.Duration(d)
	var text strings.Builder
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}} {
		if rest >= unit.size {
			fmt.Fprintf(&text, "%d%s", rest/unit.size, unit.name)
			rest %= unit.size
		}
	}
	if rest > 0 || text.Len() == 0 {
		text.WriteString(strconv.FormatFloat(rest.Seconds(), 'f', -1, 64) + "s")
	}
	return text.String()
}

// Type names the kind of value for --help.
func (d Duration) Type() string { return "TIME" }
