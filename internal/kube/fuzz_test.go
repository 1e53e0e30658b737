package kube

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// FuzzDecodeList feeds any bytes to both decoders: no panic, no memory far beyond the answer's size, and every object that
// passes has a name.
func FuzzDecodeList(f *testing.F) {
	for _, seed := range []string{
		protobufAnswer("v1", "NodeList", protobufNodes(newNode("a"), newNode("b"))),
		protobufAnswer("v1", "NodeList", protobufNodes(bigNode(0))),
		protobufAnswer("v1", "NodeList", "\x12\xff\xff\xff\x1f"),
		protobufAnswer("v1", "Status", "\x0a\x00"),
	} {
		f.Add(true, []byte(seed))
	}
	f.Add(false, []byte(`{"kind":"NodeList","apiVersion":"v1","metadata":{"continue":"x"},"items":[{"metadata":{"name":"a"}}]}`))
	f.Add(false, []byte(`{"items":[null,{"metadata":[]}],"kind":{}}`))
	f.Fuzz(func(t *testing.T, protobuf bool, body []byte) {
		mediaType := jsonType
		if protobuf {
			mediaType = protobufType
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		decode[corev1.Node](t, nodes, mediaType, body)
		decode[pool](t, pools, mediaType, body)
		runtime.ReadMemStats(&after)
		// An empty item of two bytes becomes a Node of under 2 KiB, which is dropped at once.
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 10<<20+uint64(len(body))*2000 {
			t.Errorf("%d bytes made %d bytes of memory", len(body), spent)
		}
	})
}

func decode[T any](t *testing.T, r Resource, mediaType string, body []byte) {
	res := &http.Response{Header: http.Header{"Content-Type": {mediaType}}, Body: io.NopCloser(bytes.NewReader(body))}
	kept := 0
	reader := pageReader[T]{want: r, omit: NodeVolumes, keep: func(object *T) {
		kept++
		if name, ok := nameOf(object); ok && name == "" {
			t.Error("an object without a name")
		}
	}}
	err := reader.read(newAnswer(res))
	if err == nil && !strings.Contains(string(body), "List") {
		t.Error("took it for a list")
	}
	readObject[T](newAnswer(&http.Response{Header: res.Header, Body: io.NopCloser(bytes.NewReader(body))}), r, "a")
}
