package realkube

import (
	"fmt"
	"strings"
	"testing"
)

// FillGPUs makes large nodes gpu-00000, gpu-00001 and so on until there are n of them, with the pods, from the documents of a scenario
// with one node, whose DaemonSets are created once. They come in addition to what is there.
func (s *Server) FillGPUs(t testing.TB, n int, yamlDocuments, node string) {
	t.Helper()
	first := serial("gpu", 0)
	docs, err := documents([]byte(strings.ReplaceAll(yamlDocuments, node, first)))
	if err != nil {
		t.Fatal(err)
	}
	large, err := largeNode(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		metadata := nested(doc, "metadata")
		for _, key := range []string{"uid", "creationTimestamp", "managedFields"} {
			delete(metadata, key)
		}
		switch doc["kind"] {
		case "Node":
			doc = merge(large, doc)
		case "Pod":
			metadata["name"] = fmt.Sprintf("%v-%s", metadata["name"], first)
		case "DaemonSet":
		default:
			continue
		}
		if err := s.apply(doc); err != nil {
			t.Fatal(err)
		}
	}
	s.multiply(t, []string{"/registry/minions/", "/registry/pods/"}, first, serials("gpu", n))
}
