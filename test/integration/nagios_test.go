//go:build integration && linux

package integration

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"overdue/test/realicinga"
)

// site is what a Nagios has of its own.
const site = `
define timeperiod {
  timeperiod_name 24x7
  alias always
  monday 00:00-24:00
}
define command {
  command_name noop
  command_line /bin/true
}
define contact {
  contact_name nobody
  host_notification_period 24x7
  service_notification_period 24x7
  host_notification_commands noop
  service_notification_commands noop
}
define host {
  name generic-host
  register 0
  check_command noop
  check_period 24x7
  notification_period 24x7
  contacts nobody
}
define service {
  name generic-service
  register 0
  check_period 24x7
  notification_period 24x7
  contacts nobody
}
`

func TestNagiosAcceptsTheFiles(t *testing.T) {
	nagios := realicinga.Find(t, "nagios4", "nagios4-core")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"site.cfg": site, "commands.cfg": shippedText(t, "nagios/commands.cfg"), "services.cfg": shippedText(t, "nagios/services.cfg"),
		"resource.cfg": "$USER1$=/usr/lib/nagios/plugins\n",
		"nagios.cfg": strings.NewReplacer("DIR", dir, "ME", me.Username).Replace(`log_file=DIR/nagios.log
cfg_file=DIR/site.cfg
cfg_file=DIR/commands.cfg
cfg_file=DIR/services.cfg
resource_file=DIR/resource.cfg
check_result_path=DIR
temp_path=DIR
lock_file=DIR/nagios.pid
nagios_user=ME
nagios_group=ME
illegal_macro_output_chars="'<>|&$~
`)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output, err := exec.Command(nagios, "-v", filepath.Join(dir, "nagios.cfg")).CombinedOutput()
	defined := func(kind string) string {
		return fmt.Sprintf("Checked %d %ss", strings.Count(shippedText(t, "nagios/services.cfg"), "\ndefine "+kind+" {"), kind)
	}
	for _, want := range []string{defined("service"), defined("host"), "Total Warnings: 0", "Total Errors:   0"} {
		if !strings.Contains(string(output), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if err != nil || t.Failed() {
		t.Errorf("%v\n%s", err, output)
	}
}

// The command lines in a shell, as Nagios runs them, with a host that leaves out what it need not say.
func TestNagiosCommandLines(t *testing.T) {
	l := startLearning(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(poseidonToken), 0o600); err != nil {
		t.Fatal(err)
	}
	macros := map[string]string{
		"USER1": plugins(t), "_SERVICEPOSEIDON_ENVIRONMENT": "29", "_HOSTPOSEIDON_ADDRESS": l.poseidon.URL(), "_HOSTPOSEIDON_TOKEN_FILE": token,
		"_HOSTNOMAD_ADDRESS": l.nomad.URL(), "ARG1": "50:", "ARG2": "25:",
		"SERVICESTATE": "CRITICAL", "SERVICESTATETYPE": "SOFT", "SERVICEATTEMPT": "5", "SERVICEDOWNTIME": "0", "HOSTDOWNTIME": "0",
	}
	definition := regexp.MustCompile(`command_name (\w+)\n  command_line (.*)`)
	macro := regexp.MustCompile(`\$(\w+)\$`)
	ran := 0
	for _, d := range definition.FindAllStringSubmatch(shippedText(t, "nagios/commands.cfg"), -1) {
		want := map[string]string{"check_prewarm_pool": "[OK] - " + idle4, "resync_prewarm_pool": "looks again until attempt 6"}[d[1]]
		if want == "" {
			continue
		}
		ran++
		line := macro.ReplaceAllStringFunc(d[2], func(m string) string { return macros[strings.Trim(m, "$")] })
		if output, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil || !strings.Contains(string(output), want) {
			t.Errorf("%s: %v, want %q\n%s", line, err, want, output)
		}
	}
	if ran != 2 {
		t.Errorf("%d commands ran", ran)
	}
}
