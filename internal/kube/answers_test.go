package kube

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	notNodes  = "cannot list nodes: the answer is not a list of nodes: "
	wrongAddr = "is this the address of a Kubernetes API server, with no proxy in between?"
	htmlHint  = "give the address of the API server itself, and set NO_PROXY for it"
)

// reply answers with a media type and a body.
func reply(mediaType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		io.WriteString(w, body)
	}
}

func code(status int, mediaType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// protobufAnswer is an answer as an API server writes it.
func protobufAnswer(apiVersion, kind, raw string) string {
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: []byte(raw)}
	text, err := unknown.Marshal()
	if err != nil {
		panic(err)
	}
	return protobufMagic + string(text)
}

func protobufNodes(items ...*corev1.Node) string {
	list := corev1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for _, item := range items {
		list.Items = append(list.Items, *item)
	}
	raw, err := list.Marshal()
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestUnusableAnswers(t *testing.T) {
	const list = `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":`
	good := protobufAnswer("v1", "NodeList", protobufNodes(newNode("a")))
	large := newNode("a")
	large.Annotations = map[string]string{"a": strings.Repeat("x", 5<<20)}
	tests := []struct{ name, mediaType, body, text string }{
		{"empty", jsonType, "", "an empty answer"},
		{"empty protobuf", protobufType, "", "an empty answer"},
		{"empty object", jsonType, "{}", `its kind is ""`},
		{"array", jsonType, "[]", "there is a [ where a { should be"},
		{"null", jsonType, "null", "there is null where a { should be"},
		{"string", jsonType, `"` + strings.Repeat("x", 3<<20) + `"`, "there is a string where a { should be"},
		{"long string", jsonType, `"` + strings.Repeat("x", 10<<20) + `"`, "it holds an object larger than 4 MiB"},
		{"large object", jsonType, list + `[{"metadata":{"name":"a","annotations":{"a":"` + strings.Repeat("x", 10<<20) + `"}}}]}`, "item 0: it holds an object larger than 4 MiB"},
		{"name of no object", jsonType, list + `[{"metadata":{"name":"$(id)"}}]}`, "item 0 has a name that no object can have: $(id)"},
		{"namespace of no object", jsonType, list + `[{"metadata":{"name":"a","namespace":"$(id)"}}]}`, "item 0 is in a namespace that cannot be: $(id)"},
		{"name of all", jsonType, list + `[{"metadata":{"name":"` + strings.Repeat("a", 254) + `"}}]}`, "item 0 has a name that no object can have: " + strings.Repeat("a", 254)},
		{"number", jsonType, "12", "there is a float64 where a { should be"},
		{"other kind", jsonType, `{"kind":"PodList","apiVersion":"v1","items":[]}`, `its kind is "PodList" of apiVersion "v1", not of nodes in v1`},
		{"other version", jsonType, `{"kind":"NodeList","apiVersion":"v2","items":[]}`, `its kind is "NodeList" of apiVersion "v2", not of nodes in v1`},
		{"one object", jsonType, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"}}`, `its kind is "Node"`},
		{"status", jsonType, `{"kind":"Status","apiVersion":"v1","status":"Success"}`, `its kind is "Status"`},
		{"kind of wrong type", jsonType, `{"kind":["NodeList"],"apiVersion":"v1","items":[]}`, "value is a array, not a string"},
		{"no items", jsonType, `{"kind":"NodeList","apiVersion":"v1"}`, "it has no items"},
		{"items null", jsonType, list + "null}", "items: there is null where a [ should be"},
		{"items object", jsonType, list + "{}}", "items: there is a { where a [ should be"},
		{"item null", jsonType, list + "[null]}", "item 0 has no metadata.name"},
		{"item empty", jsonType, list + "[{}]}", "item 0 has no metadata.name"},
		{"item string", jsonType, list + `["a"]}`, "item 0: value is a string, not a v1.Node"},
		{"wrong type", jsonType, list + `[{"metadata":{"name":"a"},"spec":{"unschedulable":"yes"}}]}`, "item 0: spec.unschedulable is a string, not a bool"},
		{"wrong type of continue", jsonType, `{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":1},"items":[]}`, "continue is a number, not a string"},
		{"cut off", jsonType, list + `[{"metadata":{"name":"a"`, "item 0: the JSON is cut off"},
		{"cut off after the items", jsonType, list + `[]`, "the JSON is cut off"},
		{"twice", jsonType, list + "[]}{}", "something follows its end"},
		{"not JSON", jsonType, list + "[}", "not good JSON: invalid character '}' looking for beginning of value"},
		{"text", "text/plain", "ok", "not good JSON: invalid character 'o' looking for beginning of value"},
		{"protobuf: garbage", protobufType, "k8s\x00" + strings.Repeat("\xff", 100), "not good protobuf"},
		{"protobuf: no magic", protobufType, strings.Repeat("\x00", 100), "not good protobuf"},
		{"protobuf: magic only", protobufType, protobufMagic, "the protobuf is cut off"},
		{"protobuf: JSON", protobufType, list + "[]}", "not good protobuf"},
		{"protobuf: cut off", protobufType, good[:len(good)-20], "the protobuf is cut off"},
		{"protobuf: other kind", protobufType, protobufAnswer("v1", "PodList", ""), `its kind is "PodList" of apiVersion "v1", not of nodes in v1`},
		{"protobuf: status", protobufType, protobufAnswer("v1", "Status", ""), `its kind is "Status"`},
		{"protobuf: item empty", protobufType, protobufAnswer("v1", "NodeList", "\x12\x00"), "item 0 has no metadata.name"},
		{"protobuf: item garbage", protobufType, protobufAnswer("v1", "NodeList", "\x12\x02\xff\xff"), "item 0: unexpected EOF"},
		{"protobuf: large object", protobufType, protobufAnswer("v1", "NodeList", protobufNodes(large)), "it holds an object larger than 4 MiB"},
		{"protobuf: item too long", protobufType, protobufAnswer("v1", "NodeList", "\x12\xff\xff\xff\x1f"), "not good protobuf"},
	}
	server := start(t)
	client, waits := connected(t, server, Surroundings{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server.Handle("/api/v1/nodes", reply(test.mediaType, test.body))
			got, err := List(soon(t), client, nodes, Query{}, nodeName)
			if got != nil {
				t.Errorf("got %v", got)
			}
			wantError(t, server, err, notNodes+test.text, wrongAddr)
		})
	}
	if len(waits.all) > 0 {
		t.Errorf("tried again after %v", waits.all)
	}
}

func TestUnusableAnswersOfOwnStructs(t *testing.T) {
	const list = `{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPoolList","items":`
	tests := []struct{ name, mediaType, body, text string }{
		{"protobuf not asked for", protobufType, protobufAnswer("v1", "NodeList", ""), "it is protobuf, which was not asked for"},
		{"item null", jsonType, list + "[null]}", "item 0 has no metadata.name"},
		{"wrong type", jsonType, list + `[{"metadata":{"name":"a"},"status":{"machineCount":"44"}}]}`, "item 0: status.machineCount is a string, not a int"},
		{"item array", jsonType, list + `[[]]}`, "item 0: value is a array, not a struct { Metadata struct { Name string } }"},
	}
	server := start(t)
	client, _ := connected(t, server, Surroundings{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server.Handle(pools.path("", ""), reply(test.mediaType, test.body))
			_, err := List(soon(t), client, pools, Query{}, func(p *pool) (string, bool) { return p.Metadata.Name, true })
			wantError(t, server, err, "cannot list machineconfigpools: the answer is not a list of machineconfigpools: "+test.text, wrongAddr)
		})
	}
}

