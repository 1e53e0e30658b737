package plugin

import check "github.com/NETWAYS/go-check"

// Range is a threshold in the Monitoring Plugins range syntax, or off. It is a pflag.Value.
type Range struct {
	threshold *check.Threshold // nil: off
	seconds   bool             // bounds may carry a unit of time
}

// Violates says whether a value raises the alarm. A range that is off never does.
func (r Range) Violates(value float64) bool {
	return r.threshold != nil && r.threshold.DoesViolate(value)
}
