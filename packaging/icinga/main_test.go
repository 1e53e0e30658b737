package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"overdue/internal/plugin"
	"overdue/internal/resync"
	"overdue/packaging/programs"
)

const shipped = "../../icinga"

func TestUpToDate(t *testing.T) {
	for name, want := range files() {
		if got := read(t, name); got != want {
			t.Errorf("icinga/%s is not what the programs' options make of it: run `make wiring`, and read the difference", name)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shipped, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	objects   = regexp.MustCompile(`(?m)^object (\w+) "(\w+)" \{\n([\s\S]*?)^\}`)
	arguments = regexp.MustCompile(`(?m)^    "--([a-z-]+)" = \{\n([\s\S]*?)^    \}`)
	attribute = regexp.MustCompile(`(?m)^      (\w+) = (.*)$`)
)

// shippedArguments are the arguments of each command in the shipped file, read as text: what wrote them is not asked.
func shippedArguments(t *testing.T) map[string]map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]map[string]string{}
	for _, object := range objects.FindAllStringSubmatch(read(t, "commands.conf"), -1) {
		all[object[2]] = map[string]map[string]string{}
		for _, argument := range arguments.FindAllStringSubmatch(object[3], -1) {
			attributes := map[string]string{}
			for _, a := range attribute.FindAllStringSubmatch(argument[2], -1) {
				attributes[a[1]] = a[2]
			}
			all[object[2]][argument[1]] = attributes
		}
	}
	return all
}

// Files of Icinga's peers pass options that their programs lost long ago (facts, section 5).
func TestEveryOptionBothWays(t *testing.T) {
	all := shippedArguments(t)
	if len(all) != len(programs.All) {
		t.Errorf("%d commands are shipped for %d programs", len(all), len(programs.All))
	}
	for _, program := range programs.All {
		name, flags := strings.TrimPrefix(program.Name, "check_"), program.Flags()
		for option, has := range all[name] {
			flag := flags.Lookup(option)
			if flag == nil {
				t.Errorf("%s: --%s is no option of %s", name, option, program.Name)
				continue
			}
			_, list := flag.Value.(pflag.SliceValue)
			switch isSwitch := flag.NoOptDefVal != ""; {
			case has["description"] == "" || has["description"] == `""`:
				t.Errorf("%s: --%s has no description", name, option)
			case isSwitch != (has["set_if"] != ""), isSwitch == (has["value"] != ""):
				t.Errorf("%s: --%s: a switch takes set_if and no value, anything else the reverse: %v", name, option, has)
			case (list || strings.Contains(flag.Usage, "repeatable")) != (has["repeat_key"] == "true"):
				t.Errorf("%s: --%s: repeat_key is %q", name, option, has["repeat_key"])
			}
		}
		flags.VisitAll(func(flag *pflag.Flag) {
			if _, wired := all[name][flag.Name]; wired == (unwired[flag.Name] != "") {
				t.Errorf("%s: --%s: wired is %v", name, flag.Name, wired)
			}
		})
	}
}

// The name of an option's value stands in the sentence of its help. At the end it is a leftover: "…, intel or gaudi; NAME".
func TestValueNamesAreInTheSentence(t *testing.T) {
	leftover := regexp.MustCompile("[;,.:] `[A-Z_]+`$")
	for _, program := range programs.All {
		program.Flags().VisitAll(func(flag *pflag.Flag) {
			if leftover.MatchString(flag.Usage) {
				t.Errorf("%s: --%s: %s", program.Name, flag.Name, flag.Usage)
			}
		})
	}
}

// What is on a command line can be read in ps, in the API and in Icinga Web.
func TestNoSecretOnACommandLine(t *testing.T) {
	secret := regexp.MustCompile(`token|password|secret|auth`)
	for name, options := range shippedArguments(t) {
		for option := range options {
			if secret.MatchString(option) && !strings.HasSuffix(option, "-file") {
				t.Errorf("%s: --%s", name, option)
			}
		}
	}
}

// A program's deadline, then the command's timeout, then the interval; only so the program can say what it waited for.
func TestTimesAreInOrder(t *testing.T) {
	timeouts := map[string]time.Duration{}
	for i, c := range commands() {
		var deadline plugin.Duration
		if err := deadline.Set(programs.All[i].Flags().Lookup("timeout").DefValue); err != nil {
			t.Fatal(err)
		}
		if time.Duration(deadline) >= c.timeout {
			t.Errorf("%s: deadline %v, timeout %v", c.name, deadline, c.timeout)
		}
		timeouts[c.name] = c.timeout
	}
	for _, template := range templates {
		if timeout := timeouts[template.check]; timeout == 0 || timeout >= min(template.interval, retry) {
			t.Errorf("%s: timeout %v, intervals %v and %v", template.name, timeout, template.interval, retry)
		}
	}
}

