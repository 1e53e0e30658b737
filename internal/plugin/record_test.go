package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// asking is a check that tells the body of every answer.
func asking(addresses ...string) Check {
	return func(ctx context.Context, r *Run) error {
		client := &http.Client{Transport: r.Transport(nil, func(body []byte) []byte { return bytes.ReplaceAll(body, []byte("hunter2"), []byte("***")) })}
		defer client.CloseIdleConnections()
		for _, address := range addresses {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			if err != nil {
				return err
			}
			request.Header.Set("X-Nomad-Token", "secret-acl")
			request.Header.Set("X-Unheard-Of", "secret-odd")
			response, err := client.Do(request)
			if err != nil {
				return err
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil {
				return err
			}
			r.Add(Finding{State: OK, Subject: fmt.Sprint(response.StatusCode), Problem: string(body)})
		}
		r.Summarize("at %s", r.Now().UTC().Format(time.RFC3339))
		return nil
	}
}

func counting(t *testing.T) (address string, count *int) {
	var mu sync.Mutex
	count = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		*count++
		w.Header().Set("Set-Cookie", "sid=secret-cookie")
		w.Header().Set("X-Nomad-Nexttoken", "page-2")
		w.Header().Set("X-Api-Key", "secret-key")
		if request.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprintf(w, "answer %d to %s hunter2", *count, request.URL.Path)
	}))
	t.Cleanup(server.Close)
	return server.URL, count
}

func TestRecordAndReplay(t *testing.T) {
	address, count := counting(t)
	withSecrets := strings.Replace(address, "http://", "http://user:secret-password@", 1)
	questions := []string{withSecrets + "/jobs?token=secret-query&prefix=a", address + "/jobs?prefix=a&token=other", address + "/missing"}
	file := filepath.Join(t.TempDir(), "case with blanks")
	code, live := try(t, asking(questions...), "--record", file, atNoon)
	if code != 0 || !strings.Contains(live, "answer 3 to /missing hunter2") {
		t.Fatalf("exit %d: %s", code, live)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	recording, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"secret-", "hunter2", "user:", "dXNlcjpzZWNyZXQtcGFzc3dvcmQ"} {
		if bytes.Contains(recording, []byte(secret)) {
			t.Errorf("%q is in the recording:\n%s", secret, recording)
		}
	}
	if !bytes.Contains(recording, []byte("page-2")) {
		t.Errorf("the token of the next page is no secret:\n%s", recording)
	}

	const elsewhere = "https://another.invalid"
	replayed := []string{elsewhere + "/missing", elsewhere + "/jobs?prefix=a&token=mine", elsewhere + "/jobs?token=mine&prefix=a"}
	code, output := try(t, asking(replayed...), "--replay", file)
	expect(t, code, output, 0, "[OK] - 404: answer 3 to /missing ***; at 2026-12-01T12:00:00Z\n"+
		"\\_ [OK] 200: answer 1 to /jobs ***\n\\_ [OK] 200: answer 2 to /jobs ***\n")
	_, output = try(t, asking(replayed[0]), "--replay", file, "--now", "2027-01-01 00:00")
	if !strings.Contains(output, "at 2027-01-01T00:00:00Z") {
		t.Errorf("--now does not win over the recording: %s", output)
	}
	code, output = tryWith(t, Program{Unreachable: Critical}, asking(replayed[0], replayed[0]), "--replay", file)
	if want := "the recording has no answer for GET /missing; was it made with other options?"; code != 3 || !strings.Contains(output, want) {
		t.Errorf("exit %d: %s", code, output)
	}
	code, output = try(t, asking(elsewhere+"/jobs?prefix=b&token=mine"), "--replay", file)
	if code != 3 || !strings.Contains(output, "no answer for GET /jobs?prefix=b&token=removed") {
		t.Errorf("exit %d: %s", code, output)
	}
	if *count != 3 {
		t.Errorf("the server was asked %d times: a replay needs no network", *count)
	}
}

