package resync

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// longestRun is longer than any run lasts: a lock that is older is not of a run that works.
const longestRun = 6 * time.Hour

// holder tells who holds a lock.
type holder struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// errLocked says that another run holds the lock, and what to do, "" if it is to be waited for.
type errLocked struct{ by, remedy string }

func (e errLocked) Error() string { return e.by }

// lock takes a key's lock, without waiting. The kernel ends it with the process, however that dies, so the file that stays
// behind is no lock. A lock that another run holds is an errLocked.
func (s store) lock(key string, me holder) (unlock func(), err error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	path := s.path(key, "lock")
	file, err := openFile(path, os.O_CREATE|os.O_RDWR) // NFS locks only what may be written
	if err != nil {
		return nil, errState{fmt.Errorf("%s cannot be locked: %w", path, cause(err)), lookAtIt}
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = file.Close()
		return nil, errLocked{by: s.held(path, me)}
	}
	if err != nil {
		_ = file.Close()
		return nil, errState{fmt.Errorf("%s cannot be locked: %w", path, err), "let --state-dir be on a file system that can lock"}
	}
	s.adopt(file)
	if text, err := json.Marshal(me); err == nil && file.Truncate(0) == nil {
		_, _ = file.WriteAt(append(text, '\n'), 0) // only who waits reads it
		_ = file.Sync()                            // and the file's server sets its time
	}
	return func() {
		_ = file.Truncate(0)
		_ = file.Close()
	}, nil
}

// held tells who holds a lock, as far as its file says.
func (s store) held(path string, me holder) string {
	by, known := holderOf(path)
	if !known {
		return "another run holds the lock " + path
	}
	text := fmt.Sprintf("another run holds the lock %s: process %d on %s, since %s", path, by.PID, by.Host, by.Since.UTC().Format("2006-01-02 15:04:05 UTC"))
	if me.Since.Sub(by.Since) > longestRun {
		text += "; no run lasts that long: look for that process, and delete the file if that host is gone"
	}
	return text
}

func holderOf(path string) (by holder, known bool) {
	data, err := readSome(path)
	return by, err == nil && json.Unmarshal(data, &by) == nil && by.PID > 0
}

// locked says who holds a key's lock, or "", by what its file says: to try the lock would keep a real run from it. What a killed
// run of this host left is no lock; of another host's that cannot be known.
func (s store) locked(key string, me holder) string {
	path := s.path(key, "lock")
	by, known := holderOf(path)
	if !known || by.Host == me.Host && errors.Is(syscall.Kill(by.PID, 0), syscall.ESRCH) {
		return ""
	}
	return s.held(path, me)
}
