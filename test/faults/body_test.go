//go:build integration

package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"overdue/test/replayed"
)

// values replace what stands in a field: wrong types, numbers out of range, and text that means harm.
var values = map[string]any{
	"null":     nil,
	"bool":     true,
	"number":   -1,
	"huge":     json.Number("1e400"),
	"long":     json.Number("18446744073709551616"),
	"empty":    "",
	"text":     "x",
	"hostile":  "a\x1b[31m|b='1'\r\n<script>\u202e\u0000 " + strings.Repeat("é", 300),
	"array":    []any{},
	"object":   map[string]any{},
	"deep":     deep(200),
	"arrays":   []any{[]any{nil, "x", 1}},
	"objects":  map[string]any{"a": map[string]any{"b": nil}},
	"moment":   "9999-12-31T23:59:59Z",
	"prehuman": "0001-01-01T00:00:00Z",
}

func deep(levels int) (value any) {
	for range levels {
		value = []any{value}
	}
	return value
}

// fields returns every place in a decoded body, items of one array taken together: "items.*.metadata.name".
func fields(value any, place string, found map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if name == "managedFields" { // a page by itself, and searched as text
				continue
			}
			found[place+"\x00"+name] = true
			fields(inner, place+"\x00"+name, found)
		}
	case []any:
		for i, inner := range value {
			if i == 3 { // those that follow look alike
				break
			}
			fields(inner, place+"\x00*", found)
		}
	}
}

// spoil puts a value in all places that the path names.
func spoil(value any, path []string, with any) any {
	if len(path) == 0 {
		return with
	}
	switch value := value.(type) {
	case map[string]any:
		if inner, there := value[path[0]]; there {
			value = maps.Clone(value)
			value[path[0]] = spoil(inner, path[1:], with)
			return value
		}
	case []any:
		if path[0] == "*" {
			spoiled := make([]any, len(value))
			for i, inner := range value {
				spoiled[i] = spoil(inner, path[1:], with)
			}
			return spoiled
		}
	}
	return value
}

// A server that is right in all but one field, for each field and each way to be wrong. The verdict may be anything that it is
// for; what is promised of every run holds.
func TestFields(t *testing.T) {
	everyPlugin(t, func(t *testing.T, p plugin) {
		answers := p.answers(t)
		var now *replayed.Answer // what is spoiled at the moment, and its body then
		var body string
		server, f := serve(t, replayed.Handler(answers, func(a *replayed.Answer) string {
			if a == now {
				return body
			}
			return a.Response.Body
		}))
		args := append(p.args(server.URL, f.token, f.ca), "-v", "--now", "2026-12-02 12:00")
		healthy := p.start(t, 10*time.Second, args...)
		if strings.Contains(healthy.out, "cannot") || healthy.code == 3 {
			t.Fatalf("the recording does not answer: %s", healthy.out)
		}
		names := slices.Sorted(maps.Keys(values))
		for _, a := range answers {
			var decoded any
			if json.Unmarshal([]byte(a.Response.Body), &decoded) != nil {
				continue
			}
			found := map[string]bool{"": true}
			fields(decoded, "", found)
			for i, place := range slices.Sorted(maps.Keys(found)) {
				path := strings.Split(place, "\x00")[1:]
				if place == "" {
					path = nil
				}
				// Every field meets three of the values, and all fields together meet all.
				for j := range 3 {
					name := names[(i*3+j)%len(names)]
					text, err := json.Marshal(spoil(decoded, path, values[name]))
					if err != nil {
						t.Fatal(err)
					}
					now, body = a, string(text)
					if p.start(t, 10*time.Second, args...); t.Failed() {
						t.Fatalf("%s: %s in %s", a.Path(), name, strings.Join(path, "."))
					}
				}
			}
			for cut := range 10 {
				now, body = a, a.Response.Body[:len(a.Response.Body)*cut/10]
				if p.start(t, 10*time.Second, args...); t.Failed() {
					t.Fatalf("%s: cut after %d bytes", a.Path(), len(body))
				}
			}
		}
	})
}

// Text that is not even UTF-8, in the place of every name.
func TestNames(t *testing.T) {
	hostile := "\xff\xfe\x00\x1b]0;x\x07|'a'=1;;;<img src=x>\r\n[OK] - all is well"
	everyPlugin(t, func(t *testing.T, p plugin) {
		answers := p.answers(t)
		for _, field := range []string{"name", "Name", "ID", "JobID", "message", "reason", "Description", "namespace", "Namespace", "nodeName", "manager"} {
			server, f := serve(t, replayed.Handler(answers, func(a *replayed.Answer) string {
				return strings.ReplaceAll(a.Response.Body, fmt.Sprintf("%q:\"", field), fmt.Sprintf("%q:\"%s", field, hostile))
			}))
			args := append(p.args(server.URL, f.token, f.ca), "-v", "--now", "2026-12-02 12:00")
			if r := p.start(t, 10*time.Second, args...); strings.Contains(r.out, "\n[OK]") {
				t.Errorf("%s writes a line of its own: %s", field, r.out)
			}
			server.Close()
		}
	})
}
