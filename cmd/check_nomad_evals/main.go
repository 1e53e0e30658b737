// Command check_nomad_evals is an Icinga/Nagios check of Nomad's evaluations, allocations, jobs and servers.
package main

import (
	"context"
	"os"

	"overdue/internal/evaluation"
)

func main() { os.Exit(evaluation.Check(context.Background(), os.Args[1:], os.Environ(), os.Stdout)) }
