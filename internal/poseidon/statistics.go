package poseidon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// maxRunners bounds a count of runners: more are no count.
const maxRunners = 1_000_000

// Pool is the pre-warming pool of one execution environment, as Poseidon remembers it.
type Pool struct {
	ID   int
	Size int // prewarmingPoolSize: idle runners that there should be
	Idle int // started, and waiting for a learner; starting ones are counted nowhere
	Used int // claimed by learners, besides the pool's size
}

// statistics is an entry of GET /statistics/execution-environments (pkg/dto). A count that is absent is not 0.
type statistics struct {
	ID   *int `json:"id"`
	Size *int `json:"prewarmingPoolSize"`
	Idle *int `json:"idleRunners"`
	Used *int `json:"usedRunners"`
}

// Pools returns the pools of all environments that Poseidon knows, by ID. There is no such route for one.
func (c *Client) Pools(ctx context.Context) ([]Pool, error) {
	q := question{op: "read the statistics", kind: "statistics of environments", method: http.MethodGet,
		path: "/statistics/execution-environments", good: []int{http.StatusOK}}
	body, err := c.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	pools, err := parsePools(body)
	if err != nil {
		return nil, c.unusable(q, body, err.Error())
	}
	return pools, nil
}

func parsePools(body []byte) ([]Pool, error) {
	var entries map[string]*statistics
	if err := json.Unmarshal(body, &entries); err != nil {
		return nil, err
	}
	if entries == nil {
		return nil, fmt.Errorf("it is null")
	}
	pools := make([]Pool, 0, len(entries))
	for key, entry := range entries {
		pool, err := entry.pool(key)
		if err != nil {
			return nil, fmt.Errorf("entry %q: %w", key, err)
		}
		pools = append(pools, pool)
	}
	slices.SortFunc(pools, func(a, b Pool) int { return a.ID - b.ID })
	return pools, nil
}

func (s *statistics) pool(key string) (Pool, error) {
	if s == nil || s.ID == nil || s.Size == nil || s.Idle == nil || s.Used == nil {
		return Pool{}, fmt.Errorf("a count is missing")
	}
	if key != strconv.Itoa(*s.ID) || *s.ID < 0 {
		return Pool{}, fmt.Errorf("its id is %d", *s.ID)
	}
	for _, count := range []int{*s.Size, *s.Idle, *s.Used} {
		if count < 0 || count > maxRunners {
			return Pool{}, fmt.Errorf("%d runners", count)
		}
	}
	return Pool{ID: *s.ID, Size: *s.Size, Idle: *s.Idle, Used: *s.Used}, nil
}
