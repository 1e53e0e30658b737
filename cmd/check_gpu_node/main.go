// Command check_gpu_node is an Icinga/Nagios check of Kubernetes nodes that have GPUs.
package main

import (
	"context"
	"os"

	"overdue/internal/gpu"
)

func main() { os.Exit(gpu.Check(context.Background(), os.Args[1:], os.Environ(), os.Stdout)) }