func TestUnusableObject(t *testing.T) {
	node, _ := newNode("b").Marshal()
	tests := []struct{ name, mediaType, body, text string }{
		{"other name", jsonType, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"b"}}`, `it is the object "b", not "a"`},
		{"protobuf of other name", protobufType, protobufAnswer("v1", "Node", string(node)), `it is the object "b", not "a"`},
		{"list", jsonType, `{"kind":"NodeList","apiVersion":"v1","items":[]}`, `its kind is "NodeList" of apiVersion "v1", not of nodes in v1`},
		{"null", jsonType, "null", `its kind is "" of apiVersion "", not of nodes in v1`},
		{"cut off", jsonType, `{"kind":"Node"`, "not good JSON: unexpected end of JSON input"},
	}
	server := start(t)
	client, _ := connected(t, server, Surroundings{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server.Handle("/api/v1/nodes/a", reply(test.mediaType, test.body))
			_, err := Get[corev1.Node](soon(t), client, nodes, "", "a")
			wantError(t, server, err, "cannot get nodes/a: the answer is not the object: "+test.text, wrongAddr)
		})
	}
}

func TestHTMLIsNamed(t *testing.T) {
	server := start(t)
	client, waits := connected(t, server, Surroundings{})
	for name, handler := range map[string]http.HandlerFunc{
		"200":           reply("text/html; charset=utf-8", "<html>Log in</html>"),
		"200 as JSON":   reply(jsonType, "<!DOCTYPE html>"),
		"403 of proxy":  code(403, "text/html", "<html>"),
		"404 of proxy":  code(404, "text/html", "<html>"),
		"401 of portal": code(401, "text/html", "<html>"),
	} {
		t.Run(name, func(t *testing.T) {
			server.Handle("/api/v1/nodes", handler)
			_, err := List(soon(t), client, nodes, Query{}, nodeName)
			wantError(t, server, err, fmt.Sprintf("cannot list nodes: answered with an HTML page (%s): a proxy or a login page?", name[:3]), htmlHint)
		})
	}
	if len(waits.all) > 0 {
		t.Errorf("tried again after %v", waits.all)
	}
}

func TestTooLargeAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 200 MiB")
	}
	items := strings.Repeat(`{"metadata":{"name":"a","annotations":{"a":"`+strings.Repeat("x", 100_000)+`"}}},`, 10)
	flood := func(w io.Writer) {
		_, _ = io.WriteString(w, `{"kind":"NodeList","apiVersion":"v1","items":[`)
		for i := 0; i < 100; i++ {
			if _, err := io.WriteString(w, items); err != nil {
				return
			}
		}
	}
	server := start(t)
	client, _ := connected(t, server, Surroundings{})
	for name, handler := range map[string]http.HandlerFunc{
		"endless": func(w http.ResponseWriter, r *http.Request) { flood(w) },
		"bomb": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			flood(z)
			z.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			server.Handle("/api/v1/nodes", handler)
			if name == "bomb" { // as on a network, where gzip is on
				client.send = limit{gzipOn(t, server)}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // the race detector reads 3 MiB a second
			defer cancel()
			_, err := List(ctx, client, nodes, Query{}, nodeName)
			wantError(t, server, err, "cannot list nodes: answer larger than 64 MiB from URL", "is this the API server? URL")
		})
	}
}

func TestSlowDripEndsWithTheDeadline(t *testing.T) {
	server := start(t)
	stop := make(chan struct{})
	defer close(stop)
	server.Handle("/api/v1/nodes", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "{")
		w.(http.Flusher).Flush()
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	})
	client, _ := connected(t, server, Surroundings{})
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	_, err := List(ctx, client, nodes, Query{}, nodeName)
	wantError(t, server, err, "cannot list nodes: no answer from URL in time: still reading the answer (1 bytes so far)",
		"check the network, a firewall or the load of the API server")
}

func TestNoAnswerEndsWithTheDeadline(t *testing.T) {
	server := start(t)
	server.Handle("/api/v1/nodes", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	client, _ := connected(t, server, Surroundings{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err := List(ctx, client, nodes, Query{}, nodeName)
	wantError(t, server, err, "cannot list nodes: no answer from URL in time: still waiting for the answer",
		"check the network, a firewall or the load of the API server")
}

func TestConnectionBreaks(t *testing.T) {
	server := start(t)
	client, _ := connected(t, server, Surroundings{})
	const hint = "look at the API server and the load balancer before it"
	server.Handle("/api/v1/nodes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		io.WriteString(w, `{"kind":"NodeList","apiVersion":"v1","items":[]`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	_, err := List(soon(t), client, nodes, Query{}, nodeName)
	wantError(t, server, err, "cannot list nodes: URL broke the connection while reading the answer (47 bytes so far)", hint)
	server.Handle("/api/v1/nodes", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	_, err = List(soon(t), client, nodes, Query{}, nodeName)
	wantError(t, server, err, "cannot list nodes: URL broke the connection while waiting for the answer", hint)
}
