package plugin

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrongCommandLines(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--foo"}, "unknown flag --foo"},
		{[]string{"--warnin", "5"}, "unknown flag --warnin; did you mean --warning?"},
		{[]string{"--foo=a|b"}, "unknown flag --foo"},
		{[]string{"-x"}, "unknown flag -x"},
		{[]string{"-vxz"}, "unknown flag -x in -xz"},
		{[]string{"---x"}, `"---x" is not a flag`},
		{[]string{"-test.v"}, "unknown flag -test.v"},
		{[]string{"--warning"}, "--warning needs a value"},
		{[]string{"-w"}, "--warning needs a value"},
		{[]string{"-w", "soon"}, `--warning "soon": "soon" is not a time; a time range is 30m, 1h30m, 600 (seconds), 10m:, ~:5m, 10m:1h, @10m:1h or off; units are s, m, h, d, w`},
		{[]string{"-w", ""}, `--warning "": not a range; a time range is 30m, 1h30m, 600 (seconds), 10m:, ~:5m, 10m:1h, @10m:1h or off; units are s, m, h, d, w`},
		{[]string{"-c5:3"}, `--critical "5:3": the end is below the start; a range is 10, 10:, ~:10, 10:20, @10:20 or off`},
		{[]string{"--kill", "x"}, `--kill "x": not of the kind NUMBER`},
		{[]string{"--kill", "99999999999999999999"}, `--kill "99999999999999999999": value out of range`},
		{[]string{"--crash=maybe"}, `--crash "maybe": invalid syntax`},
		{[]string{"--mood=bad"}, `--mood: "bad" cannot be read: in a mood`},
		{[]string{"--mood=good"}, `--mood "good": not today`},
		{[]string{"--crash", "false"}, `unexpected "false": the switch --crash takes no value`},
		{[]string{"-v", "3"}, `unexpected "3": the switch -v takes no value`},
		{[]string{"a", "b\nc", "d", "e"}, `unexpected "a", "b c", "d"`},
		{[]string{"--", "-h"}, `unexpected "-h"`},
		{[]string{""}, `unexpected ""`},
		{[]string{"-t", "0"}, "--timeout must be more than 0, for example 30s"},
		{[]string{"-t", "-1"}, `--timeout "-1": it must not be negative; a time is 30 (seconds), 90s, 5m, 1h30m or 2d`},
		{[]string{"--unreachable", "ok"}, `--unreachable "ok": a check that got no answer must never be OK; use warning, critical or unknown`},
		{[]string{"--unreachable", "bad"}, `--unreachable "bad": a state is warning, critical or unknown`},
		{[]string{"--now", "noon"}, `--now "noon": a time is "2026-11-30T23:58:00Z" or "2026-11-30 23:58" (UTC)`},
		{[]string{"--now", ""}, `--now "": a time is "2026-11-30T23:58:00Z" or "2026-11-30 23:58" (UTC)`},
		{[]string{"--record", ""}, "--record needs the name of a file"},
		{[]string{"--replay="}, "--replay needs the name of a file"},
		{[]string{"--record=a", "--replay=b"}, "--record and --replay exclude each other"},
	} {
		var out bytes.Buffer
		code := Main(t.Context(), process(), append([]string{"--summary=well"}, test.args...), nil, &out)
		if want := "[UNKNOWN] - check_test: " + test.want + "; see check_test --help\n"; code != 3 || out.String() != want {
			t.Errorf("%q: exit %d\n%swant\n%s", test.args, code, out.String(), want)
		}
	}
}

func TestTimesGiven(t *testing.T) {
	for _, text := range []string{"2026-12-01T12:00:00Z", "2026-12-01T13:00:00.000+01:00", "2026-12-01 12:00", "2026-12-01 12:00:00", "2026-12-01 12:00 UTC"} {
		var value timeValue
		if err := value.Set(text); err != nil || !value.Equal(noon) {
			t.Errorf("%q is %v, %v", text, value, err)
		}
	}
}

// TestHelp compares with a golden file; UPDATE=1 writes it.
func TestHelp(t *testing.T) {
	defer func(version string) { Version = version }(Version)
	Version = "1.2.3"
	golden := "testdata/help.golden"
	var out bytes.Buffer
	code := Main(t.Context(), process(), []string{"-w", "nonsense", "--unknown", "-h"}, nil, &out)
	if code != 3 {
		t.Errorf("exit %d", code)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("help differs from %s:\n%s", golden, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > helpWidth+1 {
			t.Errorf("too wide: %s", line)
		}
	}
	for _, args := range [][]string{{"--help"}, {"stray", "-h"}, {"-vh"}, {"-V", "-h"}, {"--record=", "-h"}} {
		var again bytes.Buffer
		if code := Main(t.Context(), process(), args, nil, &again); code != 3 || again.String() != out.String() {
			t.Errorf("%q: exit %d, %s", args, code, again.String())
		}
	}
}

func TestVersion(t *testing.T) {
	defer func(version, commit string) { Version, Commit = version, commit }(Version, Commit)
	Version, Commit = "v0.1.0", "abc1234"
	for _, args := range [][]string{{"-V"}, {"--version", "stray"}, {"-V", "--foo"}} {
		var out bytes.Buffer
		code := Main(t.Context(), process(), args, nil, &out)
		if line := out.String(); code != 3 || !strings.HasPrefix(line, "check_test 0.1.0 (commit abc1234, go1.") || strings.Count(line, "\n") != 1 {
			t.Errorf("%q: exit %d, %s", args, code, line)
		}
	}
	Version, Commit = "", ""
	if line := versionLine("x"); !strings.HasPrefix(line, "x 0.0.0-dev (commit ") {
		t.Error(line)
	}
}
