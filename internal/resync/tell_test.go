package resync

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"overdue/internal/plugin"
	"overdue/internal/prewarm"
)

// fakeIcinga answers every action with a status and a body, and keeps what was asked.
type fakeIcinga struct {
	*httptest.Server
	status int
	body   string
	asked  *http.Request
	sent   map[string]any
}

func newIcinga(t *testing.T) *fakeIcinga {
	f := &fakeIcinga{status: 200, body: `{"results":[{"code":200.0,"legacy_id":1.0,"name":"learn!pool 29!x","status":"Successfully added comment."}]}`}
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.asked, f.sent = r, nil
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &f.sent)
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(f.status)
		_, _ = io.WriteString(w, f.body)
	}))
	f.Config.ErrorLog = log.New(io.Discard, "", 0) // another CA is refused with a line on stderr
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

func (f *fakeIcinga) options(t *testing.T) icingaOptions {
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return icingaOptions{url: f.URL + "/", caFile: ca, host: "learn", service: "pool 29"}
}

func login(name string) string {
	return map[string]string{"ICINGA_AUTH": "resync:se:cret"}[name]
}

func TestTell(t *testing.T) {
	server := newIcinga(t)
	report, err := server.options(t).connect(login, "overdue/1 resync_prewarm_pool")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.object = "learn!pool 29"
	r, err := b.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var logged []slog.Record
	tell := teller{icinga: report, log: func(_ context.Context, line slog.Record) error {
		logged = append(logged, line)
		return errors.New("no journal on this machine")
	}}
	f := tell.tell(context.Background(), b.handler, r, nil)

	if user, password, _ := server.asked.BasicAuth(); user != "resync" || password != "se:cret" || server.asked.URL.Path != "/v1/actions/add-comment" || server.asked.Method != http.MethodPost {
		t.Errorf("asked %s %s as %s", server.asked.Method, server.asked.URL, user)
	}
	if server.sent["comment"] != "resync 29 at 12:00 UTC: idle 0/4 → 4/4 in 4 s, 2 used runners ended" || server.sent["service"] != "learn!pool 29" || server.sent["type"] != "Service" {
		t.Errorf("sent %v", server.sent)
	}
	if want := float64(b.now.Wall.Add(commentLife).Unix()); server.sent["expiry"] != want {
		t.Errorf("expires at %v, want %v", server.sent["expiry"], want)
	}
	if f.State != plugin.OK || len(logged) != 1 || logged[0].Level != slog.LevelInfo {
		t.Errorf("%+v, logged %v", f, logged)
	}
	line := f.Details[len(f.Details)-1]
	for _, want := range []string{"time=2026-12-03T12:00:12.000Z", "environment=29", "decision=helped", `call="CRITICAL HARD"`, `object="learn!pool 29"`,
		"idle=0", "used=2", "size=4", "nomad_idle=0", "idle_after=4", "took=4.0", "comment=added"} {
		if !strings.Contains(line, want) {
			t.Errorf("the line lacks %s: %s", want, line)
		}
	}
}

