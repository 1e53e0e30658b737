package realkube

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// FillGPUs makes n large nodes gpu-00000, gpu-00001 and so on, with the pods, from the documents of a scenario with one node, whose
// DaemonSets are created once. They come in addition to what is there.
func (s *Server) FillGPUs(t testing.TB, n int, yamlDocuments, node string) {
	t.Helper()
	docs, err := documents([]byte(yamlDocuments))
	if err != nil {
		t.Fatal(err)
	}
	large, err := largeNode(node)
	if err != nil {
		t.Fatal(err)
	}
	var once, each []object
	for _, doc := range docs {
		metadata := nested(doc, "metadata")
		for _, key := range []string{"uid", "creationTimestamp", "managedFields"} {
			delete(metadata, key)
		}
		switch doc["kind"] {
		case "Node":
			each = append(each, merge(large, doc))
		case "Pod":
			metadata["name"] = fmt.Sprintf("%v-%s", metadata["name"], node)
			each = append(each, doc)
		case "DaemonSet":
			once = append(once, doc)
		}
	}
	template, err := json.Marshal(each)
	if err == nil {
		err = s.apply(once...)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all []object
	for i := range n {
		var copies []object
		if err := json.Unmarshal(bytes.ReplaceAll(template, []byte(node), fmt.Appendf(nil, "gpu-%05d", i)), &copies); err != nil {
			t.Fatal(err)
		}
		all = append(all, copies...)
	}
	if err := s.applyAll(all...); err != nil {
		t.Fatal(err)
	}
}
