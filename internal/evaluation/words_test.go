package evaluation

import "testing"

func TestParent(t *testing.T) {
	for job, want := range map[string]string{
		"web": "web", "a/b": "a/b", "ci/dispatch-1796090259-5d561159": "ci", "team/ci/dispatch-1796090259-5d561159": "team/ci",
		"ci/dispatch-of-anna-1796090259-5d561159": "ci", "cron/periodic-1796088840": "cron",
		"ci/dispatch-": "ci/dispatch-", "ci/dispatch-x": "ci/dispatch-x", "cron/periodic-daily": "cron/periodic-daily", "": "",
		"/dispatch-1-a": "/dispatch-1-a", "a/dispatch--1-a": "a/dispatch--1-a", "a/dispatch-of/b-1-a": "a", "a/dispatch-1-a/periodic-2": "a/dispatch-1-a",
		"a/dispatch-1-g": "a/dispatch-1-g", "a/dispatch-x1-a": "a/dispatch-x1-a", "a/dispatch-1-": "a/dispatch-1-", "a/periodic-": "a/periodic-", "a/dispatch-1": "a/dispatch-1",
	} {
		if got := id(job).parent(); got != id(want) {
			t.Errorf("%s is of %s, want %s", job, got.Job, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{"a/b-1.2_c": "a/b-1.2_c", "": "''", "-rf": "'-rf'", "a b": "'a b'", "$(x)": "'$(x)'", "it's": `'it'\''s'`, "é": "'é'",
		"a|b": `$'a\x7cb'`, "<b>\n": `$'\x3cb\x3e\x0a'`, "a'\\\x1b": `$'a\'\\\x1b'`, "a\u202eb": `$'a\U0000202eb'`, "a\xff": `$'a\xff'`, "a  b": `$'a\x20\x20b'`} {
		if got := quote(name); got != want {
			t.Errorf("%s is quoted as %s, want %s", name, got, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, r := range []struct {
		pattern, name string
		want          bool
	}{
		{"ci", "ci", true}, {"ci*", "ci/dispatch-1", true}, {"*", "a/b/c", true}, {"c?", "ci", true}, {"ci", "ci2", false}, {"a/*", "ab/c", false}, {"a?b", "a/b", true}, {"[ab]x", "bx", true},
	} {
		if glob(r.pattern, r.name) != r.want {
			t.Errorf("%s of %s: %v", r.pattern, r.name, !r.want)
		}
	}
}
