package plugin

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestRange(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		spec    string
		seconds bool
		well    []float64
		alarm   []float64
	}{
		{"10", false, []float64{0, 10}, []float64{-1, 10.1, inf}},
		{"10:", false, []float64{10, inf}, []float64{9.9, -inf}},
		{"~:10", false, []float64{-inf, 10}, []float64{11}},
		{"10:20", false, []float64{10, 20}, []float64{9, 21}},
		{"@10:20", false, []float64{9, 21}, []float64{10, 20}},
		{"0:10", false, []float64{0, 10}, []float64{-1, 11}},
		{"-5.5:1", false, []float64{-5.5}, []float64{-6}},
		{"off", false, []float64{inf, -inf, 0}, nil},
		{"30m", true, []float64{0, 1800}, []float64{1801}},
		{"600", true, []float64{600}, []float64{601}},
		{"0.500000", true, []float64{0.5}, []float64{0.6}},
		{"1h30m", true, []float64{5400}, []float64{5401}},
		{"2d", true, []float64{172800}, []float64{172801}},
		{"1w1d1h1m1.5s", true, []float64{694861.5}, []float64{694862}},
		{"@10m:1h", true, []float64{599, 3601}, []float64{600, 3600}},
		{"10m:", true, []float64{600}, []float64{599}},
		{"~:5m", true, []float64{-1, 300}, []float64{301}},
		{"-1m:60", true, []float64{-60, 60}, []float64{-61, 61}},
		{"off", true, []float64{inf}, nil},
	} {
		r := mustRange(test.spec, test.seconds)
		if r.String() != test.spec {
			t.Errorf("%q prints as %q", test.spec, r)
		}
		for _, value := range test.well {
			if r.Violates(value) {
				t.Errorf("%q alarms at %v", test.spec, value)
			}
		}
		for _, value := range test.alarm {
			if !r.Violates(value) {
				t.Errorf("%q does not alarm at %v", test.spec, value)
			}
		}
	}
}

func TestRangeRefused(t *testing.T) {
	for _, spec := range []string{"", " ", "abc", "NaN", "Inf", "inf", "+5", "1e3", ".5", "10.", "50%", ":10", "@", "@:5", "~", "@~", "5:3", "-5",
		"1:2:3", "10 ", " 10", "~:~:", strings.Repeat("9", 400), "0x10", "1_000", "@@1", "OFF", "@off"} {
		for _, seconds := range []bool{false, true} {
			r := Range{seconds: seconds}
			err := r.Set(spec)
			if err == nil {
				t.Errorf("%q (time %v) is accepted", spec, seconds)
			} else if !strings.Contains(err.Error(), "range is ") || !strings.Contains(err.Error(), "or off") {
				t.Errorf("%q: the error says not what is accepted: %v", spec, err)
			}
			if r.String() != off || r.Violates(1e9) {
				t.Errorf("a refused %q changes the range", spec)
			}
		}
	}
	for _, spec := range []string{"30min", "m", "1h1h", "1m1h", "1.m", "-", "1000w1000000d", "3155673600", "1h:30m", strings.Repeat("1", 200) + "s", "30m:~:"} {
		r := Range{seconds: true}
		if err := r.Set(spec); err == nil {
			t.Errorf("%q is accepted as a time range", spec)
		}
	}
	if err := (&Range{}).Set("30m"); err == nil {
		t.Error("a unit of time is accepted in a plain range")
	}
	defer func() {
		if recover() == nil {
			t.Error("a wrong default passes unnoticed")
		}
	}()
	NewRange("5:3")
}

func FuzzRange(f *testing.F) {
	for _, spec := range []string{"10", "10:", "~:10", "@10:20", "off", "30m", "@10m:1h30m", "-1d:~", "0.5s:", "5:3", "~:~", "@~:"} {
		f.Add(spec, 5.0)
	}
	f.Fuzz(func(t *testing.T, spec string, value float64) {
		for _, seconds := range []bool{false, true} {
			first := Range{seconds: seconds}
			if first.Set(spec) != nil {
				continue
			}
			second := Range{seconds: seconds}
			if err := second.Set(first.String()); err != nil {
				t.Fatalf("%q prints as %q, which is refused: %v", spec, first, err)
			}
			values := []float64{value, 0, -1, math.Inf(1), math.Inf(-1)}
			if bounds := first.Threshold(); bounds != nil {
				if !(bounds.Lower <= bounds.Upper) {
					t.Fatalf("%q has the bounds %v, %v", spec, bounds.Lower, bounds.Upper)
				}
				values = append(values, bounds.Upper, math.Nextafter(bounds.Upper, math.Inf(1)))
			}
			for _, v := range values {
				if first.Violates(v) != second.Violates(v) {
					t.Fatalf("%q and %q differ at %v", spec, first, v)
				}
			}
			if strings.ContainsAny(first.String(), " |\n;") {
				t.Fatalf("%q would break the performance data", first)
			}
		}
	})
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{"30": 30 * time.Second, "30s": 30 * time.Second, "1m": time.Minute, "0.25": 250 * time.Millisecond, "1d2h": 26 * time.Hour, "90m": 90 * time.Minute, "0": 0} {
		var d, again Duration
		if err := d.Set(text); err != nil || time.Duration(d) != want {
			t.Errorf("%q is %v, %v; want %v", text, time.Duration(d), err, want)
		}
		if err := again.Set(d.String()); err != nil || again != d {
			t.Errorf("%q prints as %q, which reads as %v, %v", text, d, again, err)
		}
	}
	for _, text := range []string{"", "-1", "x", "10x", "1e3", "NaN", "-5m", "200000d"} {
		if err := new(Duration).Set(text); err == nil || !strings.Contains(err.Error(), "1h30m") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
