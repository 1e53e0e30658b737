package gpu

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overdue/internal/kube"
	"overdue/internal/kube/kubetest"
)

// clock is the time of the recorded scenarios.
const clock = "2026-11-20T10:00:00Z"

func scenarioText(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// serve starts a stand-in API server that holds the objects of YAML documents.
func serve(t testing.TB, documents ...string) *kubetest.Server {
	t.Helper()
	s := kubetest.New()
	t.Cleanup(s.Close)
	s.Declare("nvidia.com/v1", "ClusterPolicy")
	s.Declare("nvidia.com/v1alpha1", "NVIDIADriver")
	for _, text := range documents {
		objects, err := kubetest.Load([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s.Put(objects...)
	}
	return s
}

// run is one run of check_gpu_node against the server, at the time of the scenarios unless --now is given.
func run(t testing.TB, s *kubetest.Server, args ...string) (string, int) {
	t.Helper()
	args = append([]string{"--kubeconfig", s.Kubeconfig(t.TempDir()), "--now", clock}, args...)
	var out bytes.Buffer
	code := Check(context.Background(), args, nil, &out)
	return out.String(), code
}

func firstLine(out string) string {
	line, _, _ := strings.Cut(out, "\n")
	return line
}

// podsOf reads the pods that the plugin would.
func podsOf(t testing.TB, s *kubetest.Server) []Pod {
	t.Helper()
	client, err := kube.Connect(kube.Options{Kubeconfig: s.Kubeconfig(t.TempDir())}, kube.Surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	o := options{vendor: "nvidia"}
	r, err := o.reader()
	if err != nil {
		t.Fatal(err)
	}
	r.client, r.note = client, t.Logf
	snapshot, err := r.read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snapshot.Pods
}

func splitYAML(text string) []string { return strings.Split("\n"+text, "\n---\n") }
