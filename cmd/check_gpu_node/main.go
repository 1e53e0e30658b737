// Command check_gpu_node is an Icinga/Nagios check of Kubernetes nodes that have GPUs.
package main

import (
	"context"
	"os"
	"runtime"

	"overdue/internal/gpu"
)

func main() {
	// It asks one question after the other. Threads on more processors only wake each other for that, a tenth of all CPU time.
	runtime.GOMAXPROCS(1)
	os.Exit(gpu.Check(context.Background(), os.Args[1:], os.Environ(), os.Stdout))
}
