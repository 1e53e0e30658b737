package plugin

import (
	"net/http"
	"testing"
)

// A recording made behind a gateway's path is judged without it.
func TestSameQuestion(t *testing.T) {
	for _, c := range []struct {
		recorded, asked string
		want            bool
	}{
		{"https://a/apis/x?limit=5", "https://replay/apis/x?limit=5", true},
		{"https://a/k8s/clusters/c-1/apis/x?limit=5", "https://replay/apis/x?limit=5", true},
		{"https://a/apis/x?limit=5", "https://replay/apis/x?limit=500", false},
		{"https://a/apis/xx", "https://replay/apis/x", false},
		{"https://a/apis/x/y", "https://replay/apis/x", false},
	} {
		request, err := http.NewRequest(http.MethodGet, c.asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := sameQuestion(request, recordedRequest{Method: http.MethodGet, URL: c.recorded}); got != c.want {
			t.Errorf("%s for %s: %v", c.recorded, c.asked, got)
		}
	}
}
