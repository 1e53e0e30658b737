package kube

import (
	"regexp"
	"sync"

	"overdue/internal/web"
)

// The values of these are replaced, also where the answer is cut off within one.
var (
	// lastApplied is where kubectl keeps the whole object that was applied, a pod's environment included.
	lastApplied = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)("kubectl\.kubernetes\.io\\?/last-applied-configuration"\s*:\s*)"(?:[^"\\]|\\.)*(?:"|\\?$)`)
	})
	// nameAndValue are a container's environment, and the headers of its probes.
	nameAndValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)(\{\s*"name"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"value"\s*:\s*)"(?:[^"\\]|\\.)*(?:"|\\?$)`)
	})
)

// Scrub takes out of a JSON answer what may be secret and is never judged, and whatever looks like a bearer token or the
// password in a URL. It is for recordings.
func Scrub(body []byte) []byte {
	body = nameAndValue().ReplaceAll(lastApplied().ReplaceAll(body, []byte(`$1"removed"`)), []byte(`$1"removed"`))
	return []byte(web.WithoutSecrets(string(body)))
}
