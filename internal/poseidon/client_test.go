package poseidon_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"overdue/internal/poseidon"
	"overdue/internal/poseidon/poseidontest"
)

const token = "pSd-t0k3n"

func surroundings(env map[string]string) poseidon.Surroundings {
	return poseidon.Surroundings{
		Getenv:    func(name string) string { return env[name] },
		UserAgent: "overdue/test check_prewarm_pool",
		Transport: func(rt http.RoundTripper) http.RoundTripper { return rt },
		Waiting:   func(string, ...any) {},
	}
}

func connect(t *testing.T, s *poseidontest.Server) *poseidon.Client {
	t.Helper()
	t.Cleanup(s.Close)
	c, err := poseidon.Connect(poseidon.Options{Address: s.URL()}, surroundings(map[string]string{"POSEIDON_TOKEN": token}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPools(t *testing.T) {
	s := poseidontest.New()
	s.Token(token)
	s.Set(29, 4, 1, 3)
	got, err := connect(t, s).Pools(t.Context())
	want := []poseidon.Pool{{ID: 10, Size: 4, Idle: 4}, {ID: 29, Size: 4, Idle: 1, Used: 3}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if asked := s.Requests(); len(asked) != 1 || asked[0] != "GET /api/v1/statistics/execution-environments" {
		t.Errorf("asked %q", asked)
	}
}

// Every recorded body of the statistics can be read, and comes to what its situation says.
func TestRecordedPools(t *testing.T) {
	for situation, want := range map[string]string{
		"full": "[{10 4 4 0} {29 4 4 0}]", "depleted": "[{10 4 1 1} {29 4 0 0}]", "none": "[]", "size-zero": "", "overfull": "", "environment-lost": "",
		"after-hang": "", "after-list-fetch": "", "after-put": "", "after-restart": "", "filling": "", "nomad-back": "", "nomad-down": "", "nomad-hanging": "", "one-depleted": "",
	} {
		s := poseidontest.New()
		s.Handle("/api/v1/statistics/execution-environments", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, poseidontest.Body("statistics-execution-environments-200-"+situation+".json"))
		})
		got, err := connect(t, s).Pools(t.Context())
		if text := fmt.Sprint(got); err != nil || want != "" && text != want || want == "" && len(got) == 0 {
			t.Errorf("%s: %s, %v", situation, text, err)
		}
	}
}

// A resync ends the used runners and fills the pool (timeline "resync-without-builtin-reload").
func TestReplace(t *testing.T) {
	s := poseidontest.New()
	s.Set(10, 4, 1, 2)
	c := connect(t, s)
	e, err := c.Environment(t.Context(), 10)
	if err != nil || e.Size != 4 || !strings.Contains(string(e.Body), `"exposedPorts": null`) {
		t.Fatalf("%+v, %v", e, err)
	}
	if err := c.Replace(t.Context(), e, time.Minute); err != nil {
		t.Fatal(err)
	}
	if s.Puts(10) != 1 || s.Killed(10) != 2 {
		t.Errorf("%d PUTs ended %d used runners", s.Puts(10), s.Killed(10))
	}
	var idle []int
	for range 4 {
		pools, err := c.Pools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, pools[0].Idle)
		_ = s.Pause(t.Context(), 600*time.Millisecond)
	}
	if !reflect.DeepEqual(idle, []int{0, 0, 2, 4}) {
		t.Errorf("it fills as %v", idle)
	}
}

// While the event stream is stalled a PUT takes 50 s, ends the used runners and leaves an empty pool (timeline "event-stream-stalled").
func TestReplaceStalled(t *testing.T) {
	s := poseidontest.New()
	s.Set(29, 4, 1, 3)
	s.Stall()
	c := connect(t, s)
	e, err := c.Environment(t.Context(), 29)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Replace(t.Context(), e, time.Minute); err != nil {
		t.Fatal(err)
	}
	_ = s.Pause(t.Context(), time.Hour)
	pools, err := c.Pools(t.Context())
	if err != nil || pools[1] != (poseidon.Pool{ID: 29, Size: 4, Idle: 0, Used: 3}) || s.Killed(29) != 3 {
		t.Errorf("%+v, %v, %d ended", pools, err, s.Killed(29))
	}
}

func TestTroubles(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*poseidontest.Server)
		says    []string
	}{
		"crashed handler":  {(*poseidontest.Server).Crash, []string{"cannot read the statistics: Poseidon's handler crashed", "200 with an empty body"}},
		"another token":    {func(s *poseidontest.Server) { s.Token("other") }, []string{"refused the token (401)"}},
		"Nomad is down":    {(*poseidontest.Server).KillNomad, []string{"cannot resync environment 10", "answered 500 UNKNOWN", "connection refused"}},
		"no room in Nomad": {(*poseidontest.Server).Crowd, []string{"failed to place all allocations"}},
		"unknown":          {func(s *poseidontest.Server) { s.Lose(10) }, []string{"cannot read environment 10", "404"}},
	} {
		s := poseidontest.New()
		c.prepare(s)
		client := connect(t, s)
		_, err := client.Pools(t.Context())
		if err == nil {
			var e poseidon.Environment
			if e, err = client.Environment(t.Context(), 10); err == nil {
				err = client.Replace(t.Context(), e, time.Minute)
			}
		}
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range c.says {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q is not in %q", name, want, err)
			}
		}
		if got := poseidon.IsUnknown(err); got != (name == "unknown") {
			t.Errorf("%s: unknown is %v", name, got)
		}
	}
}