func TestRecordingOfAFailedRun(t *testing.T) {
	address, _ := counting(t)
	for name, end := range map[string]func(context.Context) error{
		"error":    func(context.Context) error { return errors.New("failed") },
		"panic":    func(context.Context) error { panic("crash") },
		"deadline": func(ctx context.Context) error { <-ctx.Done(); return nil },
	} {
		file := filepath.Join(t.TempDir(), name)
		first := asking(address + "/a")
		code, output := try(t, func(ctx context.Context, r *Run) error {
			if err := first(ctx, r); err != nil {
				return err
			}
			return end(ctx)
		}, "--record", file, "-t", "2")
		if code != 3 {
			t.Errorf("%s: exit %d: %s", name, code, output)
		}
		if code, output := try(t, asking(address+"/a"), "--replay", file); code != 0 || !strings.Contains(output, "to /a") {
			t.Errorf("%s: replay: exit %d: %s", name, code, output)
		}
	}
}

func TestUnusableRecordings(t *testing.T) {
	directory := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(directory, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	never := func(context.Context, *Run) error { t.Error("the check runs"); return nil }
	answer := func(headers, rest string) string {
		return "version: 2\ninteractions:\n- request: {method: GET, url: http://x/a}\n  response:\n    headers: {" + headers + "}\n    code: 200\n    body: x\n" + rest
	}
	for _, test := range []struct{ flag, file, want string }{
		{"--record", filepath.Join(directory, "no", "such"), "no such file or directory"},
		{"--record", directory, "it is there already; name a new file"},
		{"--record", write("case", "an older case"), "it is there already; name a new file"},
		{"--replay", filepath.Join(directory, "missing"), "no such file or directory"},
		{"--replay", directory, "is a directory"},
		{"--replay", write("empty", " \n"), "the file is empty"},
		{"--replay", write("text", "this is no recording"), "not a recording"},
		{"--replay", write("html", "<html><body>\x00</body>"), "not a recording"},
		{"--replay", write("binary", "\x1f\x8b\x08\x00\xff\xfe"), "not a recording"},
		{"--replay", write("json", `{"a":1}`), "not a recording"},
		{"--replay", write("version", "version: 1\ninteractions: []\n"), "not a recording, or one of another version"},
		{"--replay", write("null", "version: 2\ninteractions: [null]\n"), "not a recording: it has an empty answer"},
		{"--replay", write("types", "version: 2\ninteractions: {a: b}\n"), "not a recording"},
		{"--replay", write("code", strings.Replace(answer("", ""), "200", "7", 1)), "an answer has no status code"},
		{"--replay", write("time", answer("", "")), "it does not say when it was made; give the time with --now"},
		{"--replay", write("packed", answer("Overdue-Body-Encoding: ['gzip, base64']", "")), "a body cannot be unpacked"},
		{"--replay", write("no answer", "version: 2\ninteractions: []\n"), "not a recording, or one without an answer"},
	} {
		code, output := tryWith(t, Program{Unreachable: Critical}, never, test.flag, test.file)
		prefix := "[UNKNOWN] - check_it: " + test.flag + " " + test.file + ": "
		if code != 3 || !strings.HasPrefix(output, prefix) || !strings.Contains(output, test.want) || strings.Count(output, "\n") != 1 {
			t.Errorf("%s %s: exit %d: %s", test.flag, filepath.Base(test.file), code, output)
		}
	}
	deep := map[string]string{
		"lists":   strings.Repeat("[", 200000),
		"maps":    strings.Repeat("{a: ", 100000),
		"dashes":  strings.Repeat("- ", 100000),
		"self":    "version: 2\ninteractions: &a [*a]\n",
		"anchors": "a: &a [x,x,x,x,x,x,x,x,x,x]\n",
	}
	for next := 'b'; next < 'k'; next++ {
		deep["anchors"] += fmt.Sprintf("%c: &%c [*%c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c]\n", next, next, next-1)
	}
	deep["anchors"] += "version: 2\ninteractions: *j\n"
	for name, content := range deep {
		code, output := try(t, never, "--replay", write(name, content))
		if code != 3 || !strings.Contains(output, "not a recording") {
			t.Errorf("%s: exit %d: %s", name, code, output)
		}
	}

	code, output := try(t, asking("http://x/a"), "--replay", write("fine", answer("", "")), atNoon)
	expect(t, code, output, 0, "[OK] - 200: x; at 2026-12-01T12:00:00Z\n")

	huge := write("huge", "")
	if err := os.Truncate(huge, maxFile+1); err != nil {
		t.Fatal(err)
	}
	if code, output := try(t, never, "--replay", huge); code != 3 || !strings.Contains(output, "larger than") {
		t.Errorf("exit %d: %s", code, output)
	}
}

func TestRecordingThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "case")
	code, output := try(t, func(_ context.Context, r *Run) error { r.Summarize("well"); return r.tape.file.Close() }, "--record", file)
	expect(t, code, output, 3, "[UNKNOWN] - --record "+file+": the recording could not be written: file already closed\n")
}

