package kube

import "testing"

func TestScrub(t *testing.T) {
	for body, want := range map[string]string{
		`{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"env\":\"PASSWORD=x\\\\\"}\n","a":"b"}}`: `{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"removed","a":"b"}}`,
		`{"annotations":{"kubectl.kubernetes.io/last-applied-configuration" : "", "a":"b"}}`:                            `{"annotations":{"kubectl.kubernetes.io/last-applied-configuration" : "removed", "a":"b"}}`,
		`{"env":[{"name":"A","value":"x\"y"},{"name":"B","value":""},{"name":"C","valueFrom":{}}]}`:                     `{"env":[{"name":"A","value":"removed"},{"name":"B","value":"removed"},{"name":"C","valueFrom":{}}]}`,
		`{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]}`:                                                    `{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]}`,
		`{"a":"last-applied"}`: `{"a":"last-applied"}`,
	} {
		if got := string(Scrub([]byte(body))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
	}
}
