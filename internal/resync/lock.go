package resync

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// longestRun is longer than any run lasts: a lock that is older is not of a run that works.
const longestRun = 6 * time.Hour

// holder tells who holds a lock.
type holder struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// errLocked says that another run holds the lock.
type errLocked struct{ by string }

func (e errLocked) Error() string { return e.by }

// lock takes a key's lock, without waiting. The kernel ends it with the process, however that dies, so the file that stays
// behind is no lock. A lock that another run holds is an errLocked.
func (s store) lock(key string, me holder) (unlock func(), err error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	path := s.path(key, "lock")
	l := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(fileMode)) // NFS locks only what may be written
	held, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be locked: %w", path, cause(err))
	}
	if !held {
		return nil, errLocked{s.held(path, me)}
	}
	s.adopt(path)
	if text, err := json.Marshal(me); err == nil {
		_ = os.WriteFile(path, append(text, '\n'), fileMode) // only who waits reads it
	}
	return func() {
		_ = os.Truncate(path, 0)
		_ = l.Close()
	}, nil
}

// held tells who holds a lock, as far as its file says.
func (s store) held(path string, me holder) string {
	var by holder
	data, err := readSome(path)
	if err != nil || json.Unmarshal(data, &by) != nil || by.PID <= 0 {
		return "another run holds the lock " + path
	}
	text := fmt.Sprintf("another run holds the lock %s: process %d on %s, since %s", path, by.PID, by.Host, by.Since.UTC().Format("2006-01-02 15:04:05 UTC"))
	if me.Since.Sub(by.Since) > longestRun {
		text += "; no run lasts that long: look for that process, and delete the file if that host is gone"
	}
	return text
}

// locked says who holds a key's lock, or "", and leaves no trace.
func (s store) locked(key string, me holder) string {
	path := s.path(key, "lock")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	l := flock.New(path, flock.SetFlag(os.O_RDWR))
	defer func() { _ = l.Close() }()
	if free, err := l.TryRLock(); free || err != nil {
		return ""
	}
	return s.held(path, me)
}
