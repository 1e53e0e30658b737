package plugin

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v2"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
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

// tape is the recording that a run writes or reads, in the file format of go-vcr. Two parts of go-vcr are not used: its
// recorder, which hands a client the redacted answer and keeps no limit, and its YAML library, which cannot read all that it
// writes and exhausts the memory on a broken file.
type tape struct {
	run       *Run
	name      string
	replaying bool
	fixedNow  bool // --now was given

	file *os.File

	mu       sync.Mutex
	cassette *cassette.Cassette
	left     int64 // of maxAnswers
	room     int64 // of maxStored
	full     bool
}

func newTape(r *Run, opts *options) *tape {
	t := &tape{run: r, name: opts.record + opts.replay, replaying: opts.replay != "", fixedNow: !opts.now.IsZero(), left: maxAnswers, room: maxStored}
	t.cassette = cassette.New("recording")
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
	file, err := os.OpenFile(t.name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return &tapeError{fmt.Sprintf("--record %s: %s", t.name, reason(err))}
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		_ = file.Chmod(0o600) // it may have been there before
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
	loaded := cassette.New("recording")
	loaded.Version = 0
	if err := yaml.Unmarshal(data, loaded); err != nil {
		return fmt.Errorf("not a recording: %w", err)
	}
	if loaded.Version != cassette.CassetteFormatVersion {
		return errors.New("not a recording, or one of another version")
	}
	loaded.Matcher = sameQuestion
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

// recorder asks and keeps the answers.
type recorder struct {
	tape  *tape
	base  http.RoundTripper
	scrub func([]byte) []byte
}

// CloseIdleConnections lets http.Client reach the transport below.
func (c recorder) CloseIdleConnections() {
	if closer, ok := c.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

func (c recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	began := time.Now()
	response, err := c.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	left := c.tape.remaining()
	if left < 0 {
		return response, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, left+1))
	rest := io.MultiReader(bytes.NewReader(body), response.Body)
	if err != nil {
		rest = io.MultiReader(bytes.NewReader(body), failing{err})
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{rest, response.Body}
	c.tape.keep(request, response, body, c.scrub, time.Since(began))
	return response, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// remaining is what may still be sent and recorded; negative if nothing is recorded any more.
func (t *tape) remaining() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.full {
		return -1
	}
	return t.left
}

func (t *tape) keep(request *http.Request, response *http.Response, body []byte, scrub func([]byte) []byte, took time.Duration) {
	sent := int64(len(body))
	if scrub != nil {
		body = scrub(bytes.Clone(body))
	}
	header := redactResponseHeader(response.Header)
	header.Set(headerAt, t.run.Now().UTC().Format(time.RFC3339Nano))
	interaction := &cassette.Interaction{
		Request: cassette.Request{
			Proto: request.Proto, ProtoMajor: request.ProtoMajor, ProtoMinor: request.ProtoMinor,
			Host:    request.URL.Host,
			Headers: redactRequestHeader(request.Header),
			URL:     redactURL(request.URL),
			Method:  method(request.Method),
		},
		Response: cassette.Response{
			Proto: response.Proto, ProtoMajor: response.ProtoMajor, ProtoMinor: response.ProtoMinor,
			ContentLength: int64(len(body)),
			Uncompressed:  response.Uncompressed,
			Body:          string(body),
			Headers:       header,
			Status:        printableASCII(response.Status),
			Code:          response.StatusCode,
			Duration:      took,
		},
	}
	if len(body) > maxPlain {
		pack(&interaction.Response, body)
	}
	if !t.add(interaction, sent) {
		t.run.Note("the recording is not complete: the answers are too large for it")
	}
}

// add records an answer. Once one does not fit, nothing more is recorded, so that no answer is missing between others.
func (t *tape) add(interaction *cassette.Interaction, sent int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.full {
		return true
	}
	t.left -= sent
	t.room -= int64(len(interaction.Response.Body))
	if t.full = t.left < 0 || t.room < 0; t.full {
		return false
	}
	t.cassette.AddInteraction(interaction)
	return true
}

func method(name string) string {
	if name == "" {
		return http.MethodGet
	}
	return name
}

// pack stores a body so that large lists become small.
func pack(response *cassette.Response, body []byte) {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = writer.Write(body) // a buffer takes everything
	_ = writer.Close()
	response.Body = base64.StdEncoding.EncodeToString(packed.Bytes())
	response.Headers.Set(headerEncoding, encodingPacked)
}

// unpack undoes pack, within a limit for the recording as a whole.
func unpack(response *cassette.Response, left *int64) error {
	if response.Headers == nil {
		response.Headers = http.Header{}
	}
	if response.Headers.Get(headerEncoding) == encodingPacked {
		reader, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(response.Body)))
		if err != nil {
			return errors.New("not a recording: a body cannot be unpacked")
		}
		body, err := io.ReadAll(io.LimitReader(reader, *left+1))
		if err != nil {
			return errors.New("not a recording: a body cannot be unpacked")
		}
		response.Body = string(body)
	}
	if *left -= int64(len(response.Body)); *left < 0 {
		return fmt.Errorf("its answers are larger than %d MiB", maxAnswers>>20)
	}
	if response.Code < 100 || response.Code > 999 {
		return errors.New("not a recording: an answer has no status code")
	}
	return nil
}

// replayer answers from the recording alone.
type replayer struct{ tape *tape }

func (p replayer) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		defer request.Body.Close()
	}
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	asked := &http.Request{Method: method(request.Method), URL: request.URL}
	interaction, err := p.tape.cassette.GetInteraction(asked)
	if err != nil {
		question := url.URL{Path: request.URL.Path, RawPath: request.URL.RawPath, RawQuery: request.URL.RawQuery}
		return nil, &tapeError{fmt.Sprintf("the recording has no answer for %s %s; was it made with other options?", asked.Method, redactURL(&question))}
	}
	response, err := interaction.GetHTTPResponse()
	if err != nil {
		return nil, &tapeError{fmt.Sprintf("the recording's answer for %s %s cannot be read: %s", asked.Method, request.URL.Path, err)}
	}
	response.Header = response.Header.Clone()
	response.ContentLength = int64(len(interaction.Response.Body))
	response.TransferEncoding, response.Trailer, response.Close = nil, nil, false
	response.Request = request
	return response, nil
}

// sameQuestion matches a request by method, path and query: the host of a recording is that of another site.
func sameQuestion(request *http.Request, recorded cassette.Request) bool {
	if request.Method != method(recorded.Method) {
		return false
	}
	then, err := url.Parse(recorded.URL)
	if err != nil {
		return false
	}
	return question(request.URL) == question(then)
}

func question(u *url.URL) string {
	return redactURL(&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery})
}
