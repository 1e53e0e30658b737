package evaluation

import (
	"path/filepath"
	"strings"
	"testing"

	"overdue/internal/plugin"
)

// The servers' trouble is told along with a finding that has no cause of its own, too.
func TestMentionWithoutACause(t *testing.T) {
	row{snapshot: region(failed(FailedEvaluation{JobID: id("web"), Created: before(60e9)}), tolerance(0)), want: plugin.Warning,
		says: []string{"UTC ¶ servers: failure tolerance 0 ¶"}, not: []string{"¶ ; "}}.check(t)
}

// With the limits off nothing is overdue or lost: it is not looked for, and the first line says so.
func TestLimitsOff(t *testing.T) {
	out, code := run(t, start(t, incident), "-w", "off", "-c", "off", "--blocked-warning", "off", "--now", tenPastTwo)
	if code != 0 || strings.Contains(first(out), "no job lost") || strings.Contains(first(out), "no evaluation overdue") ||
		!strings.HasPrefix(out, "[OK] - overdue evaluations and lost jobs not judged (0 pending, 1 blocked), 0 allocations pending, in 1 namespace") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, _ := run(t, start(t), "-w", "off"); !strings.Contains(first(out), "no job lost") {
		t.Error(out)
	}
}

// Performance data has the same labels where nothing could be asked, all without a value.
func TestPerfdataOfMisuse(t *testing.T) {
	s := start(t)
	good, _ := run(t, s)
	_, data, _ := strings.Cut(good, "\n|")
	missing := filepath.Join(t.TempDir(), "missing")
	for _, args := range [][]string{{"--token-file", missing}, {"--ca-file", missing}, {"--job", ""}, {"--expect-servers", "-1"}} {
		out, code := run(t, s, args...)
		_, bad, _ := strings.Cut(out, "\n|")
		if code != 3 || strings.Count(bad, "=U;") != len(strings.Fields(data)) || len(strings.Fields(bad)) != len(strings.Fields(data)) {
			t.Errorf("%q: exit %d: %s", args, code, out)
		}
	}
}
