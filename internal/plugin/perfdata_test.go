package plugin

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestPerfdata(t *testing.T) {
	rangeOf := func(spec string) *Range { r := NewTimeRange(spec); return &r }
	for _, test := range []struct {
		metric Metric
		want   string
	}{
		{Metric{Label: "nodes", Value: 44}, "nodes=44;;;0"},
		{Metric{Label: "age", Value: 90.5, Unit: "s", Warning: rangeOf("30m"), Critical: rangeOf("1h")}, "age=90.5s;1800;3600;0"},
		{Metric{Label: "a", Value: 1, Warning: rangeOf("0:"), Critical: rangeOf("@0:")}, "a=1;0:;@0:;0"},
		{Metric{Label: "a", Value: 1, Warning: rangeOf("~:5"), Critical: rangeOf("@10m:1h")}, "a=1;~:5;@600:3600;0"},
		{Metric{Label: "a", Value: 1, Warning: rangeOf("off"), Critical: rangeOf("10")}, "a=1;;10;0"},
		{Metric{Label: "a", Value: math.NaN(), Unit: "s", Warning: rangeOf("10")}, "a=U;10;;0"},
		{Metric{Label: "a", Value: math.Inf(-1)}, "a=U;;;0"},
		{Metric{Label: "a", Value: -0.0001}, "a=0;;;0"},
		{Metric{Label: "a", Value: math.Copysign(0, -1)}, "a=0;;;0"},
		{Metric{Label: "a", Value: 1e15}, "a=1000000000000000;;;0"},
		{Metric{Label: "a", Value: 100}, "a=100;;;0"},
		{Metric{Label: "", Value: 1}, "unnamed=1;;;0"},
		{Metric{Label: "a b=c'd\"e`f;g|h::i\n<j>", Value: 1}, "a_b_c_d_e_f_g_h_i__j_=1;;;0"},
		{Metric{Label: ":::a\u202e\xff", Value: 1}, "_:a__=1;;;0"},
		{Metric{Label: "a", Value: 1, Unit: "s;1 x=2"}, "a=1;;;0"},
		{Metric{Label: "a", Value: 1, Unit: "%"}, "a=1%;;;0"},
	} {
		if got := perfdata([]Metric{test.metric}); got != test.want {
			t.Errorf("%+v: %q, want %q", test.metric, got, test.want)
		}
	}
}

func TestPerfdataLabelsAreUniqueAndFew(t *testing.T) {
	metrics := []Metric{{Label: "a b", Value: 1}, {Label: "a_b", Value: 2}}
	if got := perfdata(metrics); got != "a_b=1;;;0" {
		t.Errorf("%q", got)
	}
	for i := range 500 {
		metrics = append(metrics, Metric{Label: fmt.Sprint("n", i)})
	}
	if got := len(strings.Fields(perfdata(metrics))); got != 99 {
		t.Errorf("%d points", got)
	}
	if got := perfdata(nil); got != "" {
		t.Errorf("%q", got)
	}
}
