package gpu

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"overdue/internal/kube/kubetest"
)

// incident is the published one, in the objects of a recorded scenario: wrk-98, its taint, and a machine-config update that is
// pending on it.
func incident(t testing.TB) string {
	t.Helper()
	text := strings.NewReplacer("gpu-a02", "wrk-98", "gpu-a01", "wrk-97", "lab7-a100-reserved", "ai4dd-a100-reserved").Replace(scenarioText(t, "02-incident-taint.yaml"))
	head, node, _ := strings.Cut(text, "name: wrk-98")
	return head + "name: wrk-98" + strings.Replace(node, "desiredConfig: rendered-worker-4f0c", "desiredConfig: rendered-worker-9b27", 1)
}

func TestCheckIncident(t *testing.T) {
	out, code := run(t, serve(t, incident(t)))
	want := "[CRITICAL] - node wrk-98: 0 nvidia.com/gpu offered, labels nvidia.com/gpu.product and nvidia.com/gpu.count missing: " +
		"taint ai4dd-a100-reserved=true:NoSchedule, there for at least 172d (since 2026-06-01 10:00 UTC), is not tolerated by 9 GPU DaemonSets; " +
		"next: a machine-config update waits on this node: once it goes on, as a change here may let it, the Machine Config Operator drains and reboots the node; " +
		"nobody can use these GPUs, billing and quotas by label miss the node; " +
		"do: first run check_mcp, and only then: kubectl taint nodes wrk-98 ai4dd-a100-reserved:NoSchedule-, or tolerate it in ClusterPolicy gpu-cluster-policy"
	if firstLine(out) != want || code != 2 {
		t.Errorf("exit %d\n%s\nwant\n%s", code, firstLine(out), want)
	}
	for _, point := range []string{"nodes=2;", "nodes_bad=1;", "gpus_capacity=4;", "gpus_allocatable=4;", "gpus_unhealthy=0;", "gpus_missing=1;", "gpus_missing_on_one_node=1;0;"} {
		if !strings.Contains(out, point) {
			t.Errorf("no %q in\n%s", point, out)
		}
	}
}

// The site's own role: nodes and everything in nvidia.com, nothing else.
func TestCheckIncidentWithReducedRights(t *testing.T) {
	s := serve(t, incident(t))
	s.Forbid("list", "daemonsets.apps")
	s.Forbid("list", "pods")
	s.Forbid("list", "resourceslices.resource.k8s.io")
	out, code := run(t, s, "-v")
	for _, part := range []string{"node wrk-98: 0 nvidia.com/gpu offered", "taint ai4dd-a100-reserved=true:NoSchedule, there for at least 172d",
		"is not tolerated by 9 GPU DaemonSets (inferred from the ClusterPolicy)", "do: first run check_mcp, and only then: ", "kubectl taint nodes wrk-98 ai4dd-a100-reserved:NoSchedule-"} {
		if !strings.Contains(firstLine(out), part) {
			t.Errorf("no %q", part)
		}
	}
	if code != 2 || !strings.Contains(out, "note: which DaemonSets should run where is not known") {
		t.Errorf("exit %d: %s", code, out)
	}
	if s.Count("/api/v1/pods") != 0 {
		t.Errorf("asked for %q", s.Requests())
	}
	s.Forbid("list", "clusterpolicies.nvidia.com")
	if out, code := run(t, s); code != 2 || !strings.Contains(firstLine(out), "perhaps taint") {
		t.Errorf("nodes alone: exit %d: %s", code, out)
	}
	s.Forbid("list", "nodes")
	if out, code := run(t, s); code != 3 || !strings.Contains(out, "icinga/rbac/check-gpu-node.yaml") {
		t.Errorf("without nodes: exit %d: %s", code, out)
	}
}

