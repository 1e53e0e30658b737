package kube

import (
	"bytes"
	"encoding/json"
	"overdue/internal/web"
	"regexp"
	"sync"
)

// lastApplied is where kubectl keeps the whole object that was applied, a pod's environment included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

const scrubbed = "removed"

// Scrub takes out of an answer what may be secret: applied configurations, containers' environments, and whatever looks like a
// bearer token or a password in a URL. It is for recordings.
func Scrub(body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err == nil && !decoder.More() {
		if hide(value) {
			if text, err := json.Marshal(value); err == nil {
				body = text
			}
		}
	} else {
		body = cutOff().ReplaceAll(body, []byte(scrubbed))
	}
	return []byte(web.WithoutSecrets(string(body)))
}

// cutOff finds what may hold an applied configuration in a body that is no good JSON: from there on nothing is to be trusted.
var cutOff = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)(?:last-applied-configuration|"env"\s*:).*`) })

// hide replaces the secrets in a decoded value and says whether there were any.
func hide(value any) (changed bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			changed = hide(item) || changed
		}
	case map[string]any:
		for key, item := range v {
			switch {
			case key == lastApplied && item != scrubbed, key == "env":
				v[key], changed = scrubbed, true
				if key == "env" {
					v[key] = []any{}
				}
			default:
				changed = hide(item) || changed
			}
		}
	}
	return changed
}
