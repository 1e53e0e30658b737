package kube

import (
	"context"
	"fmt"
)

// Optional turns the failure to read what a verdict can do without into a note that says what it costs: a right that is
// missing, or whatever else. The end of the run's time stands. What this cluster does not have is not even a note.
func Optional(ctx context.Context, err error, note func(format string, args ...any), cost string) error {
	switch {
	case err == nil, IsNotFound(err), IsNoSuchGroup(err):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", cost, err)
	}
	note("%s: %v", cost, err)
	return nil
}
