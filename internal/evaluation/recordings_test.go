package evaluation

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overdue/internal/nomad/nomadtest"
)

// TestWriteRecordings writes the recordings of the demo and of the command's tests anew, from the stand-in: `make recordings`.
func TestWriteRecordings(t *testing.T) {
	dir := os.Getenv("OVERDUE_RECORDINGS")
	if dir == "" {
		t.Skip("OVERDUE_RECORDINGS does not say where to")
	}
	silent := "http://" + ofNowhere
	for name, r := range map[string]struct {
		befall  func(*nomadtest.Server)
		now     string
		servers bool // three are named, and the third is silent
	}{
		"nomad-incident": {func(s *nomadtest.Server) {
			incident(s)
			s.Autopilot(nomadtest.Body("cluster/autopilot-health-two-of-three-after-cleanup.json"))
		}, tenPastTwo, true},
		"nomad-kinds":   {lab163, "2026-12-01T02:36:00Z", false},
		"nomad-kinds-2": {lab205, "2026-12-01T03:10:00Z", false},
		"nomad-paused": {func(s *nomadtest.Server) {
			s.Evaluations(nomadtest.Body("1.6.3/paused-broker-evaluations-pending.json"))
			s.Scheduler(nomadtest.Body("1.6.3/paused-broker-scheduler-configuration.json"))
			crash(s)
		}, "2026-12-01T01:45:00Z", false},
		"nomad-noleader": {func(s *nomadtest.Server) { s.LoseQuorum(0) }, "2026-12-01T02:20:00Z", false},
		"nomad-healthy":  {lab163, "2026-12-01T01:36:00Z", false},
	} {
		s := start(t, r.befall)
		second := start(t, r.befall)
		file := filepath.Join(dir, name+".yaml")
		args := []string{"--address", s.URL(), "--now", r.now, "--record", file}
		if r.servers {
			args = append(args, "--address", second.URL(), "--address", silent)
		}
		out, _ := runWith(t, s, nil, args...)
		t.Logf("%s: %s", name, first(out))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for i, given := range []string{s.URL(), second.URL()} {
			named := "http://10.0.0." + string(rune('1'+i)) + ":4646"
			text = strings.NewReplacer(url.QueryEscape(given), url.QueryEscape(named), given, named, strings.TrimPrefix(given, "http://"), strings.TrimPrefix(named, "http://")).Replace(text)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
