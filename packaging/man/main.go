// Command man writes the man pages of the suite's programs into a directory, from their flags.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"overdue/internal/evaluation"
	"overdue/internal/gpu"
	"overdue/internal/machineconfig"
	"overdue/internal/plugin"
	"overdue/internal/prewarm"
	"overdue/internal/resync"
)

var programs = []plugin.Program{machineconfig.Program, gpu.Program, evaluation.Program, prewarm.Program, resync.Program}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: man DIRECTORY VERSION (the date is SOURCE_DATE_EPOCH)")
		os.Exit(2)
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err == nil {
		err = writeAll(os.Args[1], os.Args[2], time.Unix(seconds, 0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func writeAll(dir, version string, date time.Time) error {
	for _, p := range programs {
		file, err := os.Create(filepath.Join(dir, p.Name+".8"))
		if err != nil {
			return err
		}
		err = write(file, p, version, date)
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}
