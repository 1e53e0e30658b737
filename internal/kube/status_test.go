package kube

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// recorded answers as a real API server did (testdata/errors).
func recorded(t *testing.T, name string) http.HandlerFunc {
	t.Helper()
	text, err := os.ReadFile("testdata/errors/" + name + ".http")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("HTTP/2 "), []byte("HTTP/1.1 "), 1)
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	return code(res.StatusCode, res.Header.Get("Content-Type"), string(body))
}

func TestRecordedErrors(t *testing.T) {
	const list = "cannot list machineconfigpools: "
	tests := []struct{ name, text, hint string }{
		{"400-bad-field-selector", "the API server answered 400 Bad Request: field label not supported: spec.paused", ""},
		{"401-bad-token", "the API server refused the login (401): token expired or unknown", "RENEW"},
		{"401-no-token", "the API server refused the login (401): token expired or unknown", "RENEW"},
		{"403-mcp-list", "user icinga may not list machineconfigpools in API group machineconfiguration.openshift.io (403)",
			"apply icinga/rbac/check-mcp.yaml; if it is applied, this cluster may not have machineconfiguration.openshift.io"},
		{"404-no-such-group-admin", "the cluster has no machineconfigpools in API group machineconfiguration.openshift.io/v1 (404)",
			"not an OpenShift cluster? check the address"},
		{"404-object", `machineconfigpools.machineconfiguration.openshift.io "nope" not found (404)`, "correct the name"},
		{"406-protobuf-of-cr", "the API server answered 406 Not Acceptable: only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf", ""},
		{"410-continue-too-old", "the list changed too much while it was read (410)", "is the API server or the network very slow?"},
	}
	server := start(t)
	client, waits := connected(t, server, Surroundings{RoleFile: "icinga/rbac/check-mcp.yaml"})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server.Handle(pools.path("", ""), recorded(t, test.name))
			_, err := List(soon(t), client, pools, Query{}, func(p *pool) (string, bool) { return "", true })
			hint := strings.Replace(test.hint, "RENEW", client.login.remedy, 1)
			wantError(t, server, err, list+test.text, hint)
			is := []bool{IsForbidden(err), IsNoSuchGroup(err), IsNotFound(err)}
			want := []bool{test.name[:3] == "403", strings.HasPrefix(test.name, "404-no-such"), test.name == "404-object"}
			if !slices.Equal(is, want) {
				t.Errorf("forbidden, no group, not found: %v", is)
			}
		})
	}
	if len(waits.all) > 0 {
		t.Errorf("tried again after %v", waits.all)
	}
	if !strings.HasPrefix(client.login.remedy, "renew the credentials in kubeconfig ") {
		t.Errorf("remedy %q", client.login.remedy)
	}
}

func TestForbiddenTexts(t *testing.T) {
	status := func(message string) string {
		text, _ := json.Marshal(message)
		return `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":` + string(text) + "}"
	}
	server := start(t)
	client, _ := connected(t, server, Surroundings{})
	for _, test := range []struct{ message, text, hint string }{
		{`pods is forbidden: User "system:serviceaccount:m:icinga" cannot list resource "pods" in API group "" in the namespace "gpu"`,
			"user system:serviceaccount:m:icinga may not list pods in namespace gpu (403)",
			"give user system:serviceaccount:m:icinga the right to list pods in namespace gpu"},
		{`nodes is forbidden: User "icinga" cannot list resource "nodes" in API group "" at the cluster scope: RBAC: clusterrole "x" not found`,
			`user icinga may not list nodes (403): RBAC: clusterrole "x" not found`, "give user icinga the right to list nodes"},
		{`nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope`,
			"the API server saw no login (403 for system:anonymous)", client.login.remedy},
		{"no, \x1b[31m|<b>never</b>\n" + strings.Repeat("é", 400), "the API server refused it (403): no, [31m|<b>never</b> " + strings.Repeat("é", 278) + "…",
			"give the right to list nodes"},
	} {
		server.Handle("/api/v1/nodes", code(403, jsonType, status(test.message)))
		_, err := List(soon(t), client, nodes, Query{}, nodeName)
		wantError(t, server, err, "cannot list nodes: "+test.text, test.hint)
	}
}