// canned is a server in a function.
type canned func(*http.Request) (*http.Response, error)

func (c canned) RoundTrip(request *http.Request) (*http.Response, error) { return c(request) }

func respond(body io.Reader) canned {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{Status: "200 OK", StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body)}, nil
	}
}

func newRecorder(t *testing.T, base http.RoundTripper) (*tape, http.RoundTripper) {
	t.Helper()
	r := &Run{now: noon}
	r.tape = newTape(r, &options{record: filepath.Join(t.TempDir(), "recording")})
	if err := r.tape.open(); err != nil {
		t.Fatal(err)
	}
	return r.tape, r.Transport(base, nil)
}

func TestRecordingStopsAtItsLimit(t *testing.T) {
	size := 0
	tape, transport := newRecorder(t, canned(func(r *http.Request) (*http.Response, error) {
		return respond(strings.NewReader(strings.Repeat("x", size)))(r)
	}))
	tape.left = 100
	for _, size = range []int{60, 0, 60, 5} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || len(body) != size {
			t.Errorf("%d of %d bytes reach the client, %v", len(body), size, err)
		}
	}
	if got := len(tape.cassette.Interactions); got != 2 {
		t.Errorf("%d answers are recorded, want the 2 before the limit", got)
	}
	if notes := tape.run.told().notes; len(notes) != 1 || !strings.Contains(notes[0], "not complete") {
		t.Errorf("notes: %q", notes)
	}
}

func TestRecordingKeepsABrokenAnswer(t *testing.T) {
	tape, transport := newRecorder(t, respond(io.MultiReader(strings.NewReader("half"), failing{io.ErrUnexpectedEOF})))
	response, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "/", nil))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(response.Body); string(body) != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the client gets %q, %v", body, err)
	}
	if got := tape.cassette.Interactions[0].Response.Body; got != "half" {
		t.Errorf("recorded %q", got)
	}
}

