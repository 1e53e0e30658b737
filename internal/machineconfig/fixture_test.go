package machineconfig

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const (
	oldWorker = "rendered-worker-4f1c0a9e2d7b8365c1e0fa92d4b7e611"
	newWorker = "rendered-worker-9b27c5d81e4f0a63b2c9d7e8f1045a3c"
)

// objects reads a recorded list, a single object, or several YAML documents.
func objects[T any](t testing.TB, file string) []T {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(file, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for doc := range strings.SplitSeq(string(data), "\n---\n") {
		var list struct{ Items []json.RawMessage }
		if err := yaml.Unmarshal([]byte(doc), &list); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if list.Items == nil {
			body, err := yaml.YAMLToJSON([]byte(doc))
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			list.Items = append(list.Items, body)
		}
		for _, item := range list.Items {
			var o T
			if err := json.Unmarshal(item, &o); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		t.Fatalf("%s holds nothing", file)
	}
	return out
}

func loadPools(t testing.TB, file string) []Pool {
	t.Helper()
	var out []Pool
	for _, o := range objects[poolObject](t, file) {
		out = append(out, reducePool(&o))
	}
	return out
}

// loadNodes reads nodes; a later file's node replaces an earlier one's of the same name.
func loadNodes(t testing.TB, pools []Pool, files ...string) []Node {
	t.Helper()
	var out []Node
	at := map[string]int{}
	for _, file := range files {
		for _, o := range objects[corev1.Node](t, file) {
			n := reduceNode(&o, selectorKeys(pools))
			if i, ok := at[n.Name]; ok {
				out[i] = n
				continue
			}
			at[n.Name] = len(out)
			out = append(out, n)
		}
	}
	return out
}

// scenario is one of the recorded ones, a to j.
func scenario(t testing.TB, name string) Snapshot {
	t.Helper()
	dir := filepath.Join("testdata", "scenarios")
	s := Snapshot{NodesRead: true, Images: poolImages{read: true}, Pools: loadPools(t, filepath.Join(dir, name+"-mcp-list.json"))}
	files := []string{filepath.Join(dir, "base-nodes.json.gz"), filepath.Join(dir, name+"-nodes-3.json")}
	if name == "j-custom-pool" {
		files[1] = filepath.Join(dir, name+"-nodes.yaml")
	}
	s.Nodes = loadNodes(t, s.Pools, files...)
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch {
		case strings.HasPrefix(n.Name, "ctl-"):
		case name == "d-paused-pending", name == "g-stale-status":
			n.Current, n.Desired = oldWorker, oldWorker
			n.Unschedulable = false
		case !listed(t, files[1], n.Name):
			n.Unschedulable = false // of the base, the incident's two cordons
		}
	}
	return s
}

func listed(t testing.TB, file, node string) bool {
	for _, o := range objects[metav1.PartialObjectMetadata](t, file) {
		if o.Name == node {
			return true
		}
	}
	return false
}

// controller is a recording of the MCO's own controllers at work. Its nodes are those of the incident's recording but for
// the ones in its own file, whose path may be empty.
func controller(t testing.TB, name, nodes string) Snapshot {
	t.Helper()
	dir := filepath.Join("testdata", "controller")
	s := Snapshot{NodesRead: true, Images: poolImages{read: true}, Pools: loadPools(t, filepath.Join(dir, name+"-mcp-list.json"))}
	files := []string{filepath.Join(dir, "incident-two-cordoned-nodes-list.json.gz")}
	if nodes != "" {
		files = append(files, filepath.Join(dir, nodes))
	}
	s.Nodes = loadNodes(t, s.Pools, files...)
	return s
}

func drainHeldByBudget(t testing.TB) Snapshot {
	s := controller(t, "drain-blocked-by-pdb", "drain-blocked-by-pdb-node-wrk-98.json")
	for i := range s.Nodes {
		if s.Nodes[i].Name == "wrk-71" {
			s.Nodes[i].Unschedulable = false // it was cordoned a quarter of an hour later
		}
	}
	dir := filepath.Join("testdata", "controller")
	for _, o := range objects[budgetObject](t, filepath.Join(dir, "drain-blocked-by-pdb-pdb.json")) {
		s.Budgets = append(s.Budgets, reduceBudget(&o))
	}
	s.Pods = map[string][]Pod{}
	for _, o := range objects[podObject](t, filepath.Join(dir, "drain-blocked-by-pdb-pod.json")) {
		if p, ok := reducePod(&o); ok {
			s.Pods["wrk-98"] = append(s.Pods["wrk-98"], p)
		}
	}
	return s
}

func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