// The tolerations of a NVIDIADriver are added to the operator's own and independent of the ClusterPolicy's.
func TestCheckReducedRightsWithNVIDIADriver(t *testing.T) {
	const policy = `
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: gpu-cluster-policy}
spec: {driver: {useNvidiaDriverCRD: true}, daemonsets: {tolerations: [{key: ai4dd-a100-reserved, operator: Exists}, {key: nvidia.com/gpu.product, operator: Exists}]}}
---
apiVersion: nvidia.com/v1alpha1
kind: NVIDIADriver
metadata: {name: default}
spec: {tolerations: [{key: nvidia.com/gpu.product, operator: Exists}]}
`
	s := serve(t, incident(t), policy)
	s.Forbid("list", "daemonsets.apps")
	out, code := run(t, s)
	if code != 2 || !strings.Contains(firstLine(out), "is not tolerated by DaemonSet driver (inferred from the NVIDIADriver)") || !strings.Contains(out, "is tolerated in ClusterPolicy gpu-cluster-policy spec.daemonsets.tolerations, but not in NVIDIADriver default spec.tolerations") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// DRA without the right to list ResourceSlices, and on a cluster that has none, is never "no GPU".
func TestCheckDRAWithoutSlices(t *testing.T) {
	s := serve(t, scenarioText(t, "12-dra-resourceslice.yaml"))
	s.Forbid("list", "resourceslices.resource.k8s.io")
	out, code := run(t, s, "-v")
	if code != 3 || !strings.Contains(firstLine(out), "its ResourceSlices could not be read") || !strings.Contains(out, "note: how many devices are published is not known") {
		t.Errorf("forbidden: exit %d: %s", code, out)
	}
	old := serve(t, scenarioText(t, "12-dra-resourceslice.yaml"))
	old.Handle("/apis/resource.k8s.io/v1/resourceslices", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "404 page not found", http.StatusNotFound)
	})
	out, code = run(t, old, "-v")
	if code != 3 || !strings.Contains(out, "note: how many devices are published is not known: cannot list resourceslices: the cluster has no resourceslices") {
		t.Errorf("not served: exit %d: %s", code, out)
	}
}

