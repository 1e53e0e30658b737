package plugin

import (
	"bytes"
	"io"
	"os"
	"testing"
)

func TestColoured(t *testing.T) {
	got := coloured("[CRITICAL] - pool [OK]: x\n\\_ [WARNING] y [CRITICAL]\n    [OK] z\n|a=1\n")
	if want := "[\x1b[31mCRITICAL\x1b[0m] - pool [OK]: x\n\\_ [\x1b[33mWARNING\x1b[0m] y [CRITICAL]\n    [OK] z\n|a=1\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Colour is for a terminal alone. A character device stands in for one.
func TestAtTerminal(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	read, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer pipe.Close()
	for name, c := range map[string]struct {
		out  io.Writer
		env  []string
		want bool
	}{
		"terminal":              {device, []string{"TERM=xterm"}, true},
		"pipe":                  {pipe, []string{"TERM=xterm"}, false},
		"no file":               {new(bytes.Buffer), []string{"TERM=xterm"}, false},
		"dumb terminal":         {device, []string{"TERM=dumb"}, false},
		"no TERM":               {device, nil, false},
		"NO_COLOR":              {device, []string{"TERM=xterm", "NO_COLOR=1"}, false},
		"empty counts as unset": {device, []string{"TERM=xterm", "NO_COLOR="}, true},
	} {
		if got := atTerminal(c.out, c.env); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The second column begins at one place, whatever letters the first has.
func TestTable(t *testing.T) {
	f := Finding{State: Warning, Subject: "a", Problem: "b", Details: []string{"detail"}, Table: [][2]string{{"é", "one"}, {"long|er", "two\n<x>"}, {"alone", ""}}}
	got := found(told{findings: []Finding{f}}).print(0, nil)
	if want := "[WARNING] - a: b\n    detail\n    é        one\n    long¦er  two ‹x›\n    alone\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var many []Finding
	for range 30 {
		many = append(many, f)
	}
	if got := found(told{findings: many}).print(0, nil); !bytes.HasSuffix([]byte(got), []byte("... 130 more lines, -v shows all\n")) {
		t.Errorf("got\n%s", got)
	}
}
