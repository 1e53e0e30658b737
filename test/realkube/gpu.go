package realkube

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
)

// gpuNamespaces are those of NVIDIA's GPU operator and of NFD, on OpenShift and by Helm.
var gpuNamespaces = []string{"nvidia-gpu-operator", "openshift-nfd", "gpu-operator"}

// LoadGPUs replaces all nodes, and what belongs to their GPUs, by the objects of YAML documents. Times that the server writes
// itself (creationTimestamp, managedFields) are those of the loading. The end of the test removes them.
func (s *Server) LoadGPUs(t testing.TB, yamlDocuments string) {
	t.Helper()
	crds := must(parse("crds-gpu.yaml"))
	if err := s.apply(crds...); err != nil {
		t.Fatal(err)
	}
	for _, crd := range crds {
		spec := nested(crd, "spec")
		s.await(t, fmt.Sprintf("/apis/nvidia.com/%v/%v", spec["versions"].([]any)[0].(object)["name"], nested(spec, "names")["plural"]), http.StatusOK)
	}
	s.clearGPUs(t)
	t.Cleanup(func() { s.clearGPUs(t) })
	docs, err := documents([]byte(yamlDocuments))
	if err != nil {
		t.Fatal(err)
	}
	for i, doc := range docs {
		metadata := maps.Clone(nested(doc, "metadata"))
		delete(metadata, "uid") // the server gives its own
		delete(metadata, "creationTimestamp")
		delete(metadata, "managedFields")
		docs[i] = merge(doc, object{"metadata": nil})
		docs[i]["metadata"] = metadata
	}
	if err := s.apply(docs...); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) clearGPUs(t testing.TB) {
	t.Helper()
	s.Delete(t, "/api/v1/nodes")
	s.Delete(t, "/apis/resource.k8s.io/v1/resourceslices")
	s.Delete(t, "/apis/nvidia.com/v1/clusterpolicies")
	s.Delete(t, "/apis/nvidia.com/v1alpha1/nvidiadrivers")
	for _, namespace := range gpuNamespaces {
		s.Delete(t, "/api/v1/namespaces/"+namespace+"/pods")
		s.Delete(t, "/apis/apps/v1/namespaces/"+namespace+"/daemonsets")
	}
}
