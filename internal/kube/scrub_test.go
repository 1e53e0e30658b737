package kube

import (
	"strings"
	"testing"
)

func TestScrub(t *testing.T) {
	for body, want := range map[string]string{
		`{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"env\":\"PASSWORD=x\\\\\"}\n","a":"b"}}`:            `{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"removed","a":"b"}}`,
		`{"annotations":{"kubectl.kubernetes.io/last-applied-configuration" : "", "a":"b"}}`:                                       `{"annotations":{"kubectl.kubernetes.io/last-applied-configuration" : "removed", "a":"b"}}`,
		`{"env":[{"name":"A","value":"x\"y"},{"name":"B","value":""},{"name":"C","valueFrom":{}}]}`:                                `{"env":[{"name":"A","value":"removed"},{"name":"B","value":"removed"},{"name":"C","valueFrom":{}}]}`,
		`{"containers":[{"command":["/x","--a=\"HUNTER2]"],"args":[ "--password=HUNTER2" , "]" ],"image":"i"}]}`:                   `{"containers":[{"command":["removed"],"args":["removed"],"image":"i"}]}`,
		`{"template":{"spec":{"initContainers":[{"command":[],"args":null,"livenessProbe":{"exec":{"command" : ["HUNTER2"]}}}]}}}`: `{"template":{"spec":{"initContainers":[{"command":["removed"],"args":null,"livenessProbe":{"exec":{"command" : ["removed"]}}}]}}}`,
		`{"labels":{"command":"run","args":"x"},"kernelArguments":["quiet"]}`:                                                      `{"labels":{"command":"run","args":"x"},"kernelArguments":["quiet"]}`,
		`{"flexVolume":{"driver":"d","options":{"password":"HUNTER2}\"","user" : "HUNTER2"},"readOnly":true}}`:                     `{"flexVolume":{"driver":"d","options":{"removed":""},"readOnly":true}}`,
		`{"flexVolume":{"options":{}}}`:                                           `{"flexVolume":{"options":{"removed":""}}}`,
		`{"options":{"password":"HUNTER2\`:                                        `{"options":{"removed":""}`,
		`{"options":{"a":"HUNTER2","HUNTER2`:                                      `{"options":{"removed":""}`,
		`{"options":{"a":"HUNTER2","b" :`:                                         `{"options":{"removed":""}`,
		`{"dnsConfig":{"options":[{"name":"ndots","value":"1"}]}}`:                `{"dnsConfig":{"options":[{"name":"ndots","value":"removed"}]}}`,
		`{"args":["--a","--password=HUNTER2\`:                                     `{"args":["removed"]`,
		`{"args":["--a", `:                                                        `{"args":["removed"]`,
		`{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]}`:              `{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]}`,
		`{"a":"last-applied"}`:                                                    `{"a":"last-applied"}`,
		`{"kubectl.kubernetes.io\/last-applied-configuration":"HUNTER2"}`:         `{"kubectl.kubernetes.io\/last-applied-configuration":"removed"}`,
		`{"kubectl.kubernetes.io/last-applied-configuration":"HUNTER2 and no end`: `{"kubectl.kubernetes.io/last-applied-configuration":"removed"`,
		`{"env":[{"name":"A","value":"HUNTER2\`:                                   `{"env":[{"name":"A","value":"removed"`,
		`400 Authorization:[Bearer HUNTER2] and https://me:HUNTER2@proxy/`:        `400 Authorization:[Bearer removed ] and https://me:removed proxy/`,
	} {
		if got := string(Scrub([]byte(body))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}

// What MachineConfigs hold is gone, and whether two of them hold the same can still be told.
func TestScrubOfMachineConfigs(t *testing.T) {
	scrub := func(secret string) string {
		return string(Scrub([]byte(`{"contents":{"compression":"","source":"data:,` + secret + `"},"containerFile":[{"containerfileArch":"NoArch","content":"FROM configs AS final\nRUN login --password ` + secret + `"}],"users":[{"passwordHash":"` + secret + `"}],"units":[{"contents":"[Unit]\n` + secret + `"}],"source":[{"name":"00-worker"}]}`)))
	}
	one, same, other := scrub("HUNTER2"), scrub("HUNTER2"), scrub("HUNTER3")
	if strings.Contains(one, "HUNTER") || strings.Contains(one, "[Unit]") || !strings.Contains(one, `"source":[{"name":"00-worker"}]`) {
		t.Error(one)
	}
	if one != same || one == other {
		t.Errorf("%s\n%s\n%s", one, same, other)
	}
	if cut := string(Scrub([]byte(`{"source":"data:,HUNTER2`))); strings.Contains(cut, "HUNTER2") {
		t.Error(cut)
	}
}

func TestCleanHidesSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"headers: Authorization: Bearer abc.def-1": "headers: Authorization: Bearer removed ",
		`{"proxy":"http://me:HUNTER2@[::1"}`:       `{"proxy":"http://me:removed [::1"}`,
		"https://api.example:6443/version":         "https://api.example:6443/version",
	} {
		if got := clean(text); got != want {
			t.Errorf("%s: got %q", text, got)
		}
	}
}
