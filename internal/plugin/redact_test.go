package plugin

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
)

func TestRedaction(t *testing.T) {
	for name, secret := range map[string]bool{"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "Set-Cookie": true, "X-Nomad-Token": true, "Poseidon-Token": true,
		"X-Api-Key": true, "client_secret": true, "password": true, "Content-Type": false, "X-Nomad-Nexttoken": false, "next_token": false, "prefix": false} {
		if secretName(name) != secret {
			t.Errorf("%s: secret is %v", name, !secret)
		}
	}
	parsed, _ := url.Parse("https://u:p@h/a%2Fb?b=2&a=1&access_token=x#f")
	if got := redactURL(parsed); got != "https://h/a%2Fb?a=1&access_token=removed&b=2" {
		t.Error(got)
	}
	header := redactResponseHeader(http.Header{"Location": {"https://u:p@h/?token=x"}, "Content-Length": {"5"}, "X": {"a\x01"}})
	if got, _ := json.Marshal(header); string(got) != `{"Location":["https://h/?token=removed"],"X":["a?"]}` {
		t.Errorf("%s", got)
	}
}
