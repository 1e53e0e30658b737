package poseidon_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"overdue/internal/poseidon"
)

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestReplaceInTime holds that a request to change something leaves in time or never, and that only an answer at once can be Poseidon's
// own refusal.
func TestReplaceInTime(t *testing.T) {
	reset := errors.New("connection reset")
	for name, row := range map[string]struct {
		connects, takes  time.Duration
		fails            error
		unsent, late, no bool
	}{
		"refused at once":             {connects: time.Second, takes: time.Second, no: true},
		"refused by who waited":       {connects: time.Second, takes: 3 * time.Second},
		"refused, connected too late": {connects: 5 * time.Second, unsent: true, late: true},
		"connected just in time":      {connects: 3 * time.Second, takes: time.Second, no: true},
		"broken before it left":       {fails: reset, unsent: true},
		"broken behind it":            {takes: time.Second, fails: reset},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				left := false
				s := surroundings(nil)
				s.Transport = func(http.RoundTripper) http.RoundTripper {
					return transport(func(r *http.Request) (*http.Response, error) {
						time.Sleep(row.connects)
						if row.fails != nil && row.takes == 0 {
							return nil, row.fails
						}
						body, err := io.ReadAll(r.Body)
						if left = len(body) > 0; err != nil {
							return nil, err
						}
						time.Sleep(row.takes)
						return &http.Response{StatusCode: 400, Body: io.NopCloser(strings.NewReader(`{"message":"no"}`))}, row.fails
					})
				}
				c, err := poseidon.Connect(poseidon.Options{}, s)
				if err != nil {
					t.Fatal(err)
				}
				err = c.Replace(t.Context(), poseidon.Environment{ID: 29, Body: []byte("{}")}, 4*time.Second)
				if poseidon.IsUnsent(err) != row.unsent || poseidon.IsLate(err) != row.late || poseidon.IsRejected(err) != row.no || left == row.unsent {
					t.Errorf("unsent %t, late %t, rejected %t, left %t: %v", poseidon.IsUnsent(err), poseidon.IsLate(err), poseidon.IsRejected(err), left, err)
				}
			})
		})
	}
}
