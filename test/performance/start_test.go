//go:build performance

package performance

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"text/tabwriter"
	"time"
)

// Programs that every start is compared with.
var floors = []struct{ name, source string }{
	{"a program that imports net/http and does nothing", "package main\n\nimport _ \"net/http\"\n\nfunc main() {}\n"},
	{"a program that sends one request to a closed port", "package main\n\nimport \"net/http\"\n\n" +
		"func main() {\n\tif answer, err := http.Get(\"http://127.0.0.1:1/\"); err == nil {\n\t\tanswer.Body.Close()\n\t}\n}\n"},
}

// TestStart measures how long a plugin takes to print its version, and the programs that it cannot be faster than. They
// are built with the flags of `make`, and started in turn.
func TestStart(t *testing.T) {
	const starts = 500
	type program struct {
		name    string
		command []string
		took    []time.Duration
	}
	var programs []*program
	for i, floor := range floors {
		dir := t.TempDir()
		source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, fmt.Sprint("floor", i))
		if err := os.WriteFile(source, []byte(floor.source), 0o600); err != nil {
			t.Fatal(err)
		}
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, source)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		programs = append(programs, &program{name: floor.name, command: []string{binary}})
	}
	plugins, err := filepath.Glob("../../bin/*_*")
	if err != nil || len(plugins) == 0 {
		t.Fatalf("no plugin to measure: %v", err)
	}
	for _, plugin := range plugins {
		programs = append(programs, &program{name: filepath.Base(plugin) + " -V", command: []string{plugin, "-V"}})
	}
	for range starts {
		for _, p := range programs {
			cmd := exec.CommandContext(t.Context(), p.command[0], p.command[1:]...)
			began := time.Now()
			if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 3 { // as the guidelines say of -V
				t.Fatal(err)
			}
			p.took = append(p.took, time.Since(began))
		}
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d starts\tfastest\tmedian (ms)\tmedian to the first\t\n", starts)
	for _, p := range programs {
		slices.Sort(p.took)
		slices.Sort(programs[0].took)
		middle, floor := p.took[starts/2], programs[0].took[starts/2]
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t\n", p.name, p.took[0].Seconds()*1e3, middle.Seconds()*1e3, middle.Seconds()/floor.Seconds())
	}
	_ = w.Flush()
	t.Logf("\n%s", &table)
}
