package prewarm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overdue/internal/nomad/nomadtest"
	"overdue/internal/poseidon/poseidontest"
)

// TestWriteRecordings writes the recordings of the demo and of the command's tests anew, from the stand-ins: `make recordings`.
func TestWriteRecordings(t *testing.T) {
	dir := os.Getenv("OVERDUE_RECORDINGS")
	if dir == "" {
		t.Skip("OVERDUE_RECORDINGS does not say where to")
	}
	runs := func(running, starting int) Runners {
		return Runners{Running: running, Starting: starting, Template: "running"}
	}
	for name, r := range map[string]struct {
		idle, used int // of environment 29
		runs       Runners
		outage     bool
	}{
		"prewarm-healthy": {4, 0, runs(4, 0), false},
		"prewarm-missing": {1, 1, runs(1, 0), false},
		"prewarm-lost":    {0, 2, runs(4, 0), false},
		"prewarm-filling": {1, 0, runs(1, 3), false},
		"prewarm-stale":   {4, 0, runs(1, 0), false},
		"prewarm-outage":  {0, 0, runs(4, 0), true},
	} {
		s, servers := poseidontest.New(), nomadtest.New()
		s.Set(29, 4, r.idle, r.used)
		s.Set(31, 8, 7, 1)
		if r.outage {
			s.KillNomad()
			servers.LoseQuorum(0)
		} else {
			servers.Handle("/v1/jobs", listing(t, map[int]Runners{10: runs(4, 0), 29: r.runs, 31: runs(7, 1)}))
		}
		file := filepath.Join(dir, name+".yaml")
		out, _ := run(t, nil, "--address", s.URL(), "--nomad-address", servers.URL(), "--now", "2026-12-01 14:00", "--record", file)
		t.Logf("%s: %s", name, out)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(s.URL(), "https://poseidon.example.com:7200", strings.TrimPrefix(s.URL(), "http://"), "poseidon.example.com:7200",
			servers.URL(), "http://10.0.0.1:4646", strings.TrimPrefix(servers.URL(), "http://"), "10.0.0.1:4646").Replace(string(data))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s.Close()
		servers.Close()
	}
}
