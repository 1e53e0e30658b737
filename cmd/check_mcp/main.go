// Command check_mcp is an Icinga/Nagios check of OpenShift's MachineConfigPools.
package main

import (
	"context"
	"os"

	"overdue/internal/machineconfig"
)

func main() { os.Exit(machineconfig.Check(context.Background(), os.Args[1:], os.Environ(), os.Stdout)) }
