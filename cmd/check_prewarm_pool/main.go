// Command check_prewarm_pool is an Icinga/Nagios check of Poseidon's pre-warming pools.
package main

import (
	"context"
	"os"

	"overdue/internal/prewarm"
)

func main() { os.Exit(prewarm.Check(context.Background(), os.Args[1:], os.Environ(), os.Stdout)) }
