// Package packaging holds what the Makefile makes of tags.
package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A build of a later commit must not count as a downgrade: what git calls 0.1.0-1-gHASH is a pre-release to package managers.
func TestVersionsAscend(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile") // read here, so that a change of it is no cached test
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Makefile"), makefile, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = dir
		command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost"}
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	commit := func(text string) string {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "file"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		run("git", "add", "file")
		run("git", "commit", "-q", "-m", text)
		return run("git", "rev-parse", "--short", "HEAD")
	}
	holds := func(want string) {
		t.Helper()
		if got := run("make", "-s", `--eval=version:;@echo '$(VERSION)'`, "version"); got != want {
			t.Errorf("version %q, want %q", got, want)
		}
	}

	run("git", "init", "-q")
	commit("none")
	holds("0.1.0-dev")
	run("git", "tag", "v0.1.0-rc1")
	holds("0.1.0-rc1")
	hash := commit("candidate")
	holds("0.1.0-rc1+1.g" + hash)
	run("git", "tag", "v0.1.0")
	holds("0.1.0")
	hash = commit("later")
	holds("0.1.0+1.g" + hash)
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds("0.1.0+1.g" + hash + ".dirty")
	run("git", "tag", "-f", "v0.1.1")
	holds("0.1.1+0.dirty")
}
