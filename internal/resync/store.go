package resync

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// store keeps, in one directory, a lock and a record for each environment of a Poseidon and for its restart. Hosts that share
// the directory exclude each other, and several Poseidons do not.
type store struct {
	dir      string
	poseidon string // its address, in a form that begins the files' names; "" in tests
}

// Modes of the files: the group of the directory may read them and write them.
const fileMode = 0o660

func environmentKey(id int) string { return fmt.Sprintf("environment-%d", id) }

const restartKey = "restart"

// read returns a key's record, a zero one if there is none.
func (s store) read(key string) (Record, error) {
	path := s.path(key, "json")
	data, err := readSome(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, nil
	}
	if err != nil {
		return Record{}, errState{fmt.Errorf("%s cannot be read: %w", path, cause(err)), lookAtIt}
	}
	r, err := decodeRecord(data)
	if err != nil {
		return Record{}, errState{fmt.Errorf("%s is %w", path, err), lookAtIt}
	}
	return r, nil
}

// write replaces a key's record at once and for good: after a crash there is the old one or the new one, whole.
func (s store) write(key string, r Record) (err error) {
	path := s.path(key, "json")
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s cannot be written: %w", path, cause(err))
		}
	}()
	data, err := r.encode()
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(s.dir, "."+key+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = temp.Close()
			_ = os.Remove(temp.Name())
		}
	}()
	if _, err := temp.Write(data); err != nil {
		return err
	}
	s.adopt(temp)
	if err := temp.Sync(); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return syncDirectory(s.dir)
}

// remove deletes a key's record.
func (s store) remove(key string) error {
	if err := os.Remove(s.path(key, "json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return syncDirectory(s.dir)
}

func (s store) path(key, kind string) string {
	name := key + "." + kind
	if s.poseidon != "" {
		name = s.poseidon + "_" + name
	}
	return filepath.Join(s.dir, name)
}

// usable says why the directory cannot be used. It is not made here: root would make one that Icinga's user may not use.
func (s store) usable() error {
	const make = "as root: install -d -o nagios -g nagios -m 0750 %s (icinga with RPM)"
	info, err := os.Stat(s.dir)
	if err == nil && info.IsDir() {
		err = syscall.Access(s.dir, mayWrite)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errState{errors.New("there is no state directory"), fmt.Sprintf(make, s.dir)}
	case errors.Is(err, fs.ErrPermission):
		return errState{fmt.Errorf("the state directory %s: %w", s.dir, cause(err)), "let it belong to the user that runs the handler; " + fmt.Sprintf(make, s.dir)}
	case err != nil:
		return errState{fmt.Errorf("the state directory %s: %w", s.dir, cause(err)), "see to --state-dir"}
	case !info.IsDir():
		return errState{fmt.Errorf("the state directory %s is no directory", s.dir), "see to --state-dir"}
	}
	return nil
}

// mayWrite is access(2)'s question whether files may be made in a directory.
const mayWrite = 0x2 | 0x1

// errState is a trouble with the state directory, and what to do about it.
type errState struct {
	error
	remedy string
}

func (e errState) Unwrap() error { return e.error }

// Hint returns what to do.
func (e errState) Hint() string { return e.remedy }

const lookAtIt = "look at it, then delete it; the directory must belong to the user that runs the handler"

// adopt lets the directory's group use a file whatever the umask is, and gives one that root made by hand to the directory's
// owner, or Icinga's user could not use it the next time.
func (s store) adopt(file *os.File) {
	_ = file.Chmod(fileMode)
	if os.Geteuid() != 0 {
		return
	}
	if info, err := os.Stat(s.dir); err == nil {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			_ = file.Chown(int(owner.Uid), int(owner.Gid))
		}
	}
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) { // some network file systems cannot
		return err
	}
	return nil
}

// openFile follows no link, symbolic or hard, which whoever owns the directory could lay for root, and waits for no pipe.
func openFile(path string, flags int) (*os.File, error) {
	file, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, fileMode)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Nlink > 1 {
			err = errors.New("it is a hard link")
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func readSome(path string) ([]byte, error) {
	file, err := openFile(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxRecord))
}

// cause is an error of a file without its name.
func cause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	if link := (*os.LinkError)(nil); errors.As(err, &link) {
		return link.Err
	}
	return err
}
