package resync

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overdue/internal/plugin"
)

func TestStoreKeepsRecords(t *testing.T) {
	s := store{dir: t.TempDir()}
	if r, err := s.read("environment-29"); err != nil || r.exists() {
		t.Fatalf("none: %+v, %v", r, err)
	}
	want := ago(time.Minute, Begun)
	if err := s.write("environment-29", want); err != nil {
		t.Fatal(err)
	}
	want.Outcome = Helped
	if err := s.write("environment-29", want); err != nil {
		t.Fatal(err)
	}
	if got, err := s.read("environment-29"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	entries, _ := os.ReadDir(s.dir)
	if len(entries) != 1 {
		t.Errorf("there are %v, want the record alone", entries)
	}
	if err := s.remove("environment-29"); err != nil {
		t.Fatal(err)
	}
	if r, err := s.read("environment-29"); err != nil || r.exists() {
		t.Errorf("removed: %+v, %v", r, err)
	}
}

// TestStoreBrokenRecord holds that a record that cannot be read is never taken for none.
func TestStoreBrokenRecord(t *testing.T) {
	for name, text := range map[string]string{
		"empty":       "",
		"cut":         `{"action":"resync","outcome":"begun","at":"2026-12-03T12:00:00Z"`,
		"no object":   `[]`,
		"no time":     `{"action":"resync","outcome":"begun"}`,
		"no action":   `{"outcome":"begun","at":"2026-12-03T12:00:00Z"}`,
		"no outcome":  `{"action":"resync","at":"2026-12-03T12:00:00Z"}`,
		"other keys":  `{"action":"resync","outcome":"begun","at":"2026-12-03T12:00:00Z","cooldown":1}`,
		"behind it":   `{"action":"resync","outcome":"begun","at":"2026-12-03T12:00:00Z"}}`,
		"key twice":   `{"action":"resync","outcome":"did not help","outcome":"cleared","at":"2026-12-03T12:00:00Z"}`,
		"and another": `{"action":"resync","outcome":"did not help","OUTCOME":"cleared","at":"2026-12-03T12:00:00Z"}`,
		"deep":        `{"action":"resync","outcome":"begun","at":"2026-12-03T12:00:00Z","before":{"idle":0,"idle":1}}`,
		"two":         `{"action":"resync","outcome":"begun","at":"2026-12-03T12:00:00Z"}{}`,
		"seen never":  `{"action":"resync","outcome":"begun","at":"2026-12-03T12:00:00Z","seen_in_the_future":{"mon1":{"uptime":1}}}`,
		"seen badly":  `{"action":"resync","outcome":"begun","at":"2026-12-03T12:00:00Z","seen_in_the_future":{"mon1":{"at":"2026-12-03T12:00:00Z","uptime":1e11}}}`,
		"uptime":      `{"action":"resync","outcome":"begun","at":"2026-12-03T12:00:00Z","uptime":-1}`,
		"larger than": `{"action":"` + strings.Repeat("x", maxRecord) + `"}`,
	} {
		s := store{dir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(s.dir, "environment-29.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := s.read("environment-29"); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

func TestStoreLock(t *testing.T) {
	s := store{dir: t.TempDir()}
	me := holder{"mon1", os.Getpid(), noon.Wall}
	process := fmt.Sprintf("process %d on mon1", os.Getpid())
	unlock, err := s.lock("environment-29", me)
	if err != nil {
		t.Fatal(err)
	}
	var locked errLocked
	if _, err := s.lock("environment-29", holder{"mon2", 8, noon.Wall}); !errors.As(err, &locked) || !strings.Contains(locked.by, process+", since 2026-12-03 12:00:00 UTC") {
		t.Errorf("held by another: %v", err)
	}
	if by := s.locked("environment-29", me); !strings.Contains(by, process) {
		t.Errorf("looked at: %q", by)
	}
	if by := s.locked("environment-29", holder{"mon2", 8, noon.Wall.Add(7 * time.Hour)}); !strings.Contains(by, "no run lasts that long") {
		t.Errorf("held for 7 hours: %q", by)
	}
	if other, err := s.lock("environment-10", me); err != nil {
		t.Errorf("another environment: %v", err)
	} else {
		other()
	}
	unlock()
	if by := s.locked("environment-29", me); by != "" {
		t.Errorf("free again: %q", by)
	}
	again, err := s.lock("environment-29", me)
	if err != nil {
		t.Fatalf("free again: %v", err)
	}
	again()
}

// TestStoreModes holds that the group of the directory can use the files, whatever the umask of who makes them.
func TestStoreModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	s := store{dir: t.TempDir()}
	unlock, err := s.lock("environment-29", holder{"mon1", 7, noon.Wall})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := s.write("environment-29", ago(0, Begun)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"lock", "json"} {
		info, err := os.Stat(s.path("environment-29", kind))
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o660 {
			t.Errorf("%s has mode %o", kind, mode)
		}
	}
}

// TestStoreStaleLock holds that the file of a run that was killed is no lock.
func TestStoreStaleLock(t *testing.T) {
	s := store{dir: t.TempDir()}
	path := filepath.Join(s.dir, "environment-29.lock")
	if err := os.WriteFile(path, []byte(`{"host":"mon1","pid":1,"since":"2026-12-03T11:59:00Z"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, `{"host":"mon1","pid":%d,"since":"2026-12-03T11:59:00Z"}`, 1<<30), 0o600); err != nil { // no kernel counts so far
		t.Fatal(err)
	}
	if by := s.locked("environment-29", holder{"mon1", 7, noon.Wall}); by != "" {
		t.Errorf("a dry run meets %q", by)
	}
	unlock, err := s.lock("environment-29", holder{"mon1", 7, noon.Wall})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

// TestStoreLookKeepsNobodyOut holds that dry runs, however many, never keep a real run from its lock.
func TestStoreLookKeepsNobodyOut(t *testing.T) {
	s := store{dir: t.TempDir()}
	stop := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				s.locked("environment-29", holder{"mon2", 8, noon.Wall})
			}
		}
	})
	refused := 0
	for range 2000 {
		unlock, err := s.lock("environment-29", holder{"mon1", 7, noon.Wall})
		if err != nil {
			refused++
			continue
		}
		unlock()
	}
	close(stop)
	looking.Wait()
	if refused > 0 {
		t.Errorf("%d of 2000 were refused", refused)
	}
}

// TestStoreFollowsNoLink holds that root by hand empties, writes and reads nothing that a link in the directory points to.
func TestStoreFollowsNoLink(t *testing.T) {
	s := store{dir: t.TempDir()}
	victim := filepath.Join(t.TempDir(), "victim")
	data, err := ago(time.Minute, Helped).encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(victim, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for kind, lay := range map[string]func(old, new string) error{"symbolic": os.Symlink, "hard": os.Link} {
		for _, name := range []string{"environment-29.lock", "environment-29.json"} {
			path := filepath.Join(s.dir, name)
			_ = os.Remove(path)
			if err := lay(victim, path); err != nil {
				t.Fatal(err)
			}
		}
		holdNoLink(t, s, kind, victim, data)
	}
}

func holdNoLink(t *testing.T, s store, kind, victim string, data []byte) {
	if _, err := s.lock("environment-29", holder{"mon1", 7, noon.Wall}); err == nil || plugin.Hint(err) != lookAtIt {
		t.Errorf("locked by a %s link: %v", kind, err)
	}
	if r, err := s.read("environment-29"); err == nil || plugin.Hint(err) != lookAtIt {
		t.Errorf("read by a %s link: %+v, %v", kind, r, err)
	}
	if err := s.write("environment-29", ago(0, Begun)); err != nil {
		t.Error(err)
	}
	if now, err := os.ReadFile(victim); err != nil || string(now) != string(data) {
		t.Errorf("the victim is %q, %v", now, err)
	}
}

func TestStoreUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{file: "is no directory", filepath.Join(file, "below"): "not a directory", "/nonexistent": "install -d -o nagios -g nagios -m 0750 /nonexistent"} {
		if _, err := (store{dir: dir}).lock("environment-29", holder{}); err == nil || !strings.Contains(err.Error()+"; do: "+plugin.Hint(err), want) || plugin.Hint(err) == "" {
			t.Errorf("%s: %v; do: %s; want %q", dir, err, plugin.Hint(err), want)
		}
		if err := (store{dir: dir}).write("environment-29", ago(0, Begun)); err == nil {
			t.Errorf("%s: written", dir)
		}
	}
}

func FuzzDecodeRecord(f *testing.F) {
	good, _ := ago(time.Minute, Begun).encode()
	f.Add(good)
	f.Add([]byte(`{"at":"9999-12-31T23:59:59Z","action":"restart","outcome":"cleared","uptime":1e9,"boot":"a"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeRecord(data)
		if err != nil {
			return
		}
		if age, _ := r.age(noon); age < 0 || !r.exists() {
			t.Errorf("%+v has the age %s", r, age)
		}
		again, err := r.encode()
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		if back, err := decodeRecord(again); err != nil || !back.At.Equal(r.At) || back.Outcome != r.Outcome || back.Uptime != r.Uptime {
			t.Errorf("%+v came back as %+v, %v", r, back, err)
		}
	})
}
