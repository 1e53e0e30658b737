// Package commandtest runs the scripts that tell what a command prints, and with which exit code.
package commandtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Main makes a command's main function a command of its scripts. TestMain calls it.
func Main(m *testing.M, name string, main func()) {
	testscript.Main(m, map[string]func(){name: main})
}

// Run runs the scripts in testdata. $RECORDINGS is the folder of what real servers answered, and `exits CODE COMMAND…` runs
// a command that has to end with that code. With UPDATE_SCRIPTS set, golden output is written anew. extend
// adds what one command's scripts need besides.
func Run(t *testing.T, extend ...func(*testscript.Params)) {
	recordings, err := filepath.Abs("../../demo/recordings")
	if err != nil {
		t.Fatal(err)
	}
	params := testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("RECORDINGS", recordings)
			return nil
		},
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	}
	for _, with := range extend {
		with(&params)
	}
	testscript.Run(t, params)
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if args[0] != strconv.Itoa(code) {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}
