//go:build package

// Package packages installs, upgrades, removes and purges the .deb on this machine, as root, and has the real Icinga check its
// configuration after each. It is meant for a machine that may be changed.
package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	plugins = "/usr/lib/nagios/plugins/"
	feature = "/etc/icinga2/features-available/overdue.conf"
	enabled = "/etc/icinga2/features-enabled/overdue.conf"
	state   = "/var/lib/overdue"
	first   = "0.0.1"
	second  = "0.0.2"
)

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = "../.."
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// build makes the package of a version and returns its file.
func build(t *testing.T, version string) string {
	t.Helper()
	run(t, "make", "-s", "all", "VERSION="+version)
	run(t, "packaging/build", version, "test", "deb")
	found, err := filepath.Glob("../../dist/*.deb")
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	kept := filepath.Join(t.TempDir(), filepath.Base(found[0]))
	if err := os.Rename(found[0], kept); err != nil {
		t.Fatal(err)
	}
	return kept
}

// accepts has Icinga check the machine's configuration, and says whether it knows our commands.
func accepts(t *testing.T) bool {
	t.Helper()
	out := run(t, "icinga2", "daemon", "-C")
	if !strings.Contains(out, "Finished validating") {
		t.Errorf("icinga2 daemon -C: %s", out)
	}
	return strings.Contains(run(t, "icinga2", "object", "list", "--type", "CheckCommand"), "Object 'nomad_evals'")
}

func owner(t *testing.T, path string) string {
	t.Helper()
	return strings.TrimSpace(run(t, "stat", "-c", "%U", path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestLifeOfThePackage(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can install packages: make package-test as root, on a machine that may be changed")
	}
	old, new := build(t, first), build(t, second)
	t.Cleanup(func() { _ = exec.Command("dpkg", "--purge", "overdue").Run() })

	run(t, "dpkg", "-i", old)
	commands, err := filepath.Glob("../../cmd/*")
	if err != nil || len(commands) == 0 {
		t.Fatal(commands, err)
	}
	for _, dir := range commands {
		name := filepath.Base(dir)
		out, _ := exec.Command(plugins+name, "-V").CombinedOutput() // exits 3, as the guidelines say
		if !strings.HasPrefix(string(out), name+" "+first+" (commit ") {
			t.Errorf("%s -V: %s", name, out)
		}
		if page := run(t, "man", "-P", "cat", name); !strings.Contains(page, "SYNOPSIS") || !strings.Contains(page, "--help") {
			t.Errorf("man %s: %.300s", name, page)
		}
	}
	for _, file := range []string{"LICENSE", "THIRD-PARTY-LICENSES", "README.md", "docs/icinga.md", "docs/check_mcp.md"} {
		if !exists("/usr/share/doc/overdue/" + file) {
			t.Errorf("no %s", file)
		}
	}
	if accepts(t) || exists(enabled) {
		t.Error("the configuration is active before anybody asked for it")
	}
	run(t, "icinga2", "feature", "enable", "overdue")
	if !accepts(t) {
		t.Error("the feature brings no commands")
	}

	if got, want := owner(t, state), owner(t, "/var/lib/icinga2"); got != want {
		t.Errorf("%s belongs to %s, Icinga runs as %s", state, got, want)
	}
	run(t, "chown", "daemon:", state)

	own := "// our own line\n"
	text, err := os.ReadFile(feature)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(feature, append(text, own...), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, "dpkg", "--force-confold", "-i", new)
	if out, _ := exec.Command(plugins+"check_mcp", "-V").CombinedOutput(); !strings.Contains(string(out), second) {
		t.Errorf("after the upgrade: %s", out)
	}
	if text, err := os.ReadFile(feature); err != nil || !strings.HasSuffix(string(text), own) {
		t.Errorf("the admin's change is lost: %s, %v", text, err)
	}
	if !accepts(t) {
		t.Error("the upgrade has disabled the feature")
	}
	if got := owner(t, state); got != "daemon" {
		t.Errorf("the upgrade has given %s to %s", state, got)
	}

	run(t, "dpkg", "-r", "overdue")
	if accepts(t) || exists(plugins+"check_mcp") || exists(enabled) || !exists(feature) {
		t.Error("not removed, or more than that")
	}
	run(t, "dpkg", "--purge", "overdue")
	if accepts(t) || exists(feature) || exists(state) || exists("/usr/share/overdue") {
		t.Error("something is left")
	}
}
