package poseidon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Environment is the configuration of an execution environment.
type Environment struct {
	ID   int
	Size int    // prewarmingPoolSize
	Body []byte // as it came: Poseidon takes it back unchanged
}

// Environment returns the configuration of one; IsUnknown tells that Poseidon does not have it.
func (c *Client) Environment(ctx context.Context, id int) (Environment, error) {
	q := question{op: fmt.Sprintf("read environment %d", id), kind: fmt.Sprintf("environment %d", id), method: http.MethodGet,
		path: fmt.Sprintf("/execution-environments/%d", id), good: []int{http.StatusOK}}
	body, err := c.ask(ctx, q)
	if err != nil {
		return Environment{}, err
	}
	e, err := parseEnvironment(id, body)
	if err != nil {
		return Environment{}, c.unusable(q, body, err.Error())
	}
	return e, nil
}

func parseEnvironment(id int, body []byte) (Environment, error) {
	var said *struct {
		ID    *int    `json:"id"`
		Size  *int    `json:"prewarmingPoolSize"`
		Image *string `json:"image"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return Environment{}, err
	}
	switch {
	case said == nil || said.ID == nil || said.Size == nil || said.Image == nil || *said.Image == "":
		return Environment{}, fmt.Errorf("its id, size or image is missing")
	case *said.ID != id:
		return Environment{}, fmt.Errorf("it is environment %d", *said.ID)
	case *said.Size < 0 || *said.Size > maxRunners:
		return Environment{}, fmt.Errorf("a pool of %d", *said.Size)
	}
	return Environment{ID: id, Size: *said.Size, Body: body}, nil
}

// Replace sends an environment's configuration (PUT): Poseidon then ends every runner of the environment, idle and used, and starts a
// full pool, one runner after the other, before it answers: up to 10 s for each, and 10 s for the environment. It goes on if the
// caller hangs up. A failed call may leave the pool worse than before. IsUnsent and IsRejected tell that it did not: the request leaves
// within a time, or never.
func (c *Client) Replace(ctx context.Context, e Environment, within time.Duration) error {
	_, err := c.ask(ctx, question{op: fmt.Sprintf("resync environment %d", e.ID), kind: fmt.Sprintf("the resync of environment %d", e.ID), method: http.MethodPut,
		path: fmt.Sprintf("/execution-environments/%d", e.ID), body: e.Body, within: within, good: []int{http.StatusNoContent, http.StatusCreated}})
	return err
}
