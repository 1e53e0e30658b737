package resync

import (
	"os"
	"strings"
	"testing"
	"time"

	"overdue/internal/poseidon"
)

var (
	bad = []string{"--state", "CRITICAL", "--state-type", "HARD", "--downtime-depth", "0", "--host-downtime-depth", "0"}
	ok  = []string{"--state", "OK", "--state-type", "HARD", "--downtime-depth", "0", "--host-downtime-depth", "0"}
)

// alias is another address of the same Poseidon.
func (s *site) alias() string { return strings.Replace(s.URL(), "127.0.0.1", "[::ffff:127.0.0.1]", 1) }

// TestLifeTwoAddresses holds that one Poseidon by two addresses gets no second PUT: neither a marker, nor a cooldown nor a lock depends
// on the name.
func TestLifeTwoAddresses(t *testing.T) {
	s := newSite(t, 0)
	s.by.moment = clockOf(s)
	name, err := poseidon.Options{Address: s.alias()}.FileName(nil)
	if err != nil {
		t.Fatal(err)
	}
	alias := store{s.dir, name}
	refused := func(what, says string, args ...string) {
		t.Helper()
		s.Set(29, 4, 0, 3)
		code, text := s.call(t, args...)
		first, _, _ := strings.Cut(text, "\n")
		if code != 1 || s.Puts(29) != 0 || !strings.Contains(first, "under another address, "+s.alias()+", ") || !strings.Contains(first, says) ||
			!strings.Contains(first, "give --address '"+s.alias()+"'") || !strings.Contains(first, "give each a --state-dir of its own") {
			t.Errorf("%s: exit code %d, %d PUTs: %s", what, code, s.Puts(29), text)
		}
	}
	file := alias.path(environmentKey(29), "json")
	for what, row := range map[string]struct {
		record Record
		key    string
		args   []string
		says   string
	}{
		"marker":               {ago(time.Hour, DidNotHelp), environmentKey(29), bad, "did not help (idle 1/4 → 0/4) (" + file + ")"},
		"cooldown":             {ago(time.Minute, Helped), environmentKey(29), nil, "--cooldown is 30m (" + file + ")"},
		"forced":               {ago(time.Minute, DidNotHelp), environmentKey(29), []string{"--force"}, "--cooldown is 30m (" + file + ")"},
		"begun":                {ago(time.Minute, Begun), environmentKey(29), nil, "did not come to its end"},
		"restart":              {ago(time.Minute, Helped), restartKey, nil, "--cooldown is 30m (" + alias.path(restartKey, "json") + ")"},
		"marker, in a dry run": {ago(time.Hour, DidNotHelp), environmentKey(29), []string{"--dry-run"}, "delete the file"},
	} {
		row.record.At = s.by.moment().Wall.Add(row.record.At.Sub(noon.Wall))
		row.record.Boot, row.record.Directory = "", time.Time{}
		if err := alias.write(row.key, row.record); err != nil {
			t.Fatal(err)
		}
		refused(what, row.says, row.args...)
		if err := alias.remove(row.key); err != nil {
			t.Fatal(err)
		}
	}

	me := holder{s.by.host, os.Getpid(), s.by.moment().Wall}
	unlock, err := alias.lock(environmentKey(29), me)
	if err != nil {
		t.Fatal(err)
	}
	refused("lock", "another run holds the lock "+alias.path(environmentKey(29), "lock"))
	refused("lock, in a dry run", "another run holds the lock "+alias.path(environmentKey(29), "lock"), "--dry-run")
	unlock()

	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, text := s.call(t); code != 1 || s.Puts(29) != 0 || !strings.Contains(text, file+" is not a record") {
		t.Errorf("broken: exit code %d, %d PUTs: %s", code, s.Puts(29), text)
	}
	old := ago(0, Helped)
	old.At, old.Boot, old.Directory = s.by.moment().Wall.Add(-time.Hour), "", time.Time{}
	if err := alias.write(environmentKey(29), old); err != nil {
		t.Fatal(err)
	}
	if code, text := s.call(t); code != 0 || s.Puts(29) != 1 {
		t.Errorf("an hour after a resync that helped: exit code %d, %d PUTs: %s", code, s.Puts(29), text)
	}
	s.Set(29, 4, 0, 3)
	if code, text := s.call(t, "--address", s.alias()); code != 1 || s.Puts(29) != 0 || !strings.Contains(text, "under another address, "+s.URL()) {
		t.Errorf("at once by the other address: exit code %d, %d PUTs: %s", code, s.Puts(29), text)
	}
}

// TestLifeTwoDirectories holds that two Poseidons do not heed each other's records if each has a state directory of its own.
func TestLifeTwoDirectories(t *testing.T) {
	a, b := newSite(t, 0), newSite(t, 0)
	for _, s := range []*site{a, b} {
		s.by.moment = clockOf(s)
		s.Set(29, 4, 0, 3)
		if code, text := s.call(t, bad...); code != 0 || s.Puts(29) != 1 {
			t.Errorf("exit code %d, %d PUTs: %s", code, s.Puts(29), text)
		}
	}
}

// TestLifeOtherAddressRecovers holds that the recovery of one address's service does not clear the marker of another one.
func TestLifeOtherAddressRecovers(t *testing.T) {
	s := newSite(t, 0)
	s.by.moment = clockOf(s)
	s.Set(29, 4, 0, 3)
	s.Crowd()
	if code, text := s.call(t, append(bad, "--cooldown", "0")...); code != 2 || s.Puts(29) != 1 {
		t.Fatalf("exit code %d, %d PUTs: %s", code, s.Puts(29), text)
	}
	if code, text := s.call(t, append(ok, "--address", s.alias())...); code != 0 {
		t.Errorf("the other's recovery: exit code %d: %s", code, text)
	}
	if code, text := s.call(t, append(bad, "--cooldown", "0")...); code != 1 || s.Puts(29) != 1 {
		t.Errorf("after the other's recovery: exit code %d, %d PUTs; its marker is gone: %s", code, s.Puts(29), text)
	}
}

// TestLifeCommandToCopy holds that a command which a refusal names is about the same Poseidon and the same records.
func TestLifeCommandToCopy(t *testing.T) {
	s := newSite(t, 0)
	s.by.moment = clockOf(s)
	s.Set(29, 4, 0, 0)
	_, _ = s.call(t)
	if code, text := s.call(t); code != 1 || !strings.Contains(text, "resync_prewarm_pool --environment 29 --address "+s.URL()+" --state-dir "+s.dir+"\n") {
		t.Errorf("exit code %d: %s", code, text)
	}
}