// TestTellWhom holds who is told of what: nobody wants a comment for each call that was none of the handler's business.
func TestTellWhom(t *testing.T) {
	for name, row := range map[string]struct {
		change  func(*bench)
		state   plugin.State
		comment string // "" for none
	}{
		"nothing to do": {func(b *bench) { b.facts.Call.State = plugin.OK }, plugin.OK, ""},
		"recovered": {func(b *bench) {
			b.pools[29] = Pool{Idle: 4, Size: 4}
			b.nomad = func(context.Context) *prewarm.Nomad { return nomadRuns(4, 0) }
		}, plugin.OK, ""},
		"refused": {func(b *bench) { b.pools[10] = Pool{Size: 4} }, plugin.Warning,
			"resync 29 at 12:00 UTC refused: 2 of 2 environments are low at once (10 and 29): an outage, not a pool problem; do: look at Nomad first"},
		"did not help": {func(b *bench) { b.onPause = func() {} }, plugin.Critical, "did not help: idle 0/4 → 0/4 after 20 s"},
		"no answer":    {func(b *bench) { b.statsErr = errGone }, plugin.Unknown, "Poseidon could not be asked: no such page"},
		"dry run":      {func(b *bench) { b.dry, b.pools[10] = true, Pool{Size: 4} }, plugin.Warning, ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := newIcinga(t)
			report, err := server.options(t).connect(login, "")
			if err != nil {
				t.Fatal(err)
			}
			b := newBench(t)
			row.change(b)
			r, failure := b.run(context.Background())
			f := teller{icinga: report}.tell(context.Background(), b.handler, r, failure)
			if f.State != row.state {
				t.Errorf("%+v", f)
			}
			comment, _ := server.sent["comment"].(string)
			if (comment == "") != (row.comment == "") || !strings.Contains(comment, row.comment) {
				t.Errorf("commented %q, want %q", comment, row.comment)
			}
		})
	}
}

var errGone = errors.New("no such page")

// TestTellFailedComment holds that a comment that fails is told, with the remedy and without the password, and changes no exit code.
func TestTellFailedComment(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*fakeIcinga, *icingaOptions)
		says   string
	}{
		"wrong login":   {func(f *fakeIcinga, _ *icingaOptions) { f.status, f.body = 401, "<h1>Unauthorized</h1>" }, "the login was refused (401)"},
		"no permission": {func(f *fakeIcinga, _ *icingaOptions) { f.status = 403 }, `permissions = [ "actions/add-comment" ]`},
		"no service":    {func(f *fakeIcinga, _ *icingaOptions) { f.status = 404 }, "--icinga-service"},
		"server error":  {func(f *fakeIcinga, _ *icingaOptions) { f.status, f.body = 500, `{"error":500,"status":"broken | se"}` }, "500 broken"},
		"echoed login": {func(f *fakeIcinga, _ *icingaOptions) {
			f.status, f.body = 500, `{"status":"bad login resync:se:cret (Basic cmVzeW5jOnNlOmNyZXQ=) cmVzeW5jOnNlOmNyZXQ="}`
		}, "500 bad login resync:*******"},
		"refused object":  {func(f *fakeIcinga, _ *icingaOptions) { f.body = `{"results":[{"code":409,"status":"no"}]}` }, "409 no"},
		"HTML":            {func(f *fakeIcinga, _ *icingaOptions) { f.body = "<html>" }, "makes no sense"},
		"empty":           {func(f *fakeIcinga, _ *icingaOptions) { f.body = "" }, "makes no sense"},
		"no object":       {func(f *fakeIcinga, _ *icingaOptions) { f.body = `{"results":[]}` }, "makes no sense"},
		"redirect":        {func(f *fakeIcinga, _ *icingaOptions) { f.status = 302 }, "302"},
		"redirected POST": {func(f *fakeIcinga, _ *icingaOptions) { f.status = 307 }, "307"},
		"nobody there":    {func(f *fakeIcinga, o *icingaOptions) { o.url = "https://127.0.0.1:1" }, "connection refused"},
		"another CA":      {func(f *fakeIcinga, o *icingaOptions) { o.caFile = "" }, "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newIcinga(t)
			o := server.options(t)
			row.change(server, &o)
			report, err := o.connect(login, "")
			if err != nil {
				t.Fatal(err)
			}
			b := newBench(t)
			r, failure := b.run(context.Background())
			f := teller{icinga: report}.tell(context.Background(), b.handler, r, failure)
			told := strings.Join(f.Details, "\n")
			if f.State != plugin.OK || !strings.Contains(told, "the comment could not be added: ") || !strings.Contains(told, row.says) || !strings.Contains(told, "comment=\"failed: ") {
				t.Errorf("%s, told:\n%s\nwant %q", f.State, told, row.says)
			}
			if server.asked != nil && server.asked.URL.Path != "/v1/actions/add-comment" {
				t.Errorf("follows a redirect to %s", server.asked.URL)
			}
			if strings.Contains(told, "cret") || strings.Contains(told, "cmVzeW5j") {
				t.Errorf("tells the password: %s", told)
			}
		})
	}
}

