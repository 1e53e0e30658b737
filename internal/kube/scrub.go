package kube

import (
	"regexp"
	"sync"
)

// lastApplied is where kubectl keeps the whole object that was applied, a pod's environment included.
var lastApplied = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`("kubectl\.kubernetes\.io/last-applied-configuration"\s*:\s*)"(?:[^"\\]|\\.)*"`)
})

// Scrub takes out of a JSON answer what may be secret although only metadata was asked for. It is for recordings.
func Scrub(body []byte) []byte { return lastApplied().ReplaceAll(body, []byte(`$1"removed"`)) }
