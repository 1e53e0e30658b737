package programs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overdue/internal/plugin"
)

const root = "../../"

// places are where each program of cmd/ has to be told of, and the expression that finds it there. NAME is the program, SHORT its command in Icinga.
var places = []struct{ files, says string }{
	{"docs/NAME.md", `^# NAME\n`},
	{"README.md", "\\| `NAME` \\|"},
	{"CHANGELOG.md", "`NAME`"},
	{"cmd/NAME/testdata/*.txtar", `\bNAME\b`},
	{"demo/*.go", `"NAME"`},
	{"test/faults/*_test.go", `\{"NAME", "`},
	{"icinga/commands.conf", `PluginDir \+ "/NAME"`},
	{"icinga/templates.conf", `_command = "SHORT"`},
	{"icinga/nagios/commands.cfg", `\$USER1\$/NAME `},
	{"icinga/nagios/services.cfg", ` NAME\b`},
}

// What is in cmd/ and not told of elsewhere would be neither wired, nor tested against faults, nor found.
func TestEveryProgramIsToldOf(t *testing.T) {
	folders, err := filepath.Glob(root + "cmd/*")
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		if !slices.ContainsFunc(All, func(p plugin.Program) bool { return p.Name == name }) {
			t.Errorf("%s is not in packaging/programs", name)
		}
		fill := strings.NewReplacer("NAME", name, "SHORT", strings.TrimPrefix(name, "check_"))
		for _, place := range places {
			if files, says := fill.Replace(place.files), fill.Replace(place.says); !regexp.MustCompile(says).MatchString(text(t, files)) {
				t.Errorf("%s: nothing in %s matches %s", name, files, says)
			}
		}
	}
	if len(All) != len(folders) {
		t.Errorf("%d programs, %d folders in cmd/", len(All), len(folders))
	}
}

// text is all that is in the files of a pattern.
func text(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(root + pattern)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}
