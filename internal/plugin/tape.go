package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"sync"
	"time"

	"go.yaml.in/yaml/v2"
)

// Headers that the frame adds to recorded answers.
const (
	headerAt       = "Overdue-Recorded-At"
	headerEncoding = "Overdue-Body-Encoding"
	encodingPacked = "gzip, base64"
)

// Limits of a recording. Large answers are packed.
const (
	maxAnswers = 256 << 20 // of all answers, as they were sent
	maxStored  = 24 << 20  // of all answers, as they are stored; YAML may double it
	maxFile    = 64 << 20
	maxPlain   = 1 << 20 // of one answer that is stored as it is
)

// tape is the recording that a run writes or reads, in the file format of go-vcr. go-vcr itself is not used: its recorder hands a
// client the redacted answer and keeps no limit, and its YAML library cannot read all that it writes, exhausts the memory on a
// broken file, and would lengthen every start.
type tape struct {
	run       *Run
	name      string
	replaying bool
	fixedNow  bool // --now was given

	file *os.File

	mu       sync.Mutex
	cassette *cassette
	left     int64 // of maxAnswers
	room     int64 // of maxStored
	full     bool
}

func newTape(r *Run, opts *options) *tape {
	t := &tape{run: r, name: opts.record + opts.replay, replaying: opts.replay != "", fixedNow: !opts.now.IsZero(), left: maxAnswers, room: maxStored}
	t.cassette = &cassette{Version: cassetteVersion}
	return t
}

// tapeError is a recording that cannot be used. It is no matter of --unreachable.
type tapeError struct{ text string }

func (e *tapeError) Error() string { return e.text }
func (e *tapeError) Usage() bool   { return true }

// open makes the file, so that a bad path fails before anything is asked, or reads it.
func (t *tape) open() (err error) {
	if t.replaying {
		if err = t.load(); err != nil {
			return &tapeError{fmt.Sprintf("--replay %s: %s", t.name, err)}
		}
		return nil
	}
	// A file that is there may be an older case, the token, or a pipe that nobody reads.
	file, err := os.OpenFile(t.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &tapeError{fmt.Sprintf("--record %s: it is there already; name a new file", t.name)}
	}
	if err != nil {
		return &tapeError{fmt.Sprintf("--record %s: %s", t.name, reason(err))}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.file = file
	return nil
}

// reason is an error of a file without the name of the file.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (t *tape) load() (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = fmt.Errorf("not a recording: %v", crash)
		}
	}()
	data, err := readFile(t.name)
	if err != nil {
		return err
	}
	loaded := new(cassette)
	if err := yaml.Unmarshal(data, loaded); err != nil {
		return fmt.Errorf("not a recording: %w", err)
	}
	if loaded.Version != cassetteVersion {
		return errors.New("not a recording, or one of another version")
	}
	if len(loaded.Interactions) == 0 {
		return errors.New("not a recording, or one without an answer")
	}
	now, left := time.Time{}, int64(maxAnswers)
	for i, interaction := range loaded.Interactions {
		if interaction == nil {
			return errors.New("not a recording: it has an empty answer")
		}
		if err := unpack(&interaction.Response, &left); err != nil {
			return err
		}
		if i > 0 || t.fixedNow {
			continue
		}
		if now, err = time.Parse(time.RFC3339Nano, interaction.Response.Headers.Get(headerAt)); err != nil {
			return errors.New("it does not say when it was made; give the time with --now")
		}
	}
	t.mu.Lock()
	t.cassette = loaded
	t.mu.Unlock()
	if !now.IsZero() {
		t.run.mu.Lock()
		t.run.now = now
		t.run.mu.Unlock()
	}
	return nil
}

func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, reason(err)
	case len(data) > maxFile:
		return nil, fmt.Errorf("larger than %d MiB", maxFile>>20)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("the file is empty")
	}
	return data, nil
}

// save writes what was recorded.
func (t *tape) save() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	defer t.file.Close()
	data, err := yaml.Marshal(t.cassette)
	if err != nil {
		return err
	}
	if _, err := t.file.Write(data); err != nil {
		return reason(err)
	}
	return reason(t.file.Close())
}

func (t *tape) transport(base http.RoundTripper, scrub func([]byte) []byte) http.RoundTripper {
	if t.replaying {
		return replayer{t}
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return recorder{t, base, scrub}
}