// Answers of every other kind are errors with a remedy; none of them passes for "no environments".
func TestBadAnswers(t *testing.T) {
	for _, c := range []struct {
		code       int
		body, says string
	}{
		{200, "", "handler crashed"}, {200, " \n", "handler crashed"}, {200, "null", "it is null"}, {200, "[]", "is not statistics"}, {200, `"x"`, "is not statistics"},
		{200, `{"10":null}`, `entry "10": a count is missing`}, {200, `{"10":{"id":10,"prewarmingPoolSize":4,"idleRunners":4}}`, "a count is missing"},
		{200, `{"10":{"id":9,"prewarmingPoolSize":4,"idleRunners":4,"usedRunners":0}}`, "its id is 9"},
		{200, `{"10":{"id":10,"prewarmingPoolSize":-4,"idleRunners":4,"usedRunners":0}}`, "-4 runners"},
		{200, `{"10":{"id":10,"prewarmingPoolSize":1000000000,"idleRunners":4,"usedRunners":0}}`, "1000000000 runners"},
		{200, `{"10":{"id":10,"prewarmingPoolSize":"4","idleRunners":4,"usedRunners":0}}`, "is not statistics"},
		{200, `{"10":{"id":10`, "unexpected end"}, {200, `{}{}`, "after top-level value"},
		{200, "<html>login</html>", "an HTML page"}, {200, strings.Repeat("[", 100000), "is not statistics"},
		{204, "", "answered 204 instead of"}, {301, "", "redirected to nowhere"}, {401, "", "refused the token"}, {403, "no\x1b[31m|", "answered 403 no [31m|"},
		{404, "", "404"}, {500, `{"message":"a\nb ` + token + `","errorCode":"UNKNOWN"}`, "answered 500 UNKNOWN a b *********"},
		{503, "<html>", "an HTML page"}, {502, "Bearer abc", "answered 502 Bearer removed"}, {599, "", "answered 599"},
	} {
		s := poseidontest.New()
		s.Handle("/api/v1/statistics/execution-environments", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.code)
			_, _ = io.WriteString(w, c.body)
		})
		pools, err := connect(t, s).Pools(t.Context())
		var e *poseidon.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) || e.Hint() == "" || pools != nil {
			t.Errorf("%d %.60q: %v, %v, want %q with a remedy", c.code, c.body, pools, err, c.says)
		}
		if err != nil && (strings.Contains(err.Error(), token) || strings.ContainsAny(err.Error(), "\n\x1b")) {
			t.Errorf("%d: not clean: %q", c.code, err)
		}
	}
}