// TestEveryStatus makes sure that no status but 200 passes for a list, even with a good body.
func TestEveryStatus(t *testing.T) {
	server := start(t)
	client, _ := connected(t, server, Surroundings{})
	for status := 200; status < 600; status++ {
		server.Handle("/api/v1/nodes", code(status, jsonType, `{"kind":"NodeList","apiVersion":"v1","items":[]}`))
		_, err := List(soon(t), client, nodes, Query{}, nodeName)
		switch {
		case status == 200 && err != nil:
			t.Errorf("200: %v", err)
		case status != 200 && (err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || asError(err).Status != status):
			t.Errorf("%d: %v", status, err)
		}
	}
	server.Handle("/api/v1/nodes", code(204, jsonType, ""))
	_, err := List(soon(t), client, nodes, Query{}, nodeName)
	wantError(t, server, err, "cannot list nodes: the API server answered 204 instead of a list of nodes", wrongAddr)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	other := start(t, newNode("a"))
	server := start(t)
	client, _ := connected(t, server, Surroundings{})
	for location, target := range map[string]string{
		other.URL() + "/api/v1/nodes?secret": strings.TrimPrefix(other.URL(), "https://"),
		"/login":                             "another path",
		"":                                   "nowhere",
		"https://%zz":                        "nowhere",
	} {
		server.Handle("/api/v1/nodes", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(302)
		})
		_, err := List(soon(t), client, nodes, Query{}, nodeName)
		wantError(t, server, err, "cannot list nodes: URL redirected to "+target+" (302)", "give the address of the API server itself, not of a proxy or a console")
	}
	if got := other.Requests(); len(got) > 0 {
		t.Errorf("followed: %v", got)
	}
}

// failing answers the first n requests with a status, the others as the stand-in does.
func failing(n, status int, after string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if n--; n >= 0 {
			if after != "" {
				w.Header().Set("Retry-After", after)
			}
			w.WriteHeader(status)
			return
		}
		reply(jsonType, `{"kind":"NodeList","apiVersion":"v1","items":[]}`)(w, r)
	}
}

func TestTriesAgain(t *testing.T) {
	server := start(t)
	for _, test := range []struct {
		name          string
		fails, status int
		after         string
		waits         []time.Duration
		text          string
	}{
		{"told to wait", 2, 429, "3", []time.Duration{3 * time.Second, 3 * time.Second}, ""},
		{"told not to wait", 1, 503, "0", []time.Duration{time.Second}, ""},
		{"no header", 1, 503, "", shortWaits[:1], ""},
		{"strange header", 1, 429, "soon", shortWaits[:1], ""},
		{"leader changed", 2, 500, "", shortWaits, ""},
		{"gateway", 9, 502, "", shortWaits, "the API server answered 502 Bad Gateway; still so after 3 tries"},
		{"told again and again", 99, 429, "1", slices.Repeat([]time.Duration{time.Second}, 10), "the API server answered 429 Too Many Requests; still so after 11 tries"},
		{"too long", 1, 429, "60", nil, "the API server answered 429 Too Many Requests; it asks to wait 1m0s, longer than the time left"},
		{"not worth it", 1, 501, "", nil, "the API server answered 501 Not Implemented"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, waits := connected(t, server, Surroundings{})
			server.Handle("/api/v1/nodes", failing(test.fails, test.status, test.after))
			_, err := List(soon(t), client, nodes, Query{}, nodeName)
			if !slices.Equal(waits.all, test.waits) {
				t.Errorf("waited %v, want %v", waits.all, test.waits)
			}
			if test.text == "" && err != nil {
				t.Error(err)
			}
			if test.text != "" {
				wantError(t, server, err, "cannot list nodes: "+test.text, "look at the API server and etcd: oc get --raw /readyz?verbose")
			}
		})
	}
}

func TestPauseEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := pauseFor(ctx, time.Hour); err == nil {
		t.Error("want an error")
	}
	if err := pauseFor(context.Background(), time.Nanosecond); err != nil {
		t.Error(err)
	}
}
