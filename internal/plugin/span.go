package plugin

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxSpan keeps every accepted time within what time.Duration can hold.
const maxSpan = 100 * 365 * 24 * time.Hour

var (
	plainSeconds = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	withUnits    = regexp.MustCompile(`^(-)?(?:(\d+(?:\.\d+)?)w)?(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?$`)
	unitSeconds  = []float64{604800, 86400, 3600, 60, 1}
)

// parseSpan reads a time as seconds: plain, because Icinga hands durations on so, or with units from the largest to the smallest.
func parseSpan(s string) (float64, error) {
	if len(s) > 100 {
		return 0, errors.New("too long for a time")
	}
	if plainSeconds.MatchString(s) {
		seconds, err := strconv.ParseFloat(s, 64)
		return seconds, checkSpan(seconds, err)
	}
	parts := withUnits.FindStringSubmatch(s)
	if parts == nil || strings.TrimPrefix(s, "-") == "" {
		return 0, fmt.Errorf("%q is not a time", s)
	}
	var seconds float64
	for i, size := range unitSeconds {
		if parts[i+2] == "" {
			continue
		}
		number, err := strconv.ParseFloat(parts[i+2], 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a time", s)
		}
		seconds += number * size
	}
	if parts[1] != "" {
		seconds = -seconds
	}
	return seconds, checkSpan(seconds, nil)
}

func checkSpan(seconds float64, err error) error {
	if err != nil || seconds > maxSpan.Seconds() || seconds < -maxSpan.Seconds() {
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
