package plugin

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
)

// Headers that the frame adds to recorded answers.
const (
	headerAt       = "Overdue-Recorded-At"
	headerEncoding = "Overdue-Body-Encoding"
)

// maxTape bounds the answers of one recording, and the file that is replayed: both are held in memory.
const maxTape = 256 << 20

// tape is the recording that a run writes or reads, in the file format of go-vcr. Of go-vcr's recorder nothing is used: it
// hands a client the redacted answer, and keeps no limit.
type tape struct {
	run       *Run
	name      string
	replaying bool
	fixedNow  bool // --now was given

	file *os.File

	mu       sync.Mutex
	cassette *cassette.Cassette
	left     int64
}

func newTape(r *Run, opts *options) *tape {
	t := &tape{run: r, name: opts.record + opts.replay, replaying: opts.replay != "", fixedNow: !opts.now.IsZero(), left: maxTape}
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
	loaded, err := cassette.LoadWithFS("recording", memory{data: &data})
	if errors.Is(err, cassette.ErrUnsupportedCassetteFormat) {
		return errors.New("not a recording, or one of another version")
	}
	if err != nil {
		return fmt.Errorf("not a recording: %w", err)
	}
	loaded.Matcher = sameQuestion
	now := time.Time{}
	for i, interaction := range loaded.Interactions {
		if interaction == nil {
			return errors.New("not a recording: it has an empty answer")
		}
		if err := unpack(&interaction.Response); err != nil {
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
	data, err := io.ReadAll(io.LimitReader(file, maxTape+1))
	switch {
	case err != nil:
		return nil, reason(err)
	case len(data) > maxTape:
		return nil, fmt.Errorf("larger than %d MiB", maxTape>>20)
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
	var data []byte
	if err := t.cassette.SaveWithFS(memory{data: &data}); err != nil {
		return err
	}
	if _, err := t.file.Write(data); err != nil {
		return reason(err)
	}
	return reason(t.file.Close())
}

// memory stands between go-vcr and the disk: go-vcr would add ".yaml" to the name of the file.
type memory struct{ data *[]byte }

func (m memory) ReadFile(string) ([]byte, error) { return *m.data, nil }
func (m memory) IsFileExists(string) bool        { return true }
func (m memory) WriteFile(_ string, data []byte) error {
	*m.data = data
	return nil
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
	left := c.tape.room()
	if left <= 0 {
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
	if !c.tape.take(int64(len(body))) {
		return response, nil
	}
	c.tape.keep(request, response, body, c.scrub, time.Since(began))
	return response, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (t *tape) room() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left
}

// take reserves room for an answer. Once one does not fit, nothing more is recorded, so that no answer is missing between others.
func (t *tape) take(size int64) bool {
	t.mu.Lock()
	fits := size <= t.left
	first := !fits && t.left > 0
	t.left -= size
	t.mu.Unlock()
	if first {
		t.run.Note("the recording is not complete: the answers are larger than %d MiB", maxTape>>20)
	}
	return fits
}

func (t *tape) keep(request *http.Request, response *http.Response, body []byte, scrub func([]byte) []byte, took time.Duration) {
	if scrub != nil {
		body = scrub(bytes.Clone(body))
	}
	header := redactResponseHeader(response.Header)
	header.Set(headerAt, t.run.Now().UTC().Format(time.RFC3339Nano))
	text := string(body)
	if !readable(text) {
		text = base64.StdEncoding.EncodeToString(body)
		header.Set(headerEncoding, "base64")
	}
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
			Body:          text,
			Headers:       header,
			Status:        printableASCII(response.Status),
			Code:          response.StatusCode,
			Duration:      took,
		},
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cassette.AddInteraction(interaction)
}

func method(name string) string {
	if name == "" {
		return http.MethodGet
	}
	return name
}

// readable says that YAML gives a text back as it was.
func readable(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range text {
		if r != '\n' && (!unicode.IsPrint(r) || r == utf8.RuneError) {
			return false
		}
	}
	return true
}

func unpack(response *cassette.Response) error {
	if response.Headers == nil {
		response.Headers = http.Header{}
	}
	if response.Headers.Get(headerEncoding) == "base64" {
		body, err := base64.StdEncoding.DecodeString(response.Body)
		if err != nil {
			return errors.New("not a recording: a body cannot be decoded")
		}
		response.Body = string(body)
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
