package kube

import "regexp"

var (
	// lastApplied is where kubectl keeps the whole object that was applied, a pod's environment included.
	lastApplied = regexp.MustCompile(`("kubectl\.kubernetes\.io/last-applied-configuration"\s*:\s*)"(?:[^"\\]|\\.)*"`)
	// nameAndValue are a container's environment, and the headers of its probes.
	nameAndValue = regexp.MustCompile(`(\{\s*"name"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"value"\s*:\s*)"(?:[^"\\]|\\.)*"`)
)

// Scrub takes out of a JSON answer what may be secret and is never judged. It is for recordings.
func Scrub(body []byte) []byte {
	return nameAndValue.ReplaceAll(lastApplied.ReplaceAll(body, []byte(`$1"removed"`)), []byte(`$1"removed"`))
}
