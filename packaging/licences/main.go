// Command licences lists the modules that the plugins link, with their licences, and prints the texts that a distribution has to
// carry. It fails if a module has no licence, or one that GPL-3.0-or-later programs may not link.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// compatible are the licences that may be linked into a GPL-3.0-or-later program, as the FSF's list says.
var compatible = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// orLater are modules whose sources allow later versions of the GPL than the text beside them, which alone would not do.
var orLater = []string{"github.com/NETWAYS/go-check"}

func main() {
	modules, err := linked()
	if err == nil {
		err = list(os.Stdout, modules)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

type module struct{ path, version, dir string }

// linked asks Go which modules the plugins are built of.
func linked() ([]module, error) {
	const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}"
	out, err := exec.Command("go", "list", "-deps", "-f", format, "./cmd/...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var modules []module
	for line := range strings.Lines(string(out)) {
		var m module
		if _, err := fmt.Sscan(line, &m.path, &m.version, &m.dir); err == nil && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return modules, nil
}

func list(out io.Writer, modules []module) error {
	var head, texts bytes.Buffer
	for _, m := range modules {
		names, err := m.licences(&texts)
		if err != nil {
			return err
		}
		fmt.Fprintf(&head, "%s %s: %s\n", m.path, m.version, strings.Join(names, ", "))
	}
	_, err := fmt.Fprintf(out, "The plugins are linked from these modules:\n\n%s%s", &head, &texts)
	return err
}

// licences appends the texts of a module's licence files and returns the names of the licences.
func (m module) licences(texts *bytes.Buffer) (names []string, err error) {
	for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "NOTICE*"} {
		files, err := filepath.Glob(filepath.Join(m.dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(texts, "\n=== %s %s: %s\n\n%s", m.path, m.version, filepath.Base(file), text)
			for _, match := range licensecheck.Scan(text).Match {
				later := match.ID == "GPL-2.0" && slices.Contains(orLater, m.path)
				if !later && !slices.Contains(compatible, match.ID) {
					return nil, fmt.Errorf("%s: %s is under %s, which is not known to go with GPL-3.0-or-later", m.path, filepath.Base(file), match.ID)
				}
				if !slices.Contains(names, match.ID) {
					names = append(names, match.ID)
				}
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s %s has no licence that is known", m.path, m.version)
	}
	return names, nil
}