// A right that is missing costs a note. An answer that makes no sense, or a refused login, is never OK: nothing was judged.
func TestCheckBrokenAnswers(t *testing.T) {
	answer := func(status int, mediaType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			w.Header().Set("Location", "/login")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	const (
		healthy     = "01-healthy.yaml"
		devices     = "12-dra-resourceslice.yaml"
		daemonSets  = "/apis/apps/v1/daemonsets"
		policies    = "/apis/nvidia.com/v1/clusterpolicies"
		drivers     = "/apis/nvidia.com/v1alpha1/nvidiadrivers"
		pods        = "/api/v1/namespaces/nvidia-gpu-operator/pods"
		slices      = "/apis/resource.k8s.io/v1/resourceslices"
		absent      = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"not found","reason":"NotFound","code":404}`
		unknownCost = "which DaemonSets should run where is not known"
	)
	truncated := answer(200, "application/json", `{"kind":"List","apiVersion":"v1","items":[{"metadata":{"na`)
	for _, r := range []struct {
		name, scenario, path string
		answer               http.HandlerFunc
		says                 string
	}{
		{"400", healthy, daemonSets, answer(400, "application/json", ""), unknownCost},
		{"a refused login", healthy, daemonSets, answer(401, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`), "refused the login (401)"},
		{"a redirect", healthy, daemonSets, answer(302, "text/plain", ""), "redirected to"},
		{"cut off", healthy, daemonSets, truncated, unknownCost},
		{"nothing", healthy, daemonSets, answer(200, "application/json", ""), unknownCost},
		{"a login page", healthy, daemonSets, answer(200, "text/html", "<html>login</html>"), "answered with an HTML page (200)"},
		{"a proxy's page", healthy, daemonSets, answer(403, "text/html", "<html>blocked</html>"), "answered with an HTML page (403)"},
		{"a server, or a proxy before it, that does not serve them", healthy, daemonSets, answer(404, "text/plain", "404 page not found\n"), unknownCost},
		{"not found", healthy, daemonSets, answer(404, "application/json", absent), unknownCost},
		{"pods that are not served", healthy, pods, answer(404, "text/plain", "404 page not found\n"), "how the pods in nvidia-gpu-operator are is not known"},
		{"pods not found", healthy, pods, answer(404, "application/json", absent), "how the pods in nvidia-gpu-operator are is not known"},
		{"ClusterPolicies", healthy, policies, truncated, "which taints the operator's DaemonSets tolerate is not known"},
		{"NVIDIADrivers", healthy, drivers, truncated, "which taints the operator's DaemonSets tolerate is not known"},
		{"pods", healthy, pods, truncated, "how the pods in nvidia-gpu-operator are is not known"},
		{"ResourceSlices", devices, slices, truncated, "how many devices are published is not known"},
	} {
		s := serve(t, scenarioText(t, r.scenario))
		if r.path == policies || r.path == drivers {
			s.Forbid("list", "daemonsets.apps")
		}
		s.Handle(r.path, r.answer)
		if out, code := run(t, s); code != 3 || !strings.Contains(firstLine(out), r.says) || strings.Contains(out, "grant") || strings.Contains(out, "rights") {
			t.Errorf("%s: exit %d, want 3 with %q: %s", r.name, code, r.says, out)
		}
	}
	s := serve(t, incident(t))
	s.Handle(daemonSets, truncated)
	if out, code := run(t, s); code != 3 || !strings.Contains(out, "known until then:") || !strings.Contains(out, "node wrk-98: 0 nvidia.com/gpu offered") || !strings.Contains(out, "is not tolerated by 9 GPU DaemonSets (inferred from the ClusterPolicy)") {
		t.Errorf("what is known is not told: exit %d: %s", code, out)
	}
}

// A healthy cluster costs one list of nodes with content and six without, one of DaemonSets and one of pods for each namespace.
func TestCheckAsksForLittle(t *testing.T) {
	s := serve(t, scenarioText(t, "01-healthy.yaml"), scenarioText(t, "02-incident-taint.yaml"))
	s.Remove("Node", "", "gpu-a02")
	if out, code := run(t, s); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	requests := s.Requests()
	if len(requests) != 10 || s.Count("/api/v1/nodes") != 7 || s.Count("/apis/apps/v1/daemonsets") != 1 ||
		s.Count("/api/v1/namespaces/nvidia-gpu-operator/pods") != 1 || s.Count("/api/v1/namespaces/openshift-nfd/pods") != 1 {
		t.Errorf("%d requests: %q", len(requests), requests)
	}
	for _, r := range requests {
		if strings.Contains(r, "/nodes?") && !strings.Contains(r, "labelSelector") || strings.Contains(r, "/pods?") && !strings.Contains(r, "labelSelector=app+in+") {
			t.Errorf("without a label selector: %s", r)
		}
	}
	if !strings.Contains(requests[1], "%21nvidia.com%2Fgpu.present") {
		t.Errorf("the second list of nodes does not leave out those of the first: %s", requests[1])
	}
	t.Run("--node", func(t *testing.T) {
		s := serve(t, scenarioText(t, "02-incident-taint.yaml"))
		out, code := run(t, s, "--node", "gpu-a01", "--no-pods", "--namespace", "nvidia-gpu-operator")
		if code != 0 || len(s.Requests()) != 2 || !strings.Contains(s.Requests()[0], "fieldSelector=metadata.name%3Dgpu-a01") || s.Count("/apis/apps/v1/namespaces/nvidia-gpu-operator/daemonsets") != 1 {
			t.Errorf("exit %d, %q: %s", code, s.Requests(), out)
		}
	})
}

// Rights in some namespaces only: those are named.
func TestCheckNamespaces(t *testing.T) {
	out, code := run(t, serve(t, incident(t)), "--namespace", "nvidia-gpu-operator")
	if code != 2 || !strings.Contains(firstLine(out), "by 9 GPU DaemonSets;") {
		t.Errorf("exit %d: %s", code, out)
	}
	out, code = run(t, serve(t, incident(t)), "--namespace", "elsewhere")
	if code != 2 || !strings.Contains(firstLine(out), "no device plugin DaemonSet exists") || !strings.Contains(firstLine(out), "--namespace") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// A right that is missing in one of several namespaces costs those DaemonSets, not the others.
func TestCheckNamespacesInPart(t *testing.T) {
	s := serve(t, incident(t))
	s.Handle("/apis/apps/v1/namespaces/forbidden/daemonsets", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	args := []string{"--namespace", "forbidden", "--namespace", "nvidia-gpu-operator", "--namespace", "nvidia-gpu-operator", "--namespace", "empty"}
	out, code := run(t, s, append(args, "-v")...)
	if code != 2 || !strings.Contains(firstLine(out), "by 9 GPU DaemonSets;") || s.Count("/apis/apps/v1/namespaces/nvidia-gpu-operator/daemonsets") != 1 {
		t.Errorf("exit %d: %s", code, out)
	}
	if !strings.Contains(out, "note: which DaemonSets of the namespace forbidden should run where is not known") || !strings.Contains(out, "note: no GPU DaemonSet is in the namespace empty") {
		t.Errorf("%s", out)
	}
	out, code = run(t, s, append(args, "--node", "wrk-97")...)
	if code != 0 || !strings.Contains(firstLine(out), "taints not judged for the DaemonSets of forbidden, which could not be read; no GPU DaemonSet in empty, is --namespace right?") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, _ = run(t, s, "--namespace", "forbidden", "--namespace", "empty"); strings.Contains(out, "no device plugin DaemonSet exists") {
		t.Errorf("%s", out)
	}
}

// Pods of one namespace that may not be read cost a note.
func TestCheckWithoutPods(t *testing.T) {
	s := serve(t, incident(t))
	s.Forbid("list", "pods")
	out, code := run(t, s, "-v")
	if code != 2 || !strings.Contains(firstLine(out), "is not tolerated by 9 GPU DaemonSets;") || !strings.Contains(out, "note: how the pods in nvidia-gpu-operator are is not known") {
		t.Errorf("exit %d: %s", code, out)
	}
	out, code = run(t, serve(t, incident(t)), "--no-pods")
	if code != 2 || !strings.Contains(firstLine(out), "is not tolerated by 9 GPU DaemonSets;") {
		t.Errorf("--no-pods: exit %d: %s", code, out)
	}
}

// A pod that waits for the scheduler has no spec.nodeName, only the affinity by which the DaemonSet controller pins it.
func TestCheckOneNodeSeesItsPendingPod(t *testing.T) {
	const waits = `
apiVersion: v1
kind: Pod
metadata: {name: waits, namespace: nvidia-gpu-operator, labels: {app: nvidia-dcgm}, creationTimestamp: "2026-11-20T08:00:00Z", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: nvidia-dcgm, uid: u, controller: true}]}
spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [wrk-97]}]}]}}}, containers: [{name: c}]}
status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: Insufficient memory}]}
`
	out, code := run(t, serve(t, incident(t), waits), "--node", "wrk-97")
	if code != 1 || !strings.Contains(firstLine(out), "nvidia-dcgm: Pending, Unschedulable: Insufficient memory") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// DaemonSets are found by what they select, not by their names.
func TestCheckFindsDaemonSets(t *testing.T) {
	const more = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: house-brand, namespace: house}
spec: {selector: {matchLabels: {a: b}}, template: {spec: {volumes: [{name: v, hostPath: {path: /var/lib/kubelet/device-plugins/}}], tolerations: [{key: nvidia.com/gpu.product, operator: Exists}], affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: nvidia.com/gpu.present, operator: In, values: ["true"]}]}]}}}, containers: [{name: c}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plain, namespace: kube-system}
spec: {selector: {matchLabels: {a: b}}, template: {spec: {tolerations: [{key: nvidia.com/gpu, operator: Exists}, {key: nvidia.com/gpu.product, operator: Exists}], volumes: [{name: v, hostPath: {path: /var/lib/kubelet/device-plugins}}], containers: [{name: c, image: "nvcr.io/nvidia/k8s-device-plugin:v0.17.0"}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: gpu-burn-watch, namespace: house}
spec: {selector: {matchLabels: {a: b}}, template: {spec: {nodeSelector: {nvidia.com/gpu.present: "true"}, containers: [{name: c}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: node-labels-only, namespace: house}
spec: {selector: {matchLabels: {a: b}}, template: {spec: {nodeSelector: {nvidia.com/gpu.product: A100}, tolerations: [{key: nvidia.com/gpu, operator: Exists}], containers: [{name: c}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: logs, namespace: logging}
spec: {selector: {matchLabels: {a: b}}, template: {spec: {tolerations: [{key: nvidia.com/gpu, operator: Exists}], containers: [{name: c}]}}}
`
	out, code := run(t, serve(t, incident(t), more))
	if code != 2 || !strings.Contains(firstLine(out), "by 11 GPU DaemonSets") || !strings.Contains(out, "house-brand") || !strings.Contains(out, "plain") || strings.Contains(out, "logs") || strings.Contains(out, "gpu-burn-watch") || strings.Contains(out, "node-labels-only") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestCheckWithoutGPUs(t *testing.T) {
	s := serve(t, `{apiVersion: v1, kind: Node, metadata: {name: w}}`)
	out, code := run(t, s)
	if code != 3 || !strings.Contains(firstLine(out), "has no GPU node") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code := run(t, s, "--allow-empty"); code != 0 {
		t.Errorf("--allow-empty: exit %d: %s", code, out)
	}
	for _, r := range s.Requests() {
		if !strings.Contains(r, "/nodes?") {
			t.Errorf("asked for %s", r)
		}
	}
}

