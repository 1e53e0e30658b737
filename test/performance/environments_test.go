//go:build performance

package performance

import (
	"testing"

	"overdue/internal/poseidon/poseidontest"
)

// environments measures check_prewarm_pool.
func environments(t *testing.T) {
	const path = "/api/v1/statistics/execution-environments"
	for _, n := range []int{10, 1000} {
		server := poseidontest.NewUnstarted()
		server.Lose(10)
		server.Lose(29)
		for id := range n {
			server.Set(id+1, 10, 9, 2)
		}
		server.HTTP().StartTLS()
		contest{name: "check_prewarm_pool", size: n, unit: "environments", healthy: true, others: []contender{
			curl(path, `[.[] | select(.idleRunners * 2 < .prewarmingPoolSize)] | length`, "0", 0),
			python(`sum(e["idleRunners"] * 2 < e["prewarmingPoolSize"] for e in get("`+path+`").values())`, "0", 0),
		}}.hold(t, contender{name: "check_prewarm_pool", want: "[OK]", command: func(e endpoint) []string {
			return []string{plugin("check_prewarm_pool"), "--address", e.url, "--ca-file", e.authority, "--token-file", e.token}
		}}, standIn(t, server.HTTP()))
		server.Close()
	}
}
