package kube

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
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
	// commandLine is a container's command or args, and the command of a probe or hook.
	commandLine = sync.OnceValue(func() *regexp.Regexp {
		const text = `"(?:[^"\\]|\\.)*`
		return regexp.MustCompile(`(?s)("(?:command|args)"\s*:\s*)\[\s*(?:` + text + `"\s*,?\s*)*(?:\]|(?:` + text + `\\?)?$)`)
	})
	// nameAndValue are a container's environment, and the headers of its probes.
	nameAndValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?s)(\{\s*"name"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"value"\s*:\s*)"(?:[^"\\]|\\.)*(?:"|\\?$)`)
	})
)

// volumeOptions are what a pod or a volume tells the driver of a flexVolume.
var volumeOptions = sync.OnceValue(func() *regexp.Regexp {
	const text = `"(?:[^"\\]|\\.)*`
	return regexp.MustCompile(`(?s)("options"\s*:\s*)\{\s*(?:` + text + `"\s*:\s*` + text + `"\s*,?\s*)*(?:\}|(?:` + text + `\\?)?(?:"\s*:?\s*)?(?:` + text + `\\?)?$)`)
})

// contents are those of files and units in a MachineConfig, of password hashes, and of a MachineOSConfig's Containerfile.
var contents = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)("(?:source|contents?|passwordHash)"\s*:\s*)"((?:[^"\\]|\\.)*)(?:"|\\?$)`)
})

// digestKey is new in each run, so that nobody can guess contents from their digests. Within a recording equal contents stay equal.
var digestKey = sync.OnceValue(func() []byte { return []byte(rand.Text()) })

func digested(field []byte) []byte {
	parts := contents().FindSubmatch(field)
	digest := hmac.New(sha256.New, digestKey())
	digest.Write(parts[2])
	return fmt.Appendf(nil, `%s"removed %x"`, parts[1], digest.Sum(nil)[:8])
}

// Scrub takes out of a JSON answer what may be secret and is never judged, and whatever looks like a bearer token or the
// password in a URL. It is for recordings.
func Scrub(body []byte) []byte {
	body = nameAndValue().ReplaceAll(lastApplied().ReplaceAll(body, []byte(`$1"removed"`)), []byte(`$1"removed"`))
	body = commandLine().ReplaceAll(body, []byte(`$1["removed"]`))
	body = volumeOptions().ReplaceAll(body, []byte(`$1{"removed":""}`))
	body = contents().ReplaceAllFunc(body, digested)
	return []byte(web.WithoutSecrets(string(body)))
}
