package gpu

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func TestCheckOptions(t *testing.T) {
	s := serve(t, incident(t))
	for _, r := range []struct {
		args string
		code int
		says string
	}{
		{"--node wrk-97", 0, "1 GPU node, 4 of 4"},
		{"--node wrk-97 --node wrk-98", 2, "node wrk-98"},
		{"--node wrk-99", 3, "no node is named wrk-99"},
		{"--node a,b", 3, "is no name of a node"},
		{"--ignore-taint ai4dd-a100-reserved", 0, "node wrk-98: 0 nvidia.com/gpu offered, on purpose: taint ai4dd-a100-reserved=true:NoSchedule (--ignore-taint)"},
		{"--ignore-taint nvidia.com/gpu.product", 2, "node wrk-98: 0 nvidia.com/gpu offered"},
		{"--ignore-taint ai4dd-a100-reserved=true:NoSchedule", 0, "on purpose"},
		{"--vendor ati", 3, "amd, gaudi, intel, nvidia"},
		{"--vendor amd", 3, "has no GPU node"},
		{"--vendor amd --selector nvidia.com/gpu.present --resource nvidia.com/gpu --require-label none", 2, "node wrk-98: 0 nvidia.com/gpu offered"},
		{"--selector kubernetes.io/hostname=wrk-97", 0, "1 GPU node, 4 of 4"},
		{"--node Wrk_98", 3, "--node \"Wrk_98\" is no name of a node"},
		{"--node wrk-97 --node wrk-97", 0, "1 GPU node, 4 of 4"},
		{"--namespace a/b", 3, "--namespace \"a/b\" is no name of a namespace"},
		{"--namespace=", 3, "--namespace \"\" is no name of a namespace"},
		{"--grace -5m", 3, "--grace"},
		{"--selector a=b=c", 3, "--selector \"a=b=c\" is no label selector"},
		{"--expect-selector x,", 3, "--expect-selector \"x,\" is no label selector"},
		{"--node wrk-97 --expect 8", 1, "4 of 8 nvidia.com/gpu"},
		{"--node wrk-97 --expect 8 -c 3", 2, "4 of 8 nvidia.com/gpu"},
		{"--expect -1", 3, "must not be negative"},
		{"--expect 1000001", 3, "--expect 1000001: no node has more than 1000000"},
		{"--require-label rack=5", 3, `--require-label "rack=5" is no label's key`},
		{"--require-label none --require-label rack", 3, "--require-label none stands alone"},
		{"--count-label a/b/c", 3, `--count-label "a/b/c" is no label's key`},
		{"--replicas-label -x", 3, `--replicas-label "-x" is no label's key`},
		{"--upgrade-label a=b", 3, `--upgrade-label "a=b" is no label's key`},
		{"--dra-driver a,b", 3, `--dra-driver "a,b" is no driver's name`},
		{"--node wrk-97 --require-label rack", 1, "label rack"},
		{"--grace 5x", 3, "--grace"},
		{"--max-cordon 5x", 3, "--max-cordon"},
		{"wrk-98", 3, "wrk-98"},
	} {
		out, code := run(t, s, strings.Fields(r.args)...)
		if code != r.code || !strings.Contains(out, r.says) {
			t.Errorf("%s: exit %d, want %d with %q:\n%s", r.args, code, r.code, r.says, out)
		}
	}
}

