package nomad

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"overdue/internal/nomad/nomadtest"
)

// FuzzLists reads whatever a server may send as each of the lists: no panic, and what is kept has an ID.
func FuzzLists(f *testing.F) {
	for _, name := range []string{"1.6.3/evaluations-pending", "1.6.3/allocations-pending-taskstates", "1.6.3/jobs-pending", "2.0.5/evaluations-pending", "2.0.5/allocations-pending", "2.0.5/jobs-pending"} {
		f.Add([]byte(nomadtest.Body(name + ".json")))
	}
	for _, text := range []string{``, `null`, `[`, `[]`, `[]x`, `[null]`, `{"ID":"a"}`, `[{"ID":"a","Status":"pending","WaitUntil":null,"Wait":-1}]`, `[{"ID":"a","WaitUntil":"0001-01-01T00:00:00Z"}]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fuzzList(t, body, validEvaluation)
		fuzzList(t, body, validAllocation)
		fuzzList(t, body, func(j *JobStub) bool { return j.ID != "" && j.Status != "" })
		for _, read := range []func(*answer) error{
			func(a *answer) error { _, err := readValue[Autopilot](a); return err },
			func(a *answer) error { _, err := readValue[Job](a); return err },
			func(a *answer) error { _, err := readValue[[]string](a); return err },
		} {
			if err := read(sent(body)); err == nil && len(bytes.TrimSpace(body)) == 0 {
				t.Error("an empty answer is taken for a value")
			}
		}
		if scrubbed := Scrub(body); bytes.Contains(scrubbed, []byte(`"TaskGroups"`)) && bytes.Contains(scrubbed, []byte(`"Env"`)) && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
			t.Errorf("an environment is left in %s", scrubbed)
		}
	})
}

func fuzzList[T any](t *testing.T, body []byte, valid func(*T) bool) {
	n := 0
	err := readList(sent(body), func(item *T) error {
		if !valid(item) {
			return errNoID
		}
		n++
		return nil
	})
	start := strings.TrimLeft(string(body), " \t\r\n")
	if err == nil && (!strings.HasPrefix(start, "[") || n == 0 && strings.Contains(start, "{")) {
		t.Errorf("%q is taken for a list of %d", body, n)
	}
}

func sent(body []byte) *answer {
	return newAnswer(&http.Response{Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))})
}

func TestScrub(t *testing.T) {
	for body, want := range map[string]string{
		`{"ID":"a","Stop":true,"Meta":{"x":"y"},"TaskGroups":[{"Count":2,"Tasks":[{"Env":{"P":"hunter2"}}]}]}`: `{"ID":"a","Stop":true,"TaskGroups":[{"Count":2}]}`,
		`{"ID":"a","TaskGroups":[{"Env":"hunter2"`:                                                             ``,
		`{"ID":"a","Meta":{"k":"hunter2"`:                                                                      ``,
		`{"ID":"a","TaskGroups":"hunter2"}`:                                                                    ``,
		`[{"ID":"a"}]`:                                                                                         `[{"ID":"a"}]`,
		`job not found`:                                                                                        `job not found`,
	} {
		if got := string(Scrub([]byte(body))); got != want {
			t.Errorf("%s becomes %s, want %s", body, got, want)
		}
	}
}
