package gpu

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"

	"overdue/internal/plugin"
)

// FuzzJudge judges whatever a server may say of its nodes, DaemonSets, pods, policies and devices: no panic, no state that does
// not exist, and every number one that can be drawn.
func FuzzJudge(f *testing.F) {
	for _, file := range []string{"02-incident-taint.yaml", "06-driver-upgrade.yaml", "11-mig-change-stuck.yaml", "12-dra-resourceslice.yaml"} {
		var first [5][]byte // of each kind
		for _, o := range documents(f, scenarioText(f, file)) {
			for i, kind := range []string{"Node", "DaemonSet", "Pod", "ClusterPolicy", "ResourceSlice"} {
				if o["kind"] == kind && first[i] == nil {
					first[i], _ = json.Marshal(o)
				}
			}
		}
		f.Add(first[0], first[1], first[2], first[3], first[4], int64(1795168800), true)
	}
	f.Add([]byte(`{"metadata":{"name":"n","labels":{"nvidia.com/gpu.present":"false","nvidia.com/mig-x.count":"-1","nvidia.com/gpu.count":"9999999999999999999"}},"status":{"capacity":{"nvidia.com/gpu":"-5"}}}`),
		[]byte(`{}`), []byte(`{}`), []byte(`{}`), []byte(`{"spec":{"pool":{"resourceSliceCount":-1}}}`), int64(math.MaxInt64), false)
	f.Fuzz(func(t *testing.T, node, daemonSet, pod, policy, slice []byte, seconds int64, read bool) {
		var n corev1.Node
		var d appsv1.DaemonSet
		var p corev1.Pod
		var o policyObject
		var l resourcev1.ResourceSlice
		if json.Unmarshal(node, &n) != nil || json.Unmarshal(daemonSet, &d) != nil || json.Unmarshal(pod, &p) != nil || json.Unmarshal(policy, &o) != nil || json.Unmarshal(slice, &l) != nil {
			return
		}
		options := options{vendor: "nvidia"}
		r, err := options.reader()
		if err != nil {
			t.Fatal(err)
		}
		s := Snapshot{Nodes: []Node{r.reduceNode(&n)}, DaemonSetsRead: read, DaemonSets: []DaemonSet{reduceDaemonSet(&d)},
			PodsRead: map[string]bool{d.Namespace: read}, Policies: []Policy{reducePolicy("ClusterPolicy", &o), reducePolicy("NVIDIADriver", &o)},
			SlicesRead: read, Slices: []Slice{reduceSlice(&l)}}
		r.concerns(&d)
		if reduced, ok := reducePod(&p); ok {
			s.Pods = append(s.Pods, reduced)
		}
		v := Judge(s, r.params, limits(), time.Unix(seconds%(1<<40), 0))
		for _, finding := range v.Findings {
			if finding.State < plugin.OK || finding.State > plugin.Unknown || finding.Subject == "" || finding.Problem == "" {
				t.Fatalf("finding %+v", finding)
			}
		}
		for _, m := range v.Metrics {
			if math.IsNaN(m.Value) || m.Value < 0 {
				t.Fatalf("metric %+v", m)
			}
		}
	})
}

func documents(t testing.TB, text string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, doc := range splitYAML(text) {
		var o map[string]any
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			t.Fatal(err)
		}
		if o != nil {
			out = append(out, o)
		}
	}
	return out
}