// What can match nothing, or means something else than it seems to, is wrong use: said in one line, with the value and what is valid.
func TestCheckRefusesNonsense(t *testing.T) {
	const (
		resource = "write it as nvidia.com/gpu or nvidia.com/mig-*"
		taint    = "write it as key, key=value or key=value:NoSchedule"
		label    = "write it as nvidia.com/gpu.product"
		selector = "write it as key, key=value or 'key in (a,b)'"
	)
	s := serve(t, incident(t))
	for _, r := range []struct{ flag, value, says string }{
		{"--resource", "", `--resource "" is no resource with a domain; ` + resource},
		{"--resource", " ", `--resource " " is no resource with a domain; ` + resource},
		{"--resource", "gpu", `--resource "gpu" is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/", `--resource "nvidia.com/" is no resource with a domain; ` + resource},
		{"--resource", "/gpu", `--resource "/gpu" is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/gpu/shared", `--resource "nvidia.com/gpu/shared" is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/gpu ", `--resource "nvidia.com/gpu " is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/g pu*", `--resource "nvidia.com/g pu*" is no resource with a domain; ` + resource},
		{"--resource", "*/gpu", `--resource "*/gpu" has a wildcard in its domain; ` + resource},
		{"--resource", "*.com/gpu", `--resource "*.com/gpu" has a wildcard in its domain; ` + resource},
		{"--resource", "nvidia.com/[", `--resource "nvidia.com/[" is no glob; ` + resource},
		{"--resource", "nvidia.com/gpu-", `--resource "nvidia.com/gpu-" is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/" + strings.Repeat("g", 64), `is no resource with a domain; ` + resource},
		{"--ignore-taint", "", `--ignore-taint "": "" is no taint's key; ` + taint},
		{"--ignore-taint", "=x", `--ignore-taint "=x": "" is no taint's key; ` + taint},
		{"--ignore-taint", "a b", `--ignore-taint "a b": "a b" is no taint's key; ` + taint},
		{"--ignore-taint", "ai4dd-*", `--ignore-taint "ai4dd-*": "ai4dd-*" is no taint's key; ` + taint},
		{"--ignore-taint", "a/b/c:NoSchedule", `--ignore-taint "a/b/c:NoSchedule": "a/b/c" is no taint's key; ` + taint},
		{"--ignore-taint", "a=b c", `--ignore-taint "a=b c": "b c" is no taint's value; ` + taint},
		{"--ignore-taint", "a=*", `--ignore-taint "a=*": "*" is no taint's value; ` + taint},
		{"--ignore-taint", "a:", `--ignore-taint "a:": "" is no effect: there are NoSchedule, PreferNoSchedule and NoExecute`},
		{"--ignore-taint", "a:Sometimes", `--ignore-taint "a:Sometimes": "Sometimes" is no effect: there are NoSchedule, PreferNoSchedule and NoExecute`},
		{"--ignore-taint", "a:NoSchedul", `--ignore-taint "a:NoSchedul": "NoSchedul" is no effect; did you mean NoSchedule?`},
		{"--ignore-taint", "a=b:noexecute", `--ignore-taint "a=b:noexecute": "noexecute" is no effect; did you mean NoExecute?`},
		{"--ignore-taint", "a:NoSchedule-", `--ignore-taint "a:NoSchedule-": "NoSchedule-" is no effect; did you mean NoSchedule?`},
		{"--ignore-taint", "a=b:NoSchedule:NoExecute", `is no effect`},
		{"--require-label", "", `--require-label "" is no label's key; ` + label},
		{"--require-label", "gpu model", `--require-label "gpu model" is no label's key; ` + label},
		{"--require-label", "nvidia.com/*", `--require-label "nvidia.com/*" is no label's key; ` + label},
		{"--count-label", "", `--count-label "" is no label's key; ` + label},
		{"--replicas-label", "", `--replicas-label "" is no label's key; ` + label},
		{"--upgrade-label", "", `--upgrade-label "" is no label's key; ` + label},
		{"--dra-driver", "", `--dra-driver "" is no driver's name; write it as gpu.nvidia.com`},
		{"--dra-driver", "gpu.*", `--dra-driver "gpu.*" is no driver's name; write it as gpu.nvidia.com`},
		{"--selector", "", `--selector "" is no label selector; ` + selector},
		{"--selector", " ", `--selector " " is no label selector; ` + selector},
		{"--selector", "nvidia.com/*", `--selector "nvidia.com/*" is no label selector; ` + selector},
		{"--selector", "a b", `--selector "a b" is no label selector; ` + selector},
		{"--selector", "type=a100*", `--selector "type=a100*" is no label selector; ` + selector},
		{"--selector", "type in ()", `--selector "type in ()" is no label selector; ` + selector},
		{"--expect-selector", "", `--expect-selector "" is no label selector; ` + selector},
		{"--expect-selector", "type notin ( )", `--expect-selector "type notin ( )" is no label selector; ` + selector},
		{"--node", "", `--node "" is no name of a node`},
		{"--node", "wrk-*", `--node "wrk-*" is no name of a node`},
		{"--namespace", "gpu-*", `--namespace "gpu-*" is no name of a namespace`},
		{"--vendor", "", `--vendor "": there are amd, gaudi, intel, nvidia`},
	} {
		out, code := run(t, s, r.flag, r.value)
		if code != 3 || !strings.Contains(firstLine(out), r.says) {
			t.Errorf("%s %q: exit %d, want 3 with %q:\n%s", r.flag, r.value, code, r.says, out)
		}
	}
	if asked := s.Requests(); len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
}

// Every preset is made of parameters, each of which has an option: given one by one they do the same.
func TestPresetsAreOptions(t *testing.T) {
	for name, p := range vendors {
		args := []string{"--vendor", "gaudi"}
		for _, o := range []struct {
			flag   string
			values []string
		}{{"--resource", p.Resources}, {"--selector", p.Selectors}, {"--require-label", p.RequireLabels}, {"--count-label", one(p.CountLabel)},
			{"--replicas-label", one(p.ReplicasLabel)}, {"--upgrade-label", one(p.UpgradeLabel)}, {"--dra-driver", one(p.Driver)}} {
			for _, value := range o.values {
				args = append(args, o.flag, value)
			}
		}
		s := serve(t, incident(t))
		preset, _ := run(t, s, "--vendor", name)
		given, _ := run(t, s, args...)
		if preset != given {
			t.Errorf("--vendor %s:\n%s\n%q:\n%s", name, preset, args, given)
		}
	}
}

func one(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
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

// Pods as the API sends them, in words.
func TestTroubleOfPods(t *testing.T) {
	for _, r := range []struct{ status, says string }{
		{`{conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: 0/3 nodes}]}`, "Pending, Unschedulable: 0/3 nodes"},
		{`{phase: Pending, initContainerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: {running: {}}}]}`, "Init:1/2, waits in b"},
		{`{phase: Pending, initContainerStatuses: [{name: a, restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}}]}`, "Init:CrashLoopBackOff in a (3 restarts)"},
		{`{phase: Pending, initContainerStatuses: [{name: a, restartCount: 1, state: {terminated: {exitCode: 1, reason: Error}}}]}`, "Init:Error in a (1 restart)"},
		{`{phase: Running, containerStatuses: [{name: c, restartCount: 12, state: {waiting: {reason: CrashLoopBackOff}}}]}`, "CrashLoopBackOff in c (12 restarts)"},
		{`{phase: Running, containerStatuses: [{name: b, ready: true, state: {running: {}}}, {name: c, state: {running: {}}}]}`, "c is not ready"},
		{`{phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ContainerCreating}}}]}`, "c is not ready"},
		{`{phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ImagePullBackOff}}}]}`, "ImagePullBackOff in c"},
		{`{phase: Failed, reason: UnexpectedAdmissionError}`, "Failed, UnexpectedAdmissionError"},
		{`{}`, "Pending"},
	} {
		text := incident(t) + fmt.Sprintf(`
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: nvidia-gpu-operator, labels: {app: nvidia-dcgm}, creationTimestamp: "2026-11-20T09:59:00Z", ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: nvidia-dcgm, uid: u, controller: true}]}
spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [wrk-97]}]}]}}}, containers: [{name: c}]}
status: %s
`, r.status)
		s := serve(t, text)
		var pods []Pod
		for _, d := range podsOf(t, s) {
			if d.Name == "p" {
				pods = append(pods, d)
			}
		}
		if len(pods) != 1 || pods[0].Trouble != r.says || pods[0].Node != "wrk-97" {
			t.Errorf("%s: %+v, want %q", r.status, pods, r.says)
		}
	}
}

// Labels that NFD and the operator have given up no longer mean "has GPUs"; a device taint with effect None only informs.
func TestReductions(t *testing.T) {
	lost := strings.NewReplacer("nvidia.com/gpu.present: \"true\"", "nvidia.com/gpu.present: \"false\"", "pci-10de.present", "pci-0302.present").Replace(scenarioText(t, "09-deploy-label-empty.yaml"))
	if out, code := run(t, serve(t, lost)); code != 2 || !strings.Contains(firstLine(out), "no longer recognised as a GPU node (nvidia.com/gpu.present=false)") || !strings.Contains(firstLine(out), "pci-0302.present is there") {
		t.Errorf("exit %d: %s", code, out)
	}
	informed := strings.Replace(scenarioText(t, "12-dra-resourceslice.yaml"), `value: "79", effect: NoSchedule`, `value: "79", effect: None`, 1)
	if out, code := run(t, serve(t, informed)); code != 0 || !strings.Contains(firstLine(out), "4 of 4 gpu.nvidia.com devices") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, _ := run(t, serve(t, scenarioText(t, "03-one-unhealthy-gpu.yaml"))); !strings.Contains(out, " gpus_unhealthy=1;") || !strings.Contains(out, " gpus_capacity=8;") {
		t.Errorf("%s", out)
	}
}

func TestQueriesLeaveOutEarlierNodes(t *testing.T) {
	selectors, err := parseSelectors("--selector", []string{"a", "b=1", "c in (x,y)", "d=1,e=2", "!f", "g!=1"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "!a,b=1", "!a,b!=1,c in (x,y)", "!a,b!=1,c notin (x,y),d=1,e=2", "!a,b!=1,c notin (x,y),!f", "!a,b!=1,c notin (x,y),f,g!=1"}
	if got := queries(selectors); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// A rollout begins with the write of the pod template; what the controller writes into the status does not begin it anew.
func TestRolloutOfDaemonSets(t *testing.T) {
	created, template, status := before(9*day), before(2*day), before(time.Minute)
	o := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "d", CreationTimestamp: metav1.NewTime(created)}}
	if got := reduceDaemonSet(o).Rolled; !got.Equal(created) {
		t.Errorf("new: %v", got)
	}
	entry := func(at time.Time, subresource, fields string) metav1.ManagedFieldsEntry {
		when := metav1.NewTime(at)
		return metav1.ManagedFieldsEntry{Time: &when, Subresource: subresource, FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
	}
	o.ManagedFields = []metav1.ManagedFieldsEntry{entry(template, "", `{"f:spec":{"f:template":{}}}`), entry(status, "status", `{"f:status":{"f:template":{}}}`)}
	if got := reduceDaemonSet(o).Rolled; !got.Equal(template) {
		t.Errorf("changed: %v", got)
	}
}

// The API dates a deletion to the end of the time that the pod has to end by itself. The DaemonSet controller marks pods with their revision.
func TestDeletionOfPods(t *testing.T) {
	at, seconds, yes := metav1.NewTime(noon), int64(30), true
	o := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", DeletionTimestamp: &at, DeletionGracePeriodSeconds: &seconds,
		Labels:          map[string]string{"controller-revision-hash": "5d8f"},
		OwnerReferences: []metav1.OwnerReference{{Kind: "DaemonSet", Name: "d", Controller: &yes}}}}
	if p, ok := reducePod(o); !ok || p.Revision != "5d8f" || !p.Deleting || !p.DeletedSince.Equal(before(30*time.Second)) {
		t.Errorf("%+v", p)
	}
}

// The DRA driver's chart can publish compute domains alone: its pod then has no container for GPUs.
func TestRoleOfDRADrivers(t *testing.T) {
	driver := func(containers ...string) *appsv1.DaemonSet {
		o := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "nvidia-dra-driver-gpu-kubelet-plugin"}}
		for _, name := range containers {
			o.Spec.Template.Spec.Containers = append(o.Spec.Template.Spec.Containers, corev1.Container{Name: name})
		}
		return o
	}
	if d := reduceDaemonSet(driver("compute-domains")); d.Role != roleAuxiliary {
		t.Errorf("compute domains alone: role %d", d.Role)
	}
	for _, containers := range [][]string{{"compute-domains", "gpus"}, {"gpus"}, nil} {
		if d := reduceDaemonSet(driver(containers...)); d.Role != rolePlugin {
			t.Errorf("%q: role %d", containers, d.Role)
		}
	}
}
