//go:build performance

// Package performance measures what the plugins cost, beside a bare program with the same requests and beside what people use instead.
package performance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var (
	rounds          = flag.Int("rounds", 7, "rounds of each command; quick ones have more, and who takes long has fewer")
	starts          = flag.Int("starts", 300, "starts of each program")
	sizes           = intsFlag("nodes", "47,1000,5000", "sizes of the cluster, growing")
	pods            = intsFlag("pods", "15000,150000", "sizes of the cluster of 5,000 nodes in pods, growing, 30 on each node; empty for none")
	mostEvaluations = flag.Int("evaluations", 1_000_000, "leave out longer lists of evaluations")
	output          = flag.String("out", "", "write the tables to this file too")
)

func intsFlag(name, value, usage string) *[]int {
	list := new(ints)
	if err := list.Set(value); err != nil {
		panic(err)
	}
	flag.Var(list, name, usage)
	return (*[]int)(list)
}

type ints []int

func (l *ints) String() string { return fmt.Sprint(*l) }

func (l *ints) Set(text string) error {
	if *l = nil; text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return err
		}
		*l = append(*l, n)
	}
	return nil
}

var (
	home   string // of the measured commands: kubectl keeps a cache there
	report *results

	floorProgram, meter string // binaries
)

// TestBench is one run over everything. -run 'TestBench/^start$' measures one part.
func TestBench(t *testing.T) {
	home, report = t.TempDir(), &results{}
	floorProgram, meter = built(t, "./floor"), built(t, "./meter")
	t.Run("start", start)
	t.Run("environments", environments)
	t.Run("evaluations", evaluations)
	t.Run("cluster", cluster)
	text := report.markdown()
	fmt.Println(text)
	if *output != "" {
		if err := os.WriteFile(*output, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// plugin is the path of one that make built.
func plugin(name string) string {
	path, err := filepath.Abs("../../bin/" + name)
	if err != nil {
		panic(err)
	}
	return path
}

// built compiles a program with the flags of make.
func built(t *testing.T, source string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}
