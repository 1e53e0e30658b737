package plugin

import (
	"math"
	"strings"
	"unicode"

	check "github.com/NETWAYS/go-check"
)

// maxPoints keeps Icinga Web alive, which hangs on many hundreds of points.
const maxPoints = 99

// perfdata prints metrics, each label once.
func perfdata(metrics []Metric) string {
	var points []string
	seen := map[string]bool{}
	for _, metric := range metrics {
		label := cleanLabel(metric.Label)
		if seen[label] || len(points) == maxPoints {
			continue
		}
		seen[label] = true
		points = append(points, point(label, metric))
	}
	return strings.Join(points, " ")
}

func point(label string, m Metric) string {
	p := check.Perfdata{Label: label, Value: rounded(m.Value), Uom: cleanUnit(m.Unit), Warn: printable(m.Warning), Crit: printable(m.Critical), Min: 0}
	if !math.IsNaN(m.Value) && !math.IsInf(m.Value, 0) {
		list := check.PerfdataList{&p}
		return list.String()
	}
	// go-check leaves such a point out, and the set of labels would change from run to run.
	p.Value, p.Uom = 0, ""
	return strings.Replace(p.String(), "=0", "=U", 1)
}

// rounded is a value as go-check prints it, without its "-0".
func rounded(value float64) float64 {
	if math.Abs(value) < 0.0005 {
		return 0
	}
	return value
}

// printable is a threshold that go-check prints in full: it would leave out the 0 of "0:", and all of it with that.
func printable(r *Range) *check.Threshold {
	if r == nil {
		return nil
	}
	threshold := r.Threshold()
	if threshold != nil && threshold.Lower == 0 && math.IsInf(threshold.Upper, 1) {
		threshold.Lower = math.SmallestNonzeroFloat64
	}
	return threshold
}

func cleanLabel(label string) string {
	label = label[:min(len(label), 4*maxLabel)]
	label = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("='\"`;|,<>", r) {
			return '_'
		}
		return r
	}, strings.ReplaceAll(strings.ToValidUTF8(label, "_"), "::", "_"))
	label = clip(label, maxLabel)
	if label == "" {
		return "unnamed"
	}
	return label
}

func cleanUnit(unit string) string {
	for _, r := range unit {
		if r != '%' && (r > unicode.MaxASCII || !unicode.IsLetter(r)) {
			return ""
		}
	}
	return unit
}