// Perfdata has the same labels whatever is found.
func TestPerfdataIsStable(t *testing.T) {
	labels := func(out string) string {
		_, data, _ := strings.Cut(out, "\n|")
		var names []string
		for _, point := range strings.Fields(data) {
			name, _, _ := strings.Cut(point, "=")
			names = append(names, name)
		}
		return strings.Join(names, " ")
	}
	const want = "nodes nodes_bad gpus_capacity gpus_allocatable gpus_unhealthy gpus_missing gpus_missing_on_one_node"
	for _, r := range scenarios {
		if out, _ := run(t, serve(t, scenarioText(t, r.file)), strings.Fields(r.args)...); labels(out) != want {
			t.Errorf("%s: %s", r.file, labels(out))
		}
	}
	grace, code := run(t, serve(t, incident(t)), "--node", "wrk-98", "--grace", "9999d")
	if labels(grace) != want {
		t.Errorf("within the grace, exit %d: %s", code, labels(grace))
	}
	dra := serve(t, scenarioText(t, "12-dra-resourceslice.yaml"))
	dra.Forbid("list", "resourceslices.resource.k8s.io")
	if out, _ := run(t, dra); labels(out) != want {
		t.Errorf("devices unread: %s", labels(out))
	}
	empty, _ := run(t, serve(t))
	if labels(empty) != want {
		t.Errorf("empty: %s", labels(empty))
	}
}