// The thresholds that the incidents' operators asked for, where Icinga applies them.
func TestIncidentsThresholds(t *testing.T) {
	text := read(t, "commands.conf")
	for _, want := range []string{
		`vars.mcp_critical = "30m"`, `vars.nomad_evals_critical = "10m"`, `vars.nomad_evals_alloc_critical = "10m"`, `vars.prewarm_pool_warning = "50:"`,
	} {
		if !strings.Contains(text, "\n  "+want+"\n") {
			t.Errorf("commands.conf does not say %s", want)
		}
	}
}

// A template that no rule imports makes no service, and one that the page does not tell of is not found.
func TestTemplatesAreAppliedAndTold(t *testing.T) {
	rules, page := read(t, "apply.conf"), read(t, "../docs/icinga.md")
	for _, template := range templates {
		if !strings.Contains(rules, "  import "+quote(template.name)+"\n") {
			t.Errorf("apply.conf does not import %s", template.name)
		}
		read(t, "../docs/"+template.page)
	}
	services := regexp.MustCompile(`(?m)^apply Service "([^"]+)"`).FindAllStringSubmatch(rules, -1)
	for _, service := range services {
		if !strings.Contains(page, "\n| `"+service[1]) {
			t.Errorf("docs/icinga.md tells no thresholds of %q", service[1])
		}
	}
	if len(services) == 0 {
		t.Error("apply.conf has no rules")
	}
}

// The page shows the guard that is shipped.
func TestPageShowsTheGuard(t *testing.T) {
	if !strings.Contains(read(t, "../docs/resync_prewarm_pool.md"), "{{ "+elsewhere+" }}") {
		t.Errorf("not on the page: %s", elsewhere)
	}
}

// The handler belongs to the pools, and looks again for five minutes before it acts.
func TestHandler(t *testing.T) {
	var on resync.When
	if err := on.Set(resync.Program.Flags().Lookup("on").DefValue); err != nil {
		t.Fatal(err)
	}
	for _, template := range templates {
		if (template.handler != "") != (template.name == "overdue-prewarm-pool") {
			t.Errorf("%s has the handler %q", template.name, template.handler)
		}
		if template.handler != "" && (time.Duration(on.Soft-1)*retry != 5*time.Minute || template.attempts <= on.Soft+1) {
			t.Errorf("%s: the handler acts from attempt %d on, a minute each, and HARD is at %d: a refusal needs another chance", template.name, on.Soft, template.attempts)
		}
	}
}

func TestNagios(t *testing.T) {
	byName := map[string]plugin.Program{}
	for _, program := range programs.All {
		byName[program.Name] = program
	}
	for _, c := range nagios {
		program, known := byName[c.name]
		if !known {
			t.Errorf("%s is no program", c.name)
			continue
		}
		for _, s := range c.options {
			if program.Flags().Lookup(s.option) == nil && !strings.HasPrefix(s.option, "nomad-") {
				t.Errorf("--%s is no option of %s", s.option, c.name)
			}
		}
	}
	if naked := regexp.MustCompile(`[^']\$[A-Z_0-9]+\$|\$[A-Z_0-9]+\$[^']`).FindAllString(strings.ReplaceAll(read(t, "nagios/commands.cfg"), "$USER1$/", ""), -1); naked != nil {
		t.Errorf("the shell reads what is not in quotes: %q", naked)
	}
}

// The Director refuses fields whose data field is not in the basket.
func TestBasketIsWhole(t *testing.T) {
	var basket struct {
		Command map[string]struct {
			Fields []struct {
				ID json.Number `json:"datafield_id"`
			}
		}
		Datafield map[string]struct{ Varname string }
	}
	if err := json.Unmarshal([]byte(read(t, "director/basket.json")), &basket); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for id, field := range basket.Datafield {
		if names[field.Varname] || field.Varname == "" {
			t.Errorf("data field %s: %q", id, field.Varname)
		}
		names[field.Varname] = true
	}
	for name, command := range basket.Command {
		for _, field := range command.Fields {
			if basket.Datafield[field.ID.String()].Varname == "" {
				t.Errorf("%s has a field %s that is not there", name, field.ID)
			}
		}
	}
	for _, variable := range regexp.MustCompile(`\$(\w+)\$`).FindAllStringSubmatch(read(t, "commands.conf"), -1) {
		if !names[variable[1]] {
			t.Errorf("no data field for %s", variable[1])
		}
	}
}
