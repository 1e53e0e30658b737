package resync

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"overdue/internal/poseidon/poseidontest"
	"overdue/internal/prewarm"
)

// timeline is one of the six recorded experiments: what Poseidon and Nomad said, whenever it changed.
type timeline struct {
	Name string
	Rows []struct {
		T        float64
		Poseidon json.RawMessage
		Nomad    json.RawMessage
		Action   string
	}
}

// facts are those of one row, for an environment; nil if Poseidon did not answer.
func (t timeline) facts(row int, id string) *Facts {
	var pools map[int]struct{ Idle, Pool, Used int }
	if json.Unmarshal(t.Rows[row].Poseidon, &pools) != nil {
		return nil
	}
	f := Facts{Environment: 29, Call: depleted().Call, State: &State{}, Pools: map[int]Pool{}}
	_, _ = fmt.Sscan(id, &f.Environment)
	for id, p := range pools {
		f.Pools[id] = Pool{p.Idle, p.Used, p.Pool}
	}
	var jobs map[int]map[string]any
	if json.Unmarshal(t.Rows[row].Nomad, &jobs) != nil {
		f.Nomad = &prewarm.Nomad{Trouble: "it does not answer"}
		return &f
	}
	f.Nomad = &prewarm.Nomad{Environments: map[int]prewarm.Runners{}}
	for id, counts := range jobs {
		of := func(kind string) int { n, _ := counts[kind].(float64); return int(n) }
		template, _ := counts["template"].(string)
		f.Nomad.Environments[id] = prewarm.Runners{Running: of("running/unused"), Starting: of("starting/unused") + of("none/unused"), Template: template}
	}
	return &f
}

// later are the facts so many seconds after a row.
func (t timeline) later(row int, seconds float64, id string) *Facts {
	last := row
	for i, r := range t.Rows[row:] {
		if r.Action == "" && r.T <= t.Rows[row].T+seconds {
			last = row + i
		}
	}
	return t.facts(last, id)
}

// TestTimelines holds what the handler would have done at each moment of the experiments. UPDATE_SCRIPTS writes the file anew.
func TestTimelines(t *testing.T) {
	var recorded struct{ Timelines []timeline }
	if err := json.Unmarshal([]byte(poseidontest.Body("timelines.json")), &recorded); err != nil || len(recorded.Timelines) != 6 {
		t.Fatalf("%d experiments, %v", len(recorded.Timelines), err)
	}
	var b strings.Builder
	for _, line := range recorded.Timelines {
		fmt.Fprintf(&b, "# %s\n", line.Name)
		for i, row := range line.Rows {
			if row.Action != "" {
				fmt.Fprintf(&b, "        %s\n", row.Action)
				continue
			}
			for _, id := range []string{"9", "10", "29"} {
				f := line.facts(i, id)
				if f == nil {
					continue // no answer: exit code 3
				}
				if _, known := f.Pools[f.Environment]; !known && id == "9" {
					continue // made for one experiment only
				}
				d := Decide(*f, usual(), noon)
				if d.Action == Resync {
					fmt.Fprintf(&b, "%7.2f %2s %-4s looks again: %s\n", row.T, id, f.Pools[f.Environment], d.Reason)
					row.T += 12
					if f = line.later(i, 12, id); f == nil {
						continue
					}
					d = DecideAgain(*line.facts(i, id), *f, usual(), noon)
				}
				if d.Action != Nothing || row.T != line.Rows[i].T {
					fmt.Fprintf(&b, "%7.2f %2s %-4s %s: %s\n", row.T, id, f.Pools[f.Environment], map[Action]string{Nothing: "nothing", Refuse: "refuses", Resync: "RESYNCS", Restart: "RESTARTS"}[d.Action], d.Reason)
				}
			}
		}
	}
	const golden = "testdata/timelines.txt"
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		got, wanted := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
		for i := range max(len(got), len(wanted)) {
			if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
				t.Fatalf("line %d of %s differs:\n%s", i+1, golden, strings.Join(got[min(i, len(got)):min(i+3, len(got))], "\n"))
			}
		}
	}
}
