// Command icinga writes what Icinga, its Director and Nagios must know of the suite's programs: their options, from the
// programs' own flags, the templates of their services, and those of their charts. `make wiring` runs it, and a test compares.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: icinga DIRECTORY")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "icinga:", err)
		os.Exit(1)
	}
}

// files are the generated ones, by their path below icinga/.
func files() map[string]string {
	all := map[string]string{
		"commands.conf":        commandsConf(commands()),
		"templates.conf":       templatesConf(templates),
		"director/basket.json": basket(commands(), templates),
		"nagios/commands.cfg":  nagiosCommands(),
	}
	for _, g := range graphs {
		all["graphite/"+g.command+".ini"] = graphite(g.command, g.graphs)
	}
	return all
}

func write(dir string) error {
	for name, text := range files() {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
