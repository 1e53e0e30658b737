//go:build performance

package performance

import (
	"fmt"
	"testing"
	"time"

	"overdue/internal/nomad/nomadtest"
)

// evaluations measures check_nomad_evals beside histories of closed evaluations, and with very many open ones.
func evaluations(t *testing.T) {
	const open = `.Status == "pending" or .Status == "blocked"`
	for _, c := range []struct {
		count, memory int
		status, name  string
		want, jq      string
		like          string
	}{
		{23_000, 1, "complete", "closed", "[OK]", "0", ""},
		{1_000_000, 9, "complete", "closed", "[OK]", "0", "check_nomad_evals, closed: 23,000 evaluations"},
		{23_000, 1, "blocked", "all blocked", "23000 evaluations", "23000", ""},
		{200_000, 3, "blocked", "all blocked", "200000 evaluations", "200000", ""},
	} {
		if c.count > *mostEvaluations {
			continue
		}
		server := nomadtest.NewTLS()
		server.Many(c.count, c.status, time.Now().Add(-time.Hour))
		list := "/v1/evaluations?namespace=*"
		contest{name: "check_nomad_evals, " + c.name, size: c.count, unit: "evaluations", like: c.like, healthy: c.status == "complete", others: []contender{
			curl(list, "[.[] | select("+open+")] | length", c.jq, c.memory),
			python(fmt.Sprintf(`sum(e["Status"] in ("pending", "blocked") for e in get(%q))`, list), c.jq, c.memory),
		}}.hold(t, contender{name: "check_nomad_evals", want: c.want, command: func(e endpoint) []string {
			return []string{plugin("check_nomad_evals"), "--address", e.url, "--ca-file", e.authority, "--token-file", e.token, "-t", "300"}
		}}, standIn(t, server.HTTP()))
		server.Close()
	}
}
