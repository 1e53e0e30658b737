package plugin

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestVerdicts(t *testing.T) {
	full := Finding{
		State: Critical, Subject: "pool worker", Problem: "update blocked, 1 of 44 nodes outdated", Since: noon.Add(-192 * time.Minute),
		Cause: "wrk-98 cordoned by kubectl", Consequence: "making wrk-98 ready lets the MCO drain it", Remedy: "oc adm uncordon wrk-98",
		Details: []string{"node wrk-98: unschedulable"},
	}
	const fullText = "pool worker: update blocked, 1 of 44 nodes outdated, for 3h 12m (since 2026-12-01 08:48 UTC): wrk-98 cordoned by kubectl; next: making wrk-98 ready lets the MCO drain it; do: oc adm uncordon wrk-98"
	warning := Finding{State: Warning, Subject: "a", Problem: "b"}
	fine := Finding{State: OK, Subject: "pool infra", Problem: "up to date"}
	for _, test := range []struct {
		name     string
		findings []Finding
		summary  string
		code     int
		want     string
	}{
		{"nothing told", nil, "", 3, "[UNKNOWN] - nothing was judged\n"},
		{"summary", nil, "3 pools up to date", 0, "[OK] - 3 pools up to date\n"},
		{"a fine finding", []Finding{fine}, "", 0, "[OK] - pool infra: up to date\n"},
		{"a fine finding and the summary", []Finding{fine, fine}, "2 pools", 0, "[OK] - pool infra: up to date; 2 pools\n\\_ [OK] pool infra: up to date\n"},
		{"in full", []Finding{full}, "unused", 2, "[CRITICAL] - " + fullText + "\n    node wrk-98: unschedulable\n"},
		{"worst first, then as added", []Finding{fine, warning, {State: Unknown, Problem: "u1"}, full, {State: Unknown, Problem: "u2"}}, "", 2,
			"[CRITICAL] - " + fullText + " (+3 more: 2 unknown, 1 warning)\n    node wrk-98: unschedulable\n" +
				"\\_ [UNKNOWN] u1\n\\_ [UNKNOWN] u2\n\\_ [WARNING] a: b\n\\_ [OK] pool infra: up to date\n"},
		{"unknown is worse than warning", []Finding{warning, {State: Unknown, Problem: "u"}}, "", 3, "[UNKNOWN] - u (+1 more: 1 warning)\n\\_ [WARNING] a: b\n"},
		{"a state that does not exist", []Finding{{State: 7, Problem: "odd"}}, "", 3, "[UNKNOWN] - odd\n"},
		{"a negative state", []Finding{{State: -1, Problem: "odd"}}, "", 3, "[UNKNOWN] - odd\n"},
		{"at least", []Finding{{State: Warning, Subject: "job", Problem: "no evaluation", Since: noon.Add(-time.Hour), AtLeast: true}}, "", 1,
			"[WARNING] - job: no evaluation, for at least 1h (since 2026-12-01 11:00 UTC)\n"},
		{"began in the future", []Finding{{State: Warning, Problem: "skew", Since: noon.Add(time.Hour)}}, "", 1, "[WARNING] - skew, for 0s (since 2026-12-01 13:00 UTC)\n"},
		{"only a remedy", []Finding{{State: Warning, Remedy: "x"}}, "", 1, "[WARNING] - do: x\n"},
		{"no text", []Finding{{State: Warning}}, "", 1, "[WARNING] - no text\n"},
		{"hostile text", []Finding{{State: Warning, Subject: "a\nb", Problem: "c|d=1 <b>", Details: []string{"e\nf|g=2"}}}, "", 1,
			"[WARNING] - a b: c¦d=1 ‹b›\n    e f¦g=2\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, output := try(t, func(_ context.Context, r *Run) error {
				r.Add(test.findings...)
				r.Summarize("%s", test.summary)
				return nil
			}, atNoon)
			expect(t, code, output, test.code, test.want)
		})
	}
}

func TestDetailsAreLimited(t *testing.T) {
	check := func(n int) Check {
		return func(_ context.Context, r *Run) error {
			for i := range n {
				r.Add(Finding{State: Critical, Subject: "node", Problem: fmt.Sprint(i)})
			}
			r.Note("no right to read %s", "events")
			return nil
		}
	}
	_, exact := try(t, check(21))
	if lines := strings.Split(strings.TrimSpace(exact), "\n"); len(lines) != 21 || lines[20] != `\_ [CRITICAL] node: 20` {
		t.Errorf("20 details must be shown whole:\n%s", exact)
	}
	_, short := try(t, check(5000))
	lines := strings.Split(strings.TrimSpace(short), "\n")
	if len(lines) != 21 || lines[20] != "... 4980 more lines, -v shows all" || lines[19] != `\_ [CRITICAL] node: 19` {
		t.Errorf("not limited to 20 details:\n%s", short)
	}
	_, long := try(t, check(5000), "-v")
	lines = strings.Split(strings.TrimSpace(long), "\n")
	if len(lines) != 5001 || lines[5000] != "note: no right to read events" {
		t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}

func TestLongTextsKeepTheRemedy(t *testing.T) {
	_, output := try(t, func(_ context.Context, r *Run) error {
		r.Add(Finding{State: Critical, Subject: "s", Problem: "p", Cause: strings.Repeat("x ", 10<<20), Remedy: "oc adm uncordon wrk-98"})
		return nil
	})
	if size := len([]rune(output)); size > maxLine+40 || size < maxLine-40 || !strings.HasSuffix(output, "x…; do: oc adm uncordon wrk-98\n") {
		t.Errorf("%d characters: %.700s", size, output)
	}
}
