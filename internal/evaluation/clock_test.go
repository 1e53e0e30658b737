package evaluation

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overdue/internal/nomad/nomadtest"
)

// Ages are told from times of the servers and the clock of this machine: where that is slow, nothing is ever old.
func TestClock(t *testing.T) {
	for ahead, says := range map[time.Duration]string{
		45 * time.Minute:  "[WARNING] - clock: this machine is 45m behind Nomad's servers; ages are wrong",
		-45 * time.Minute: "[WARNING] - clock: this machine is 45m ahead of Nomad's servers; ages are wrong",
		50 * time.Second:  "[OK] - no evaluation overdue",
		-50 * time.Second: "[OK] - no evaluation overdue",
	} {
		s := start(t, func(s *nomadtest.Server) { s.Ahead(ahead) })
		if out, code := run(t, s); !strings.HasPrefix(out, says) || code > 1 {
			t.Errorf("%s: exit %d: %s", ahead, code, out)
		}
		if out, code := run(t, s, "--now", time.Now().Format(time.RFC3339)); code != 0 {
			t.Errorf("%s, as of another time: exit %d: %s", ahead, code, out)
		}
	}
	s := start(t, func(s *nomadtest.Server) { s.Ahead(time.Hour) })
	file := filepath.Join(t.TempDir(), "case.yaml")
	if out, code := run(t, s, "--record", file); code != 1 {
		t.Errorf("recorded: exit %d: %s", code, out)
	}
	if out, code := run(t, s, "--replay", file); code != 0 {
		t.Errorf("replayed: exit %d: %s", code, out)
	}
	s.LoseQuorum(0)
	if out, code := run(t, s); code != 2 || !strings.Contains(out, "[WARNING] clock: this machine is 1h behind") {
		t.Errorf("no leader: exit %d: %s", code, out)
	}
}
