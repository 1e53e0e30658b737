//go:build performance

package performance

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// get is a list, and what jq makes of it.
type get struct{ what, filter string }

// kubectl is what a user would write: `kubectl get WHAT -o json | jq FILTER`, for each of the lists.
func kubectl(t *testing.T, want string, memory int, lists ...get) contender {
	configs := map[endpoint]string{}
	var names []string
	for _, l := range lists {
		names = append(names, "get "+l.what)
	}
	return contender{kind: kindShell, name: "kubectl " + strings.Join(names, ", ") + " \\| jq", want: want, memory: memory, command: func(e endpoint) []string {
		if configs[e] == "" {
			configs[e] = e.kubeconfig(t)
		}
		var script []string
		for _, l := range lists {
			script = append(script, fmt.Sprintf(`kubectl --kubeconfig %s get %s -o json | jq -r '%s'`, configs[e], l.what, l.filter))
		}
		return shell(strings.Join(script, " && "))
	}}
}

// curl is the same for an API without a client of its own.
func curl(path, filter, want string, memory int) contender {
	return contender{kind: kindShell, name: "curl \\| jq", want: want, memory: memory, command: func(e endpoint) []string {
		return shell(fmt.Sprintf(`curl -sS --fail --cacert %s -H "Authorization: Bearer $(cat %s)" '%s%s' | jq -r '%s'`, e.authority, e.token, e.url, path, filter))
	}}
}

func shell(script string) []string { return []string{"/bin/sh", "-c", script} }

// python is the same with nothing but Python's own library. get(path) is a decoded answer.
func python(expression, want string, memory int) contender {
	const script = `
import json, ssl, sys, urllib.request
base, ca, token = sys.argv[1:]
def get(path):
    request = urllib.request.Request(base + path, headers={"Authorization": "Bearer " + open(token).read().strip()})
    return json.load(urllib.request.urlopen(request, context=ssl.create_default_context(cafile=ca)))
print(`
	return contender{kind: kindPython, name: "python3, urllib and json", want: want, memory: memory, command: func(e endpoint) []string {
		return []string{"/usr/bin/env", "python3", "-c", script + expression + ")", e.url, e.authority, e.token}
	}}
}

// impossible says why a command cannot be measured here.
func (c contender) impossible() string {
	needed := map[int][]string{kindShell: {strings.Fields(c.name)[0], "jq"}, kindPython: {"python3"}}
	for _, program := range needed[c.kind] {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not installed"
		}
	}
	if free := freeGiB(); free < c.memory {
		return fmt.Sprintf("%d GiB free, it needs %d", free, c.memory)
	}
	return ""
}

func freeGiB() (free int) {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &free); n == 1 {
			return free >> 20
		}
	}
	return 0
}