// hanging is a server that answers nothing.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestTellInTime holds that an Icinga that hangs takes none of the time that the exit code needs.
func TestTellInTime(t *testing.T) {
	for left, most := range map[time.Duration]time.Duration{time.Minute: 10 * time.Second, 8 * time.Second: 7 * time.Second, time.Second / 2: 0, -time.Second: lastMoment} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), left)
			defer cancel()
			began := time.Now()
			err := teller{icinga: &icinga{client: &http.Client{Transport: hanging{}}, endpoint: "https://127.0.0.1:1/"}}.comment(ctx, "", began)
			if took := time.Since(began); err == nil || took != most {
				t.Errorf("of %s left it takes %s, want %s: %v", left, took, most, err)
			}
		})
	}
}

// TestTellHangingLog holds that a journal that does not read holds nobody up, and that the result is told all the same.
func TestTellHangingLog(t *testing.T) {
	for interrupted, most := range map[bool]time.Duration{false: logPatience, true: lastMoment} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			if interrupted {
				cancel()
			}
			defer cancel()
			b := newBench(t)
			r, err := b.run(t.Context())
			reads := make(chan struct{})
			hang := func(context.Context, slog.Record) error { <-reads; return nil }
			began := time.Now()
			f := teller{log: hang}.tell(ctx, b.handler, r, err)
			if took := time.Since(began); took != most || f.State != plugin.OK || !strings.Contains(f.Problem, "idle 0/4 → 4/4") {
				t.Errorf("interrupted %t: after %s: %+v", interrupted, took, f)
			}
			close(reads)
		})
	}
}

// TestLifeEndedWhileCommenting holds that a run which is ended while Icinga hangs has logged what it did, and tells it.
func TestLifeEndedWhileCommenting(t *testing.T) {
	s := newSite(t, 0)
	s.by.moment = clockOf(s)
	s.Set(29, 4, 0, 3)
	logged := make(chan string, 10)
	s.by.log = func(_ context.Context, line slog.Record) error { logged <- oneLine(line); return nil }
	ctx, end := context.WithCancel(t.Context())
	defer end()
	server := newIcinga(t)
	server.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		end()
		<-r.Context().Done()
	})
	var out strings.Builder
	code := plugin.Main(ctx, program(s.by), []string{"--environment", "29", "--address", s.URL(), "--nomad-address", s.nomad.URL(), "--state-dir", s.dir,
		"--icinga-url", server.URL, "--icinga-ca-file", server.options(t).caFile, "--icinga-host", "learn", "--icinga-service", "pool 29"}, []string{"ICINGA_AUTH=resync:se:cret"}, &out)
	server.CloseClientConnections()
	if code != 0 || s.Puts(29) != 1 || len(logged) == 0 {
		t.Fatalf("exit code %d, %d PUTs, %d lines logged: %s", code, s.Puts(29), len(logged), out.String())
	}
	line := <-logged
	if !strings.Contains(line, "decision=helped") || !strings.Contains(out.String(), line) {
		t.Errorf("logged %s, told:\n%s", line, out.String())
	}
}