func TestTooLarge(t *testing.T) {
	s := poseidontest.New()
	s.Handle("/api/v1/statistics/execution-environments", func(w http.ResponseWriter, _ *http.Request) {
		block := []byte(strings.Repeat(" ", 1<<20))
		for range poseidon.MaxAnswer>>20 + 2 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	if _, err := connect(t, s).Pools(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Error(err)
	}
}

func TestHangs(t *testing.T) {
	s := poseidontest.New()
	ctx, cancel := context.WithCancel(t.Context())
	s.Handle("/api/v1/statistics/execution-environments", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if _, err := connect(t, s).Pools(ctx); err == nil || !strings.Contains(err.Error(), "interrupted while waiting") {
		t.Error(err)
	}
}

// Options that cannot work are wrong use, name their source, and hold no secret.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options poseidon.Options
		env     map[string]string
		says    string
	}{
		{poseidon.Options{Address: "localhost:7200"}, nil, "--address"},
		{poseidon.Options{Address: "ftp://h"}, nil, "--address"},
		{poseidon.Options{Address: "http://u:secret@h"}, nil, "--address holds a user's name"},
		{poseidon.Options{Address: "http://h/?fetch=true"}, nil, "--address"},
		{poseidon.Options{Address: "http://%zz"}, nil, "--address is not a URL"},
		{poseidon.Options{}, map[string]string{"POSEIDON_ADDR": "nonsense"}, "POSEIDON_ADDR"},
		{poseidon.Options{}, map[string]string{"POSEIDON_TOKEN": "two words"}, "POSEIDON_TOKEN: the token is not one word"},
		{poseidon.Options{}, map[string]string{"POSEIDON_TOKEN": "s3cr7"}, "POSEIDON_TOKEN: it is shorter than 6 characters"},
		{poseidon.Options{TokenFile: empty}, nil, "--token-file: "},
		{poseidon.Options{TokenFile: dir}, nil, "not a regular file"},
		{poseidon.Options{TokenFile: "/dev/zero"}, nil, "not a regular file"},
		{poseidon.Options{TokenFile: filepath.Join(dir, "absent")}, nil, "no such file"},
		{poseidon.Options{CAFile: empty}, nil, "--ca-file: there is no certificate in"},
		{poseidon.Options{ClientCert: empty}, nil, "give both"},
		{poseidon.Options{ClientCert: empty, ClientKey: empty}, nil, "are not a certificate and its key"},
	} {
		_, err := poseidon.Connect(c.options, surroundings(c.env))
		var usage interface {
			Usage() bool
			Hint() string
		}
		if !errors.As(err, &usage) || !usage.Usage() || !strings.Contains(err.Error()+usage.Hint(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v %v: %v, want %q", c.options, c.env, err, c.says)
		}
	}
}

// What stands at the address speaks another protocol, or its header is broken.
func TestNotHTTP(t *testing.T) {
	s := poseidontest.New()
	s.Handle("/api/v1/statistics/execution-environments", func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nno header|\r\n\r\n"))
		_ = c.Close()
	})
	_, err := connect(t, s).Pools(t.Context())
	var e *poseidon.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "is not HTTP: ") || !strings.Contains(e.Hint(), "http or https right?") {
		t.Errorf("%v; %+v", err, e)
	}
}

func TestUnreachable(t *testing.T) {
	s := poseidontest.New()
	c := connect(t, s)
	s.Close()
	_, err := c.Pools(t.Context())
	var e *poseidon.Error
	if !errors.As(err, &e) || e.Status != 0 || !strings.Contains(err.Error(), "connection refused by http://127.0.0.1:") || !strings.Contains(e.Hint(), "Poseidon running") {
		t.Errorf("%v; %+v", err, e)
	}
}
