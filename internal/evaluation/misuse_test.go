package evaluation

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is wrong in the options or the environment is UNKNOWN whatever --unreachable says, and the source is named.
func TestMisuse(t *testing.T) {
	s := start(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	at := []string{"--address", s.URL()}
	for name, r := range map[string]struct {
		args, env []string
		says      string
	}{
		"an empty address":          {[]string{"--address", ""}, nil, "--address is empty"},
		"nonsense for an address":   {[]string{"--address", "nonsense"}, nil, "an address in --address is not a URL"},
		"nonsense in NOMAD_ADDR":    {nil, []string{"NOMAD_ADDR=nonsense"}, "an address in NOMAD_ADDR is not a URL"},
		"no token file":             {append(at, "--token-file", missing), nil, "--token-file: cannot read " + missing + ": no such file"},
		"a directory":               {append(at, "--token-file", dir), nil, "--token-file: cannot read " + dir + ": it is not a regular file"},
		"a device":                  {append(at, "--token-file", "/dev/zero"), nil, "cannot read /dev/zero: it is not a regular file"},
		"a pipe that nobody writes": {append(at, "--token-file", pipe), nil, "cannot read " + pipe + ": it is not a regular file"},
		"a pipe for an authority":   {at, []string{"NOMAD_CACERT=" + pipe}, "NOMAD_CACERT: cannot read " + pipe + ": it is not a regular file"},
		"a certificate, no key":     {append(at, "--client-cert", missing), nil, "needs its key"},
		"a key that is missing":     {append(at, "--client-cert", "misuse_test.go", "--client-key", missing), nil, "--client-cert: cannot read " + missing},
		"an unknown region":         {at, []string{"NOMAD_REGION=nope"}, "no server knows the region nope"},
		"NOMAD_SKIP_VERIFY=maybe":   {at, []string{"NOMAD_SKIP_VERIFY=maybe"}, "NOMAD_SKIP_VERIFY is neither true nor false"},
	} {
		for _, unreachable := range []string{"warning", "critical"} {
			out, code := runWith(t, s, r.env, append(r.args, "--unreachable", unreachable)...)
			if code != 3 || !strings.Contains(first(out), r.says) {
				t.Errorf("%s: exit %d: %s", name, code, out)
			}
		}
	}
}