// TestLifeMisused holds that wrong use by Icinga is logged, whoever sees it: a flag or the whole of them. A person reads it anyway.
func TestLifeMisused(t *testing.T) {
	s := newSite(t, 0)
	var logged []string
	s.by.log = func(_ context.Context, line slog.Record) error { logged = append(logged, oneLine(line)); return nil }
	for args, want := range map[string]string{
		"--state CRITICAL --state-type HARD --attempt 1 --downtime-depth 0": "--state needs --host-downtime-depth",
		"--cooldown soon --state=CRITICAL --state-type HARD":                "--cooldown",
		"--state CRITICAL --nosuchoption":                                   "unknown flag --nosuchoption",
		"--state":                                                           "--state needs a value",
		"--state CRITICAL --no-journal":                                     "",
		"--state CRITICAL --help":                                           "",
		"--cooldown soon":                                                   "",
	} {
		logged = nil
		code, text := s.call(t, strings.Fields(args)...)
		if code != 3 || (want != "") != (len(logged) == 1) || want != "" && (!strings.Contains(logged[0], want) || !strings.Contains(logged[0], "level=ERROR") || !strings.Contains(logged[0], "environment=29 decision=misused")) {
			t.Errorf("%s: exit code %d, logged %q, want %q: %s", args, code, logged, want, text)
		}
	}
}

func TestIcingaOptions(t *testing.T) {
	two := filepath.Join(t.TempDir(), "two")
	if err := os.WriteFile(two, []byte("a:secret\nb:secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := icingaOptions{url: "https://127.0.0.1:5665", host: "learn", service: "pool 29"}
	for name, row := range map[string]struct {
		change func(*icingaOptions)
		auth   string
		says   string
	}{
		"no TLS":        {func(o *icingaOptions) { o.url = "http://127.0.0.1:5665" }, "a:password", "https://HOST:5665"},
		"a password":    {func(o *icingaOptions) { o.url = "https://a:b@127.0.0.1:5665" }, "a:password", "https://HOST:5665"},
		"no service":    {func(o *icingaOptions) { o.service = "" }, "a:password", "--icinga-service"},
		"no login":      {func(*icingaOptions) {}, "", "USER:PASSWORD"},
		"half a login":  {func(*icingaOptions) {}, "secret", "USER:PASSWORD"},
		"no login file": {func(o *icingaOptions) { o.authFile = "/nonexistent" }, "a:password", "--icinga-auth-file: cannot read /nonexistent: no such file"},
		"login is two":  {func(o *icingaOptions) { o.authFile = two }, "a:password", "USER:PASSWORD"},
		"a short one":   {func(*icingaOptions) {}, "a:s3cr7", "ICINGA_AUTH: it is shorter than 6 characters"},
		"no CA file":    {func(o *icingaOptions) { o.caFile = "/nonexistent" }, "a:password", "--icinga-ca-file: cannot read /nonexistent: no such file"},
		"CA is no PEM":  {func(o *icingaOptions) { o.caFile = two }, "a:password", "no certificate"},
	} {
		o := good
		row.change(&o)
		_, err := o.connect(func(string) string { return row.auth }, "")
		var misuse interface{ Usage() bool }
		if !errors.As(err, &misuse) || !misuse.Usage() || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "s3cr7") {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
}

// TestSyslog holds that the line reaches a syslog whole.
func TestSyslog(t *testing.T) {
	address := filepath.Join(t.TempDir(), "log")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	b := newBench(t)
	b.pools[10] = Pool{Size: 4}
	r, _ := b.run(context.Background())
	if err := toSyslog("unixgram", address, b.handler.record(r, b.finding(r), nil)); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 4096)
	n, err := socket.Read(buffer)
	if got := string(buffer[:n]); err != nil || !strings.HasPrefix(got, "<28>") || !strings.Contains(got, programName) || !strings.Contains(got, "decision=refused") {
		t.Errorf("%q, %v", got, err)
	}
	if err := toSyslog("unixgram", address+"-absent", b.handler.record(r, b.finding(r), nil)); err == nil {
		t.Error("no syslog, no error")
	}
}

func FuzzCommented(f *testing.F) {
	f.Add(200, []byte(`{"results":[{"code":200.0,"status":"Successfully added comment."}]}`))
	f.Add(200, []byte(`{"results":[{"code":1e400}]}`))
	f.Add(500, []byte(`{"error":500,"status":"x"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if err := commented(status, body); err == nil && (status != 200 || len(body) < len(`{"results":[{"code":200}]}`)) {
			t.Errorf("%d %q passes for a comment", status, body)
		}
	})
}
