package web

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"Authorization: Basic aWNpbmdhOng=":   "Authorization: Basic removed ",
		"X-Nomad-Token: c0ffee00-1111":        "X-Nomad-Token: removed ",
		`{"X-Nomad-Token":["c0ffee00-1111"]}`: `{"X-Nomad-Token":["removed "]}`,
		"a\r\n\tb  c":                         "a b c",
		"x\x1b[31m\u202ey\xff":                "x [31m y",
		strings.Repeat("ä", 400):              strings.Repeat("ä", 300) + "…",
		strings.Repeat("z", 1<<20) + "!":      strings.Repeat("z", 300) + "…",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%.20q) = %.40q, want %.40q", in, got, want)
		}
	}
}

func TestLimit(t *testing.T) {
	for size, want := range map[int]error{9: nil, 10: nil, 11: ErrTooLarge, 1000: ErrTooLarge} {
		data, err := io.ReadAll(Limit(io.NopCloser(strings.NewReader(strings.Repeat("x", size))), 10))
		if !errors.Is(err, want) || len(data) != min(size, 10) {
			t.Errorf("of %d bytes: %d, %v", size, len(data), err)
		}
	}
}
