package kube

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// page answers with one node and a continue token.
func page(name, token string) http.HandlerFunc {
	return reply(jsonType, fmt.Sprintf(
		`{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":%q},"items":[{"metadata":{"name":%q}}]}`, token, name))
}

func TestEndlessList(t *testing.T) {
	server := start(t)
	client, _ := connected(t, server, Surroundings{})
	server.Handle("/api/v1/nodes", page("a", "same"))
	_, err := List(soon(t), client, nodes, Query{}, nodeName)
	wantError(t, server, err, notNodes+"it never ends: page 2 has the same continue token as the page before", wrongAddr)

	n := 0
	server.Handle("/api/v1/nodes", func(w http.ResponseWriter, r *http.Request) {
		n++
		page("a", fmt.Sprint(n))(w, r)
	})
	_, err = List(soon(t), client, nodes, Query{}, nodeName)
	wantError(t, server, err, notNodes+"it does not end after 2000 pages", wrongAddr)
}

func TestExpiredListStartsOver(t *testing.T) {
	gone := recorded(t, "410-continue-too-old")
	for times, want := range [][]string{{"a ", "b "}, {"a ", "b "}, nil} {
		t.Run(fmt.Sprintf("%d times", times), func(t *testing.T) {
			server := start(t)
			client, _ := connected(t, server, Surroundings{})
			left := times
			server.Handle("/api/v1/nodes", func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Query().Get("continue") == "":
					page("a", "2")(w, r)
				case left > 0:
					left--
					gone(w, r)
				default:
					page("b", "")(w, r)
				}
			})
			names, err := List(soon(t), client, nodes, Query{}, nodeName)
			if !slices.Equal(names, want) {
				t.Errorf("got %q, want %q", names, want)
			}
			if times < 2 && err != nil {
				t.Error(err)
			}
			if times == 2 {
				wantError(t, server, err, "cannot list nodes: the list changed too much while it was read (410)", "is the API server or the network very slow?")
			}
		})
	}
}
