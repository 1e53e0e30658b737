package nomad

import (
	"context"

	"overdue/internal/web"
)

// networkError puts into words why there is no answer. phase is what was going on, or "".
func (c *Client) networkError(ctx context.Context, to address, q question, phase string, err error) error {
	e := &Error{Op: q.op, Err: err}
	e.What, e.Remedy = silence(ctx, to, phase, err)
	return e
}

func silence(ctx context.Context, to address, phase string, err error) (what, remedy string) {
	return web.Peer{Name: to.name, Program: "Nomad", Unit: "nomad", TLSName: "usually server.REGION.nomad", Option: to.option}.Silence(ctx, phase, err)
}