// thereAndBack is a body after it was recorded and replayed.
func thereAndBack(t *testing.T, body []byte) []byte {
	t.Helper()
	tape, transport := newRecorder(t, respond(bytes.NewReader(body)))
	request := httptest.NewRequest(http.MethodGet, "/x", nil)
	if _, err := transport.RoundTrip(request); err != nil {
		t.Fatal(err)
	}
	if err := tape.save(); err != nil {
		t.Fatal(err)
	}
	r := &Run{}
	r.tape = newTape(r, &options{replay: tape.name})
	if err := r.tape.open(); err != nil {
		content, _ := os.ReadFile(tape.name)
		t.Fatalf("%q: %v\n%s", body, err, content)
	}
	if !r.Now().Equal(noon) {
		t.Errorf("recorded at %v", r.Now())
	}
	response, err := r.Transport(nil, nil).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	back, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

var awkwardBodies = []string{"", "\n", "\n\n", " ", " \n ", "a\n", "\na", "  a\n b\n\n", "a\r\nb", "a\tb", "\ta\n", "- a", "a: b", "# c", "'", `"`, `\n`, `\`, "---", "---\na", "...\n", "null", "~", "true", "123", "1e3", "0x1f",
	"{\"a\":\"b\\nc\"}\n", "{\"a\": 1}", "[1]", "&a", "*a", "!x", "%x", "@x", "`x", "|", ">", "|\n a", "a #b", "a\n#b\n", "a:", ": a", "? a", "\x00", "\xff\xfe", "\u2028", "\u0085", "\ufeff", "é\n世界", "a\n\n\n", "a \n b \n", "2026-12-01", "a\\\nb", "\n  x: y\nz", "   lead\nless", "<<", "=", "yes", "{{", "}", "]", ",", "k8s\x00\n\x0a\x03", "a\u00a0b", "😀"}

func TestRecordingIsFaithful(t *testing.T) {
	for _, body := range awkwardBodies {
		if back := thereAndBack(t, []byte(body)); string(back) != body {
			t.Errorf("%q comes back as %q", body, back)
		}
	}
	alphabet := []rune("ab \n\n:-#'\"\\{}[],&*!|>%@`?0~\t=.")
	random := rand.New(rand.NewSource(1))
	for range 500 {
		text := make([]rune, random.Intn(12))
		for i := range text {
			text[i] = alphabet[random.Intn(len(alphabet))]
		}
		if back := thereAndBack(t, []byte(string(text))); string(back) != string(text) {
			t.Errorf("%q comes back as %q", string(text), back)
		}
	}
}

func TestLargeAnswersArePacked(t *testing.T) {
	body := bytes.Repeat([]byte("{\"name\": \"wrk-98\"},\n"), 10<<20/21)
	tape, transport := newRecorder(t, respond(bytes.NewReader(body)))
	request := httptest.NewRequest(http.MethodGet, "/x", nil)
	if _, err := transport.RoundTrip(request); err != nil {
		t.Fatal(err)
	}
	if size := len(tape.cassette.Interactions[0].Response.Body); size > 1<<20 {
		t.Errorf("10 MiB take %d bytes", size)
	}
	if back := thereAndBack(t, body); !bytes.Equal(back, body) {
		t.Error("the body does not come back")
	}
	response := tape.cassette.Interactions[0].Response
	short := int64(len(body)) - 1
	if err := unpack(&response, &short); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a body that unpacks beyond the limit: %v", err)
	}
}

func TestAwkwardHeadersSurvive(t *testing.T) {
	tape, transport := newRecorder(t, canned(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"X": {"? a", "\n"}, "Y": {""}}, Body: http.NoBody}, nil
	}))
	if _, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "/x", nil)); err != nil {
		t.Fatal(err)
	}
	if err := tape.save(); err != nil {
		t.Fatal(err)
	}
	again := newTape(&Run{}, &options{replay: tape.name})
	if err := again.open(); err != nil || !again.run.Now().Equal(noon) {
		t.Errorf("%v, recorded at %v", err, again.run.Now())
	}
}

func FuzzReplay(f *testing.F) {
	f.Add("version: 2\ninteractions:\n- request: {method: GET, url: http://h/x}\n  response: {code: 200, body: b}\n")
	f.Add("version: 2\ninteractions: [null]")
	f.Add("a: &a [*a,*a]\nversion: 2")
	f.Fuzz(func(t *testing.T, content string) {
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, output := try(t, asking("http://h/x"), "--replay", file, "-t", "20"); strings.Contains(output, "crashed") || code != 0 && code != 3 {
			t.Errorf("exit %d: %s", code, output)
		}
	})
}

func FuzzRecording(f *testing.F) {
	for _, body := range awkwardBodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if back := thereAndBack(t, body); !bytes.Equal(back, body) {
			t.Errorf("%q comes back as %q", body, back)
		}
	})
}
