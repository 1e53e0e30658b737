package plugin

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Set by the linker; without it the build information of Go is used.
var (
	Version string // -X overdue/internal/plugin.Version=0.1.0
	Commit  string // -X overdue/internal/plugin.Commit=abc1234
)

// version is the version and the commit of this binary, as far as they are known.
func version() (number, commit string) {
	if number, commit = Version, Commit; number == "" || commit == "" {
		number, commit = built(number, commit)
	}
	if number == "" {
		number = "0.0.0-dev"
	}
	return strings.TrimPrefix(number, "v"), commit[:min(len(commit), 12)]
}

func built(number, commit string) (string, string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return number, commit
	}
	if number == "" && info.Main.Version != "(devel)" {
		number = info.Main.Version
	}
	for _, setting := range info.Settings {
		if commit == "" && setting.Key == "vcs.revision" {
			commit = setting.Value
		}
	}
	return number, commit
}

func versionLine(program string) string {
	number, commit := version()
	if commit == "" {
		commit = "unknown"
	}
	return fmt.Sprintf("%s %s (commit %s, %s)", program, number, commit, runtime.Version())
}
