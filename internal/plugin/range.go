package plugin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	check "github.com/NETWAYS/go-check"
)

const off = "off"

// Range is a threshold in the Monitoring Plugins range syntax, or off. It is a pflag.Value. Its zero value is off.
type Range struct {
	threshold *check.Threshold // nil: off
	seconds   bool             // bounds may carry a unit of time
	spec      string           // as it was given
}

// NewRange is a range of plain numbers. It panics on a specification that is wrong, which only a programmer can give.
func NewRange(spec string) Range { return mustRange(spec, false) }

// NewTimeRange is a range of seconds whose bounds may carry units of time: "30m", "@10m:1h30m".
func NewTimeRange(spec string) Range { return mustRange(spec, true) }

func mustRange(spec string, seconds bool) Range {
	r := Range{seconds: seconds}
	if err := r.Set(spec); err != nil {
		panic(err)
	}
	return r
}

// Set reads a range from a command line.
func (r *Range) Set(spec string) error {
	if spec == off {
		r.threshold, r.spec = nil, spec
		return nil
	}
	threshold, err := parseRange(spec, r.seconds)
	if err != nil {
		return fmt.Errorf("%w; %s", err, rangeSyntax(r.seconds))
	}
	r.threshold, r.spec = threshold, spec
	return nil
}

// String is the range as it was given.
func (r Range) String() string {
	if r.threshold == nil {
		return off
	}
	return r.spec
}

// Type names the kind of value for --help.
func (r Range) Type() string {
	if r.seconds {
		return "TIMERANGE"
	}
	return "RANGE"
}

// Violates says whether a value raises the alarm. A range that is off never does.
func (r Range) Violates(value float64) bool {
	return r.threshold != nil && r.threshold.DoesViolate(value)
}

// Threshold is the range as go-check knows it; nil if it is off.
func (r Range) Threshold() *check.Threshold {
	if r.threshold == nil {
		return nil
	}
	threshold := *r.threshold
	return &threshold
}

func rangeSyntax(seconds bool) string {
	if seconds {
		return "a time range is 30m, 1h30m, 600 (seconds), 10m:, ~:5m, 10m:1h, @10m:1h or off; units are s, m, h, d, w"
	}
	return "a range is 10, 10:, ~:10, 10:20, @10:20 or off"
}

func parseRange(spec string, seconds bool) (*check.Threshold, error) {
	bare, inside := strings.CutPrefix(spec, check.RangeStartSymbol)
	bounds := strings.Split(bare, check.RangeSeparatorSymbol)
	if bare == "" || len(bounds) > 2 || bounds[0] == "" {
		return nil, errors.New("not a range")
	}
	if len(bounds) == 1 && bare == check.NegativeInfinitySymbol {
		return nil, errors.New("~ alone has no end")
	}
	for i, bound := range bounds {
		if !seconds || bound == "" || bound == check.NegativeInfinitySymbol {
			continue
		}
		span, err := parseSpan(bound)
		if err != nil {
			return nil, err
		}
		bounds[i] = strconv.FormatFloat(span, 'f', -1, 64)
	}
	plain := strings.Join(bounds, check.RangeSeparatorSymbol)
	if inside {
		plain = check.RangeStartSymbol + plain
	}
	threshold, err := check.ParseThreshold(plain)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return nil, errors.New("a bound is too large")
	case err != nil:
		return nil, errors.New("not a range")
	case threshold.Lower > threshold.Upper && len(bounds) == 1:
		return nil, errors.New("the end is below the start, which is 0 if none is given")
	case threshold.Lower > threshold.Upper:
		return nil, errors.New("the end is below the start")
	}
	return threshold, nil
}
