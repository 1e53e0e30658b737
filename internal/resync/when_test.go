package resync

import (
	"testing"
)

func TestWhen(t *testing.T) {
	for text, want := range map[string]When{
		"soft:6,hard":   {Soft: 6, Hard: true},
		"hard":          {Hard: true},
		"soft":          {Soft: 1},
		"HARD, Soft:2":  {Soft: 2, Hard: true},
		"soft:6":        {Soft: 6},
		"soft:0":        {},
		"soft:-1":       {},
		"soft:":         {},
		"soft:6.0":      {},
		"hard:2":        {},
		"hard,hard":     {},
		"soft:1,soft:2": {},
		"":              {},
		"ok":            {},
		"soft:6;hard":   {},
	} {
		var got When
		err := got.Set(text)
		if (err == nil) != (want != When{}) || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func FuzzWhen(f *testing.F) {
	f.Add("soft:6,hard")
	f.Add("hard, soft")
	f.Fuzz(func(t *testing.T, text string) {
		var w, again When
		if w.Set(text) != nil {
			if w != (When{}) {
				t.Errorf("%q: refused, and yet %+v", text, w)
			}
			return
		}
		if w == (When{}) || w.Soft < 0 {
			t.Errorf("%q: %+v", text, w)
		}
		if err := again.Set(w.String()); err != nil || again != w {
			t.Errorf("%q: %+v is told as %q, which is %+v, %v", text, w, &w, again, err)
		}
	})
}
