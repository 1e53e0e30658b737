// Command man writes the man pages of the suite's programs into a directory, from their flags.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"overdue/internal/plugin"
	"overdue/packaging/programs"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: man DIRECTORY VERSION PROGRAM… (the date is SOURCE_DATE_EPOCH)")
		os.Exit(2)
	}
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err == nil {
		err = writeAll(os.Args[1], os.Args[2], os.Args[3:], time.Unix(seconds, 0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

func writeAll(dir, version string, names []string, date time.Time) error {
	for _, name := range names {
		i := slices.IndexFunc(programs.All, func(p plugin.Program) bool { return p.Name == name })
		if i < 0 {
			return fmt.Errorf("%s is not in packaging/programs", name)
		}
		file, err := os.Create(filepath.Join(dir, name+".8"))
		if err != nil {
			return err
		}
		err = write(file, programs.All[i], version, date)
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}
