package prewarm

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overdue/internal/plugin/judgetest"
	"overdue/internal/poseidon"
	"overdue/internal/poseidon/poseidontest"
)

// moment is a row of timelines.json: what Poseidon and Nomad said at a time, or what was done to them.
type moment struct {
	T        float64
	Action   string
	Poseidon json.RawMessage // counts by environment; a text if it gave none
	Nomad    json.RawMessage // numbers of jobs by environment, status and use
}

// TestTimelines judges every moment of the six recorded experiments. A change of a line in testdata/timelines.txt has to be right for
// what was done just before it.
func TestTimelines(t *testing.T) {
	var file struct {
		Timelines []struct {
			Name string
			Rows []moment
		}
	}
	if err := json.Unmarshal([]byte(poseidontest.Body("timelines.json")), &file); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, line := range file.Timelines {
		fmt.Fprintf(&got, "# %s\n", line.Name)
		for _, m := range line.Rows {
			if m.Action != "" {
				fmt.Fprintf(&got, "  - %s\n", m.Action)
			} else {
				fmt.Fprintf(&got, "%6.2f %s\n", m.T, m.judged(t))
			}
		}
	}
	const golden = "testdata/timelines.txt"
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wanted, told := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	for i := range max(len(wanted), len(told)) {
		if i >= len(wanted) || i >= len(told) || wanted[i] != told[i] {
			t.Fatalf("line %d of testdata/timelines.txt differs, from here it is:\n%s", i+1, strings.Join(told[min(i, len(told)):], "\n"))
		}
	}
}

// judged is the state, and what each environment is found to be.
func (m moment) judged(t *testing.T) string {
	t.Helper()
	var counts map[string]struct{ Idle, Pool, Used int }
	if json.Unmarshal(m.Poseidon, &counts) != nil {
		return "no statistics"
	}
	var s Snapshot
	for id, c := range counts {
		s.Pools = append(s.Pools, poseidon.Pool{ID: number(t, id), Size: c.Pool, Idle: c.Idle, Used: c.Used})
	}
	slices.SortFunc(s.Pools, func(a, b poseidon.Pool) int { return a.ID - b.ID })
	s.Nomad = m.runners(t)
	v := Judge(s, nil, DefaultLimits(), noon)
	text := judgetest.Worst(v.Findings).String()
	for _, f := range v.Findings {
		what := f.Problem
		if f.Subject == "Poseidon" {
			what, _, _ = strings.Cut(f.Problem, ":")
		}
		cause, _, _ := strings.Cut(f.Cause, ":")
		text += fmt.Sprintf(" | %s: %s: %s", strings.TrimPrefix(f.Subject, "environment "), what, cause)
	}
	return text
}

func (m moment) runners(t *testing.T) *Nomad {
	t.Helper()
	var jobs map[string]map[string]any
	if json.Unmarshal(m.Nomad, &jobs) != nil {
		return &Nomad{Trouble: "no answer", Outage: true}
	}
	n := &Nomad{Environments: map[int]Runners{}}
	for id, job := range jobs {
		count := func(status string) int {
			n, _ := job[status+"/unused"].(float64)
			return int(n)
		}
		status, _ := job["template"].(string)
		n.Environments[number(t, id)] = Runners{Running: count("running"), Starting: count("starting") + count("none"), Template: status}
	}
	return n
}

func number(t *testing.T, id string) int {
	t.Helper()
	n, err := strconv.Atoi(id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
