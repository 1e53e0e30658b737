//go:build integration && linux

package integration

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overdue/test/realicinga"
)

// The basket in the real Director, and what that renders in the real Icinga: every option is there, and so is the guard.
func TestDirectorRendersTheBasket(t *testing.T) {
	realicinga.Find(t, "icingacli", "icingacli icingaweb2-module-director php-pgsql php-intl php-curl postgresql")
	dir, err := os.MkdirTemp("", "director-") // its path must be short, and PostgreSQL's user must get there
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	basket, err := filepath.Abs(shipped + "director/basket.json")
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("director.sh")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	command := exec.CommandContext(t.Context(), script, dir, basket)
	command.Stderr = &said
	rendered, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}

	option := regexp.MustCompile(`"--[a-z-]+" = \{`)
	want, got := option.FindAllString(shippedText(t, "commands.conf"), -1), option.FindAllString(string(rendered), -1)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) || len(got) == 0 {
		t.Errorf("%d options in commands.conf, %d rendered", len(want), len(got))
	}
	guard := regexp.MustCompile(`set_if = \{\{(.*)\}\}`).FindStringSubmatch(shippedText(t, "commands.conf"))
	if guard == nil || !strings.Contains(string(rendered), strings.TrimSpace(guard[1])) {
		t.Errorf("the handler's guard %q is not rendered", guard)
	}

	n := realicinga.NewNode(t, realicinga.NewAuthority(t), "localhost", "", plugins(t))
	realicinga.Cluster(t, n)
	n.Write(t, "features/director.conf", string(rendered))
	n.Write(t, "zones.d/localhost/hosts.conf", `object Host "learn" { check_command = "dummy" }
object Service "pool 29" {
  import "overdue-prewarm-pool"
  host_name = "learn"
  vars.prewarm_pool_environment = [ "29" ]
}
`)
	if output, valid := n.Validate(t); !valid || !strings.Contains(output, "Instantiated 1 Service.") {
		t.Errorf("Icinga refuses it:\n%s", output)
	}
}
