package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Graphite's render API.
var urlparams = []string{"title", "vtitle", "min", "max", "lineWidth", "yUnitSystem", "areaMode", "areaAlpha"}

var (
	section  = regexp.MustCompile(`^\[([a-z_-]+)\.(graph|metrics_filters|urlparams|functions)\]$`)
	keyValue = regexp.MustCompile(`^(\w+) = "([^"]*)"$`)
	filter   = regexp.MustCompile(`^\$service_name_template\$\.perfdata\.([a-z_$]+)\.(value|warn|crit)$`)
	point    = regexp.MustCompile(`(\w+)=[^;\s]*;([^;\s]*);([^;\s]*);`)
	macro    = regexp.MustCompile(`\$\w+\$`)
)

// ini is a shipped file, as text: what wrote it is not asked. Template, section, key, value.
func ini(t *testing.T, name string) map[string]map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]map[string]string{}
	var here map[string]string
	for _, line := range strings.Split(read(t, name), "\n") {
		if head := section.FindStringSubmatch(line); head != nil {
			if all[head[1]] == nil {
				all[head[1]] = map[string]map[string]string{}
			}
			here = map[string]string{}
			all[head[1]][head[2]] = here
		} else if pair := keyValue.FindStringSubmatch(line); pair != nil {
			here[pair[1]] = pair[2]
		} else if line != "" && !strings.HasPrefix(line, ";") {
			t.Errorf("%s: the module does not know %q", name, line)
		}
	}
	return all
}

// printed are the labels that a program really prints, from the golden output of its command, and whether they have thresholds.
func printed(t *testing.T, program string) map[string]bool {
	t.Helper()
	labels := map[string]bool{}
	scripts, err := filepath.Glob("../../cmd/" + program + "/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts {
		if filepath.Base(script) == "before.txtar" { // --before-change is asked by hand
			continue
		}
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "|") {
				for _, p := range point.FindAllStringSubmatch(line, -1) {
					labels[p[1]] = labels[p[1]] || p[2] != "" || p[3] != ""
				}
			}
		}
	}
	if len(labels) == 0 {
		t.Fatalf("%s prints no performance data", program)
	}
	return labels
}

// Every label is in one chart of its check, with its thresholds if it has any; every curve has a label.
func TestChartsShowWhatIsPrinted(t *testing.T) {
	for _, c := range commands() {
		if c.event {
			continue
		}
		labels := printed(t, c.program)
		charts := map[string][]string{}
		for name, sections := range ini(t, "graphite/"+c.name+".ini") {
			if got := sections["graph"]; len(got) != 1 || got["check_command"] != c.name {
				t.Errorf("%s: [graph] is %v", name, got)
			}
			for key := range sections["urlparams"] {
				if !slices.Contains(urlparams, key) {
					t.Errorf("%s: Graphite does not know %s", name, key)
				}
			}
			for key := range sections["functions"] {
				if sections["metrics_filters"][key] == "" {
					t.Errorf("%s: a function for %s, which is no curve", name, key)
				}
			}
			for key, path := range sections["metrics_filters"] {
				parts := filter.FindStringSubmatch(path)
				if parts == nil || sections["functions"][key] == "" {
					t.Errorf("%s: %s = %q with the function %q", name, key, path, sections["functions"][key])
					continue
				}
				pattern := regexp.MustCompile("^" + strings.Join(macro.Split(parts[1], -1), `\w+`) + "$")
				found := false
				for label, limited := range labels {
					if pattern.MatchString(label) {
						found = true
						charts[label] = append(charts[label], name+" "+parts[2])
						if limited && (sections["metrics_filters"]["warn"] == "" || sections["metrics_filters"]["crit"] == "") {
							t.Errorf("%s shows %s without its thresholds", name, label)
						}
					}
				}
				if !found {
					t.Errorf("%s: nothing is printed that %s = %q shows", name, key, path)
				}
			}
		}
		for label := range labels {
			values := slices.DeleteFunc(slices.Clone(charts[label]), func(chart string) bool { return !strings.HasSuffix(chart, " value") })
			if len(values) != 1 {
				t.Errorf("%s: %s is in the charts %q", c.program, label, values)
			}
		}
	}
}
