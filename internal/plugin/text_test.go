package plugin

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour:                      "0s",
		0:                               "0s",
		999 * time.Millisecond:          "0s",
		45 * time.Second:                "45s",
		time.Minute:                     "1m",
		250 * time.Second:               "4m 10s",
		time.Hour:                       "1h",
		time.Hour + 59*time.Second:      "1h",
		192 * time.Minute:               "3h 12m",
		24 * time.Hour:                  "1d",
		52 * time.Hour:                  "2d 4h",
		1000*24*time.Hour + time.Minute: "1000d",
		time.Duration(1<<63 - 1):        "106751d 23h",
		time.Duration(-1 << 63):         "0s",
		59*time.Minute + 59*time.Second: "59m 59s",
		2*24*time.Hour + 59*time.Minute: "2d",
	} {
		if got := Age(d); got != want {
			t.Errorf("Age(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestWord(t *testing.T) {
	for text, want := range map[string]string{
		"https://poseidon.example.org:7200/a_b": "https://poseidon.example.org:7200/a_b",
		"":                                      "''",
		"/var/lib/my state":                     "'/var/lib/my state'",
		"http://[::1]:7200":                     "'http://[::1]:7200'",
		"$(reboot);it's":                        `'$(reboot);it'\''s'`,
	} {
		if got := Word(text); got != want {
			t.Errorf("%q as a word is %s, want %s", text, got, want)
		}
	}
}

func TestMoment(t *testing.T) {
	zone := time.FixedZone("", 3600)
	if got := Moment(time.Date(2026, 12, 1, 0, 58, 59, 0, zone)); got != "2026-11-30 23:58 UTC" {
		t.Error(got)
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain äöü 世界 🙂":           "plain äöü 世界 🙂",
		"a\nb\r\nc\td":             "a b c d",
		"  a   b  ":                "a b",
		"a|b=1":                    "a¦b=1",
		"<none> & <b>":             "‹none› & ‹b›",
		"\x1b[31mred\x1b[0m":       "�[31mred�[0m",
		"nul\x00bel\a":             "nul�bel�",
		"bad\xff\xfeutf8":          "bad��utf8",
		"line\u2028par\u2029x":     "line par x",
		"bidi\u202eevil\u2066":     "bidi�evil�",
		"zero\u200bwidth\ufeff":    "zero�width�",
		"next\u0085line\u00a0nbsp": "next line nbsp",
		"c1\u009b31m":              "c1�31m",
		"tag\U000e0041":            "tag�",
		"":                         "",
	} {
		if got := Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a|b\n<c>\xff\u202e", 5)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(limit%100, 1)
		clean := clip(text, limit)
		if !utf8.ValidString(clean) || utf8.RuneCountInString(clean) > limit || strings.ContainsAny(clean, "|<>\n") || Clean(clean) != clean {
			t.Errorf("clip(%q, %d) = %q", text, limit, clean)
		}
		for _, r := range clean {
			if !unicode.IsPrint(r) {
				t.Errorf("%q in clip(%q)", r, text)
			}
		}
	})
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		text  string
		limit int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"ab cd", 4, "ab…"}, {"äöüß", 3, "äö…"}, {strings.Repeat("世", 1000), 2, "世…"}, {strings.Repeat(" ", 1000) + "x", 3, "…"}} {
		if got := clip(test.text, test.limit); got != test.want {
			t.Errorf("clip(%.20q, %d) = %q, want %q", test.text, test.limit, got, test.want)
		}
	}
}
