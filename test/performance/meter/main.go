// Command meter runs a command and prints as JSON what it cost. It is small, as Linux counts the memory of the process that starts
// another as the other's peak. usage: meter COMMAND [ARGUMENT...]
package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"time"
)

func main() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	wall := time.Since(began)
	if cmd.ProcessState == nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	err = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"Wall": wall, "CPU": cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		"RSS":  cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss,
		"Code": cmd.ProcessState.ExitCode(), "Output": string(out),
	})
	if err != nil {
		os.Exit(1)
	}
}
