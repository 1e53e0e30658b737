package kube

import (
	"strings"
	"testing"
)

func TestScrub(t *testing.T) {
	const key = `"kubectl.kubernetes.io/last-applied-configuration"`
	for body, want := range map[string]string{
		`{"annotations":{"a":"b",` + key + `:"{\"env\":\"HUNTER2\\\\\"}\n"}}`:                     `{"annotations":{"a":"b",` + key + `:"removed"}}`,
		`{"annotations":{"a":"b","kubectl.kubernetes.io\/last-applied-configuration":"HUNTER2"}}`: `{"annotations":{"a":"b",` + key + `:"removed"}}`,
		`{"spec":{"containers":[{"env":[{"name":"A","value":"HUNTER2"}],"name":"c"}]}}`:           `{"spec":{"containers":[{"env":[],"name":"c"}]}}`,
		`{"a":"last-applied", "n": 1.50}`:                                                         `{"a":"last-applied", "n": 1.50}`,
		`{"a":{` + key + `:"HUNTER2 and no end`:                                                   `{"a":{"kubectl.kubernetes.io/removed`,
		`400 Authorization:[Bearer HUNTER2] and https://me:HUNTER2@proxy/`:                        `400 Authorization:[Bearer removed ] and https://me:removed proxy/`,
	} {
		if got := string(Scrub([]byte(body))); got != want || strings.Contains(got, "HUNTER2") {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}

func TestCleanHidesSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"headers: Authorization: Bearer abc.def-1": "headers: Authorization: Bearer removed",
		`{"proxy":"http://me:HUNTER2@[::1"}`:       `{"proxy":"http://me:removed [::1"}`,
		"https://api.example:6443/version":         "https://api.example:6443/version",
	} {
		if got := strings.TrimSpace(clean(text)); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
}
