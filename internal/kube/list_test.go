package kube

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestListGoesThroughAllPages(t *testing.T) {
	for _, jsonOnly := range []bool{false, true} {
		t.Run(fmt.Sprintf("json=%v", jsonOnly), func(t *testing.T) {
			server := start(t, newNodes(1201)...)
			var told []string
			client, _ := connected(t, server, Surroundings{JSON: jsonOnly, Waiting: func(format string, args ...any) {
				told = append(told, fmt.Sprintf(format, args...))
			}})
			names, err := List(soon(t), client, nodes, Query{}, nodeName)
			if err != nil {
				t.Fatal(err)
			}
			if len(names) != 1201 || names[0] != "node-00000 id-node-00000" || names[1200] != "node-01200 id-node-01200" {
				t.Errorf("got %d: %v", len(names), names[:min(3, len(names))])
			}
			if n := server.Count("/api/v1/nodes"); n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
			want := []string{"nodes from " + server.URL(), "nodes from " + server.URL() + " (page 2)", "nodes from " + server.URL() + " (page 3)"}
			if !slices.Equal(told, want) {
				t.Errorf("told %q", told)
			}
		})
	}
}

func TestListKeepsWhatReduceReturns(t *testing.T) {
	client, _ := connected(t, start(t, newNodes(5)...), Surroundings{})
	names, err := List(soon(t), client, nodes, Query{LabelSelector: "of in (node-00001,node-00003)"}, func(n *corev1.Node) (string, bool) {
		return n.Name, n.Name != "node-00001"
	})
	if err != nil || !slices.Equal(names, []string{"node-00003"}) {
		t.Errorf("got %v, %v", names, err)
	}
}

func TestListOfOwnStructs(t *testing.T) {
	client, _ := connected(t, start(t, newPool("master", 3), newPool("worker", 44)), Surroundings{})
	counts, err := List(soon(t), client, pools, Query{}, func(p *pool) (int, bool) { return p.Status.MachineCount, true })
	if err != nil || !slices.Equal(counts, []int{3, 44}) {
		t.Errorf("got %v, %v", counts, err)
	}
}

func TestEmptyListIsNoError(t *testing.T) {
	server := start(t)
	server.Declare("machineconfiguration.openshift.io/v1", "MachineConfigPool")
	client, _ := connected(t, server, Surroundings{})
	got, err := List(soon(t), client, pools, Query{}, func(p *pool) (string, bool) { return "", true })
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("custom: got %v, %v", got, err)
	}
	got, err = List(soon(t), client, nodes, Query{}, nodeName)
	if err != nil || got == nil || len(got) != 0 {
		t.Errorf("protobuf: got %v, %v", got, err)
	}
}

func TestMetadataOnly(t *testing.T) {
	server := start(t, newNode("a"), newPool("worker", 44))
	for _, jsonOnly := range []bool{false, true} {
		var types []string
		client, _ := connected(t, server, Surroundings{JSON: jsonOnly, Transport: noteTypes(&types)})
		for _, resource := range []Resource{nodes, pools} {
			names, err := List(soon(t), client, resource, Query{}, func(m *metav1.PartialObjectMetadata) (string, bool) { return m.Name, true })
			if err != nil || len(names) != 1 {
				t.Errorf("%s: got %v, %v", resource.Name, names, err)
			}
		}
		want := protobufType
		if jsonOnly {
			want = jsonType
		}
		if !slices.Equal(types, []string{want, want}) {
			t.Errorf("answers were %v", types)
		}
	}
}

func TestServerMayIgnoreAccept(t *testing.T) {
	server := start(t, newNode("a"))
	server.Handle("/api/v1/nodes", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"},"spec":{"providerID":"id-a"}}]}`))
	})
	client, _ := connected(t, server, Surroundings{})
	names, err := List(soon(t), client, nodes, Query{}, nodeName)
	if err != nil || !slices.Equal(names, []string{"a id-a"}) {
		t.Errorf("got %v, %v", names, err)
	}
	partial, err := List(soon(t), client, nodes, Query{}, func(m *metav1.PartialObjectMetadata) (string, bool) { return m.Name, true })
	if err != nil || !slices.Equal(partial, []string{"a"}) {
		t.Errorf("got %v, %v", partial, err)
	}
}

func TestGet(t *testing.T) {
	server := start(t, newNode("a"), newPool("worker", 44))
	client, _ := connected(t, server, Surroundings{})
	node, err := Get[corev1.Node](soon(t), client, nodes, "", "a")
	if err != nil || node.Spec.ProviderID != "id-a" {
		t.Errorf("got %v, %v", node, err)
	}
	worker, err := Get[pool](soon(t), client, pools, "", "worker")
	if err != nil || worker.Status.MachineCount != 44 {
		t.Errorf("got %v, %v", worker, err)
	}
	partial, err := Get[metav1.PartialObjectMetadata](soon(t), client, pools, "", "worker")
	if err != nil || partial.Name != "worker" {
		t.Errorf("got %v, %v", partial, err)
	}
	_, err = Get[pool](soon(t), client, pools, "", "nope")
	wantError(t, server, err, `cannot get machineconfigpools/nope: machineconfigpools.machineconfiguration.openshift.io "nope" not found (404)`, "correct the name")
	if !IsNotFound(err) || IsNoSuchGroup(err) || IsForbidden(err) {
		t.Error("want IsNotFound only")
	}
	for _, name := range []string{"", "..", "a/b", "a%2fb", "a?b"} {
		if _, err := Get[pool](soon(t), client, pools, "", name); err == nil || !strings.Contains(err.Error(), "not a name") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

// noteTypes is a transport hook that writes down the answers' media types.
func noteTypes(types *[]string) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			if err == nil {
				*types = append(*types, mediaType(res))
			}
			return res, err
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
