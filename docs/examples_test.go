// Package docs holds what the pages show to what the programs print.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shown is output of a check on a page, to its end or to where it is cut off: the performance data, or the next prompt.
var shown = regexp.MustCompile(`(?m)^    \[(?:OK|WARNING|CRITICAL|UNKNOWN)\] - .*\n(?:    [^\[|$\n].*\n)*`)

// Output on a page is golden output, folded at will, with … for what is left out. That of resync_prewarm_pool is not among it: it holds
// times of day.
func TestPagesShowGoldenOutput(t *testing.T) {
	golden := read(t, "../cmd/*/testdata/*.txtar")
	pages := read(t, "*.md")
	for name, text := range read(t, "../*.md") {
		pages[name] = text
	}
	for page, text := range pages {
		examples := shown.FindAllString(text, -1)
		if len(examples) == 0 && strings.HasPrefix(page, "check_") {
			t.Errorf("%s shows no output", page)
		}
		for _, example := range examples {
			like := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(fold(example)), "…", ".*"))
			found := false
			for _, output := range golden {
				found = found || like.MatchString(fold(output))
			}
			if !found {
				t.Errorf("%s: no golden output is\n%s", page, example)
			}
		}
	}
}

func fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// read returns the files of a pattern by their path.
func read(t *testing.T, pattern string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, files, err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	return texts
}