// Texts from the API are untrusted; a hostile one must not break the line, start perfdata, be a tag or flood. A name that is
// none is refused by the client.
func TestCheckHostileTexts(t *testing.T) {
	evil := func(s string) string {
		return s + "\n[OK] - all | a=1 <script>\x1b[31m\u202e" + strings.Repeat("x", 20_000)
	}
	objects, err := kubetest.Load([]byte(incident(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		fields := o.(map[string]any)
		meta := fields["metadata"].(map[string]any)
		switch fields["kind"] {
		case "DaemonSet":
			for _, owner := range asList(meta["ownerReferences"]) {
				owner.(map[string]any)["name"] = evil("policy")
			}
		case "Node":
			if meta["name"] == "wrk-98" {
				taints := asList(fields["spec"].(map[string]any)["taints"])
				taints[1].(map[string]any)["value"] = evil("true")
				meta["annotations"].(map[string]any)[mcoDesired] = evil("rendered")
				meta["labels"].(map[string]any)[labelInstance] = evil("kind")
			}
		}
	}
	s := serve(t)
	s.Put(objects...)
	out, code := run(t, s, "-v")
	if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - node wrk-98") {
		t.Errorf("exit %d: %.300s", code, out)
	}
	if len(out) > 20_000 || strings.Count(out, "|") != 1 || strings.ContainsAny(out, "<>\x1b\r\u202e") || strings.Contains(out, "\n[OK]") {
		t.Errorf("%d bytes: %.2000s", len(out), out)
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}
