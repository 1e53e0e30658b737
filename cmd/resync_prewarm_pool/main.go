// Command resync_prewarm_pool is an Icinga/Nagios event handler that refills a depleted Poseidon pre-warming pool.
package main

import (
	"context"
	"os"

	"overdue/internal/resync"
)

func main() { os.Exit(resync.Check(context.Background(), os.Args[1:], os.Environ(), os.Stdout)) }
