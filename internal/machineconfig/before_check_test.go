package machineconfig

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"overdue/internal/kube/kubetest"
)

// beforeServer is the incident with a change outstanding, and what runs on its nodes.
func beforeServer(t testing.TB) *kubetest.Server {
	t.Helper()
	s := serve(t, "scenarios/base-nodes.json.gz", "scenarios/a-pending-blocked-by-cordon-mcp-list.json", "scenarios/a-pending-blocked-by-cordon-nodes-3.json")
	furnish(t, s)
	return s
}

// furnish adds the workloads of wrk-98, its two MachineConfigs, and ClusterOperators.
func furnish(t testing.TB, s *kubetest.Server) {
	t.Helper()
	for _, kind := range []string{"MachineConfig", "MachineConfigNode"} {
		s.Declare(group+"/v1", kind)
	}
	s.Declare("config.openshift.io/v1", "ClusterOperator")
	s.Declare("operator.openshift.io/v1", "MachineConfiguration")
	s.Declare("v1", "PersistentVolume")
	put(t, s, beforeObjects)
}

func put(t testing.TB, s *kubetest.Server, yaml string) {
	t.Helper()
	objects, err := kubetest.Load([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	s.Put(objects...)
}

const beforeObjects = `
apiVersion: v1
kind: Pod
metadata: {name: train-0, namespace: ai4dd, labels: {app: train}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: train, uid: a, controller: true}]}
spec:
  nodeName: wrk-98
  containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "4"}}}]
  volumes: [{name: tmp, emptyDir: {}}, {name: data, persistentVolumeClaim: {claimName: data-0}}]
---
apiVersion: v1
kind: Pod
metadata: {name: web-7d5f-abc, namespace: shop, labels: {app: web, pod-template-hash: 7d5f}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-7d5f, uid: b, controller: true}]}
spec: {nodeName: wrk-98, containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: notebook, namespace: ai4dd}
spec: {nodeName: wrk-98, containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: ds-1, namespace: kube-system, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: ds, uid: c, controller: true}]}
spec: {nodeName: wrk-98, containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere, namespace: shop}
spec: {nodeName: wrk-97, containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: finished, namespace: shop}
spec: {nodeName: wrk-98, containers: [{name: c, image: x}]}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: stuck, namespace: shop, creationTimestamp: "2026-12-01T00:00:00Z"}
spec: {containers: [{name: c, image: x}]}
status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", message: "0/47 nodes are available"}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: train, namespace: ai4dd}
spec: {selector: {matchLabels: {app: train}}}
status: {disruptionsAllowed: 0}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1}
spec: {local: {path: /mnt/disk}, claimRef: {namespace: ai4dd, name: data-0}}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: rendered-worker-4f1c0a9e2d7b8365c1e0fa92d4b7e611}
spec:
  osImageURL: image
  config: {storage: {files: [{path: /etc/nmstate/openshift/br0.yml, contents: {source: "data:,HUNTER2"}}]}, passwd: {users: [{name: core, sshAuthorizedKeys: [a]}]}}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: rendered-worker-9b27c5d81e4f0a63b2c9d7e8f1045a3c, creationTimestamp: "2026-11-30T23:58:40Z"}
spec:
  osImageURL: image
  config: {storage: {files: [{path: /etc/nmstate/openshift/br0.yml, contents: {source: "data:,HUNTER3"}}]}, passwd: {users: [{name: core, sshAuthorizedKeys: [b]}]}}
---
apiVersion: operator.openshift.io/v1
kind: MachineConfiguration
metadata: {name: cluster}
status: {nodeDisruptionPolicyStatus: {clusterPolicies: {files: [{path: /etc/nmstate/openshift, actions: [{type: Drain}]}], sshkey: {actions: [{type: None}]}}}}
---
apiVersion: config.openshift.io/v1
kind: ClusterOperator
metadata: {name: ingress}
status: {conditions: [{type: Available, status: "True"}, {type: Degraded, status: "True", message: no router, lastTransitionTime: "2026-12-01T00:00:00Z"}]}
---
apiVersion: config.openshift.io/v1
kind: ClusterOperator
metadata: {name: dns}
status: {conditions: [{type: Available, status: "True"}, {type: Degraded, status: "False"}]}
`

func TestBeforeCheck(t *testing.T) {
	s := beforeServer(t)
	out, code := run(t, s, "--before-change", "wrk-98", "--now", quarterPast)
	for _, says := range []string{
		"[CRITICAL] - node wrk-98: an update is pending for it, for 3h (since 2026-12-01 01:29 UTC)",
		"making wrk-98 schedulable drains wrk-98, without a reboot [changed: /etc/nmstate/openshift/br0.yml and SSH keys or passwords]: 3 pods evicted, 1 lost for want of a controller, 4 GPUs in use, 1 with a local volume, and the drain hangs: PodDisruptionBudget ai4dd/train allows 0",
		"\n    pod ai4dd/notebook                                   lost: it has no controller that makes it anew\n",
		"pod shop/web-7d5f-abc (Deployment web)", "local volume: it cannot start on another node; emptyDir: its contents are deleted",
		"pods_evicted=3;;;0 pods_lost=1;;;0 pods_held=1;;;0",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("no %q", says)
		}
	}
	if code != 2 || strings.Contains(out, "ds-1") || strings.Contains(out, "elsewhere") || strings.Contains(out, "finished") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	for _, request := range s.Requests() {
		if strings.Contains(request, "/pods") && !strings.Contains(request, "spec.nodeName%3Dwrk-98") {
			t.Errorf("reads other pods: %s", request)
		}
	}
}

// drainServer is a cluster that drains wrk-98.
func drainServer(t testing.TB) *kubetest.Server {
	t.Helper()
	s := serve(t, "scenarios/base-nodes.json.gz", "scenarios/c-draining-mcp-list.json")
	s.Put(objects[map[string]any](t, "testdata/controller/drain-blocked-by-pdb-node-wrk-98.json")[0])
	return s
}

// What the eviction API accepts does not hang the drain, neither one that may come nor one that runs.
func TestCheckEvictions(t *testing.T) {
	for name, r := range map[string]struct {
		pod, budget string
		held        bool
	}{
		"pending":                  {`{phase: Pending}`, `spec: {SELECTOR}, status: {currentHealthy: 0, desiredHealthy: 1}`, false},
		"sick, AlwaysAllow":        {`{phase: Running, conditions: [{type: Ready, status: "False"}]}`, `spec: {unhealthyPodEvictionPolicy: AlwaysAllow, SELECTOR}, status: {currentHealthy: 0, desiredHealthy: 1}`, false},
		"sick, the others suffice": {`{phase: Running, conditions: [{type: Ready, status: "False"}]}`, `spec: {SELECTOR}, status: {currentHealthy: 2, desiredHealthy: 2}`, false},
		"sick, the others suffice, IfHealthyBudget":   {`{phase: Running}`, `spec: {unhealthyPodEvictionPolicy: IfHealthyBudget, SELECTOR}, status: {currentHealthy: 3, desiredHealthy: 2}`, false},
		"sick, the others do not suffice":             {`{phase: Running}`, `spec: {SELECTOR}, status: {currentHealthy: 1, desiredHealthy: 2}`, true},
		"sick, of a budget that nobody has seen yet":  {`{phase: Running}`, `spec: {SELECTOR}, status: {}`, true},
		"ready, AlwaysAllow":                          {`{phase: Running, conditions: [{type: Ready, status: "True"}]}`, `spec: {unhealthyPodEvictionPolicy: AlwaysAllow, SELECTOR}, status: {currentHealthy: 1, desiredHealthy: 1}`, true},
		"ready, of a budget at the edge of its limit": {`{phase: Running, conditions: [{type: Ready, status: "True"}]}`, `spec: {SELECTOR}, status: {currentHealthy: 2, desiredHealthy: 2}`, true},
	} {
		before, during := beforeServer(t), drainServer(t)
		objects := `
apiVersion: v1
kind: Pod
metadata: {name: sick-0, namespace: sick, labels: {app: sick}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: sick, uid: a, controller: true}]}
spec: {nodeName: wrk-98, containers: [{name: c, image: x}]}
status: ` + r.pod + `
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: sick, namespace: sick}, ` + strings.Replace(r.budget, "SELECTOR", "selector: {matchLabels: {app: sick}}", 1) + `}
`
		put(t, before, objects)
		put(t, during, objects)
		out, _ := run(t, before, "--before-change", "wrk-98", "--now", quarterPast)
		if held := strings.Contains(out, "holds pod sick-0"); held != r.held || !strings.Contains(out, "pod sick/sick-0") {
			t.Errorf("%s: the drain hangs: %v, want %v:\n%s", name, held, r.held, out)
		}
		out, _ = run(t, during, "--now", quarterPast)
		if held := strings.Contains(out, "holds pod sick-0"); held != r.held || !held && !strings.Contains(out, "1 pod still there, sick/sick-0 among them") {
			t.Errorf("%s: the drain that runs hangs: %v, want %v:\n%s", name, held, r.held, out)
		}
	}
}

// What holds a drain is told of the pool that is asked about, and of no other: for that the pods of a node in work are read.
func TestBeforeCheckPoolInWork(t *testing.T) {
	s := drainServer(t)
	furnish(t, s)
	for target, says := range map[string]string{
		"pool/worker": "wrk-98 draining, for at least 2h 21m (since 2026-12-01 02:08 UTC): PodDisruptionBudget ai4dd/train allows 0 disruptions and holds pod train-0",
		"pool/master": "nothing is pending, all 3 nodes ready",
	} {
		before := s.Count("/api/v1/pods")
		out, _ := run(t, s, "--before-change", target, "--now", quarterPast)
		if asked := s.Count("/api/v1/pods") > before; !strings.Contains(out, says) || asked != (target == "pool/worker") {
			t.Errorf("%s: asked for pods: %v:\n%s", target, asked, out)
		}
	}
	out, _ := run(t, s, "--before-change", "wrk-98,pool/worker", "--now", quarterPast)
	if s.Count("/apis/policy/v1/poddisruptionbudgets") != 2 || !strings.Contains(out, "pods_held=1") {
		t.Errorf("budgets are read twice in one run:\n%s", out)
	}
}

// GPUs are counted in GPUs, whoever makes them and whichever container has them.
func TestBeforeCheckGPUs(t *testing.T) {
	for spec, want := range map[string]string{
		`containers: [{name: c, image: x, resources: {limits: {habana.ai/gaudi: "8"}}}]`:                                                                                                          "evicted; 8 GPUs",
		`containers: [{name: c, image: x, resources: {limits: {gpu.intel.com/millicores: "500", gpu.intel.com/memory.max: "8000000000", gpu.intel.com/i915: "1"}}}]`:                              "evicted; 1 GPU",
		`containers: [{name: c, image: x, resources: {limits: {gpu.intel.com/xe: "1", amd.com/gpu: "1", nvidia.com/mig-1g.5gb: "2"}}}]`:                                                           "evicted; 4 GPUs",
		`containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpumem: "3000", example.com/gpu: "1", nvidia.com/hostdev: "1"}}}]`:                                                      "evicted",
		`containers: [{name: c, image: x, resources: {limits: {nvidia.com/GA100_A100_SXM4_40GB: "1", nvidia.com/rdma_shared_device_a: "1", amd.com/cpx_nps4: "2"}}}]`:                             "evicted; 3 GPUs",
		`containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu.shared: "2"}}}]`:                                                                                                    "evicted; 2 GPU shares",
		`containers: [{name: c, image: x, resources: {limits: {nvidia.com/mig-1g.5gb.shared: "1"}}}]`:                                                                                             "evicted; 1 GPU share",
		`containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "1", nvidia.com/mig-3g.20gb.shared: "1"}}}]`:                                                                       "evicted; 1 GPU; 1 GPU share",
		`initContainers: [{name: i, image: x, resources: {limits: {nvidia.com/gpu: "2"}}}], containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "1"}}}]`:                        "evicted; 2 GPUs",
		`initContainers: [{name: i, image: x, restartPolicy: Always, resources: {limits: {nvidia.com/gpu: "2"}}}], containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "1"}}}]`: "evicted; 3 GPUs",
		`resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}], containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]`:                                                    "evicted; uses devices by claim",
	} {
		s := beforeServer(t)
		put(t, s, `
apiVersion: v1
kind: Pod
metadata: {name: job, namespace: gpus, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: a, controller: true}]}
spec: {nodeName: wrk-98, `+spec+`}
`)
		out, _ := run(t, s, "--before-change", "wrk-98", "--now", quarterPast)
		_, row, _ := strings.Cut(out, "pod gpus/job (Job j)")
		row, _, _ = strings.Cut(row, "\n")
		if strings.TrimSpace(row) != want {
			t.Errorf("%s: %q, want %q", spec, strings.TrimSpace(row), want)
		}
		if strings.Contains(spec, "gpu.shared") && !strings.Contains(out, "4 GPUs in use, 2 GPU shares in use, 1 with a local volume") {
			t.Errorf("not in the first line:\n%s", out)
		}
		if strings.Contains(spec, "Claims") && !strings.Contains(out, "4 GPUs in use, 1 using devices by claim, 1 with a local volume") {
			t.Errorf("not in the first line:\n%s", out)
		}
	}
}

// Volumes that are on the node only, that stay behind on it, that go with the pod, and that go where the pod goes.
func TestBeforeCheckVolumes(t *testing.T) {
	const claim, local = `{persistentVolumeClaim: {claimName: lvm}}`, "evicted; local volume: it cannot start on another node"
	affinity := func(terms string) string {
		return "csi: {driver: topolvm.io, volumeHandle: x}, nodeAffinity: {required: {nodeSelectorTerms: [" + terms + "]}}"
	}
	for name, r := range map[string]struct{ volume, persistent, want string }{
		"TopoLVM":               {claim, affinity(`{matchExpressions: [{key: topology.topolvm.io/node, operator: In, values: [wrk-98]}]}`), local},
		"by hostname":           {claim, affinity(`{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [wrk-98.example]}]}`), local},
		"a zone":                {claim, affinity(`{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}`), "evicted"},
		"two nodes":             {claim, affinity(`{matchExpressions: [{key: linbit.com/hostname, operator: In, values: [wrk-98, wrk-97]}]}`), "evicted"},
		"two nodes in two ways": {claim, affinity(`{matchExpressions: [{key: x, operator: In, values: [wrk-98]}]}, {matchExpressions: [{key: x, operator: In, values: [wrk-97]}]}`), "evicted"},
		"any node but this":     {claim, affinity(`{matchExpressions: [{key: x, operator: NotIn, values: [wrk-98]}]}`), "evicted"},
		"everywhere":            {claim, "csi: {driver: nfs}", "evicted"},
		"hostPath":              {`{hostPath: {path: /var/lib/data}}`, "nfs: {}", "evicted; hostPath: what it keeps there stays on this node"},
		"a socket":              {`{hostPath: {path: /run/x, type: Socket}}`, "nfs: {}", "evicted"},
		"ephemeral":             {`{ephemeral: {volumeClaimTemplate: {spec: {}}}}`, "nfs: {}", "evicted; ephemeral volume: its contents are deleted"},
	} {
		s := beforeServer(t)
		put(t, s, `
apiVersion: v1
kind: Pod
metadata: {name: lvm-0, namespace: db, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: lvm, uid: a, controller: true}]}
spec: {nodeName: wrk-98, containers: [{name: c, image: x}], volumes: [`+r.volume+`]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-lvm}
spec: {claimRef: {namespace: db, name: lvm}, `+r.persistent+`}
`)
		out, _ := run(t, s, "--before-change", "wrk-98", "--now", quarterPast)
		_, row, _ := strings.Cut(out, "pod db/lvm-0 (StatefulSet lvm)")
		row, _, _ = strings.Cut(row, "\n")
		if strings.TrimSpace(row) != r.want {
			t.Errorf("%s: %q, want %q", name, strings.TrimSpace(row), r.want)
		}
	}
}

func TestBeforeCheckCluster(t *testing.T) {
	s := beforeServer(t)
	put(t, s, `
apiVersion: config.openshift.io/v1
kind: ClusterOperator
metadata: {name: a-network}
status: {conditions: [{type: Available, status: "True"}, {type: Upgradeable, status: "False", message: an old plugin, lastTransitionTime: "2026-12-01T00:00:00Z"}]}
---
apiVersion: config.openshift.io/v1
kind: ClusterOperator
metadata: {name: storage}
status: {conditions: [{type: Degraded, status: "True"}, {type: Available, status: "False", message: no driver, lastTransitionTime: "2026-12-01T00:00:00Z"}]}
`)
	out, code := run(t, s, "--before-change", "cluster", "--now", quarterPast)
	last := -1
	for _, line := range []string{"ClusterOperator storage: not available", "ClusterOperator ingress: degraded", "ClusterOperator a-network: not upgradeable, for 4h 30m (since 2026-12-01 00:00 UTC): an old plugin"} {
		at := strings.Index(out, line)
		if at <= last {
			t.Errorf("no %q, or not in its place", line)
		}
		last = at
	}
	for _, says := range []string{"[CRITICAL] - pool worker: update blocked, 1 of 44 nodes outdated", "[WARNING] ClusterOperator ingress: degraded, for 4h 30m (since 2026-12-01 00:00 UTC): no router",
		"[WARNING] cluster: 1 pod pending", "shop/stuck, for 4h 30m  0/47 nodes are available", "wrk-98  cordoned"} {
		if !strings.Contains(out, says) {
			t.Errorf("no %q", says)
		}
	}
	if code != 2 || strings.Contains(out, "dns") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	for _, request := range s.Requests() {
		if strings.Contains(request, "/pods") && !strings.Contains(request, "status.phase%3DPending") {
			t.Errorf("reads other pods: %s", request)
		}
	}
}

// A ClusterOperator is well if it says so. What the cluster does not have is not well either.
func TestBeforeCheckClusterOperators(t *testing.T) {
	const path, begin, well = "/apis/config.openshift.io/v1/clusteroperators", `{"kind":"ClusterOperatorList","apiVersion":"config.openshift.io/v1","metadata":{},"items":[`, "nothing waits to happen: 1 pool up to date, 1 node\n"
	operator := func(conditions string) string {
		return begin + `{"metadata":{"name":"etcd"},"status":{"conditions":[` + conditions + `]}}]}`
	}
	for name, r := range map[string]struct {
		body, says string
		code       int
	}{
		"well":                         {operator(`{"type":"Available","status":"True"}`), well, 0},
		"none":                         {begin + `]}`, "1 node; ClusterOperators were not seen", 0},
		"no such group":                {"", "1 node; ClusterOperators were not seen", 0},
		"nothing is known":             {operator(`{"type":"Available","status":"Unknown","message":"no idea"},{"type":"Degraded","status":"Unknown"}`), "ClusterOperator etcd: not known to be available and not known to be well: no idea", 1},
		"it says nothing":              {operator(``), "ClusterOperator etcd: not known to be available", 1},
		"degraded and not upgradeable": {operator(`{"type":"Available","status":"True"},{"type":"Upgradeable","status":"False","message":"b"},{"type":"Degraded","status":"True","message":"a"}`), "ClusterOperator etcd: degraded and not upgradeable: a", 1},
	} {
		s := workerServer(t, "rendered-a", map[string]string{"currentConfig": "rendered-a", "desiredConfig": "rendered-a", "state": stateDone}, `
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: worker, generation: 1}
spec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}, configuration: {name: rendered-a}}
status: {observedGeneration: 1, machineCount: 1, readyMachineCount: 1, updatedMachineCount: 1, conditions: [{type: Updated, status: "True"}]}
`)
		s.Handle(path, func(w http.ResponseWriter, request *http.Request) {
			if r.body == "" {
				http.NotFound(w, request)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(r.body))
		})
		out, code := run(t, s, "--before-change", "cluster", "--now", quarterPast, "-v")
		if unseen := strings.Contains(r.says, "not seen"); code != r.code || !strings.Contains(out, r.says) || unseen != strings.Contains(out, "note: ") {
			t.Errorf("%s: exit %d, want %d with %q:\n%s", name, code, r.code, r.says, out)
		}
	}
}

// When the time is up, what is known by then is told.
func TestBeforeCheckHangs(t *testing.T) {
	s := beforeServer(t)
	s.Handle("/api/v1/pods", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	out, code := run(t, s, "--before-change", "wrk-98", "--now", quarterPast, "-t", "2s")
	if code != 3 || !strings.Contains(out, "which workloads wrk-98 has is not known") || !strings.Contains(out, "[CRITICAL] node wrk-98: an update is pending for it") || !strings.Contains(out, "making wrk-98 schedulable drains") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// Each right that is needed only here costs a note and not the verdict.
func TestBeforeCheckWithFewRights(t *testing.T) {
	s := beforeServer(t)
	s.Forbid("list", "pods")
	s.Forbid("get", "machineconfigs."+group)
	s.Forbid("list", "clusteroperators.config.openshift.io")
	out, code := run(t, s, "--before-change", "wrk-98,cluster", "--now", quarterPast, "-v")
	for _, says := range []string{"making wrk-98 schedulable drains and, unless the change needs none, reboots wrk-98 (which pods that evicts could not be read);", "note: which workloads wrk-98 has is not known", "note: whether the change reboots wrk-98 is not known",
		"note: whether the ClusterOperators are well is not known", "note: which pods are pending is not known"} {
		if !strings.Contains(out, says) {
			t.Errorf("no %q", says)
		}
	}
	if code != 2 || strings.Contains(out, "evicted;") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	s = beforeServer(t)
	for _, right := range []string{"poddisruptionbudgets.policy", "persistentvolumes"} {
		s.Forbid("list", right)
	}
	s.Forbid("get", "machineconfigurations.operator.openshift.io")
	out, code = run(t, s, "--before-change", "wrk-98", "--now", quarterPast, "-v")
	for _, says := range []string{"unless the change needs none, reboots wrk-98 [changed: /etc/nmstate/openshift/br0.yml and SSH keys or passwords]", "which PodDisruptionBudget will hang the drain is not known",
		"note: which pods have a local volume is not known", "note: whether the node disruption policy spares a reboot is not known"} {
		if !strings.Contains(out, says) {
			t.Errorf("no %q", says)
		}
	}
	if code != 2 {
		t.Errorf("exit %d:\n%s", code, out)
	}
	for _, right := range []string{"nodes", "machineconfigpools." + group} {
		s.Forbid("list", right)
		if out, code := run(t, s, "--before-change", "wrk-98"); code != 3 || !strings.Contains(out, "icinga/rbac/check-mcp.yaml") {
			t.Errorf("without list %s: exit %d: %s", right, code, out)
		}
	}
}

func TestBeforeCheckUsage(t *testing.T) {
	s := beforeServer(t)
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"--before-change ctl-0":                           {0, "[OK] - node ctl-0: nothing is pending for it"},
		"--before-change pool/master":                     {0, "[OK] - pool master: nothing is pending, all 3 nodes ready"},
		"--before-change wrk-999":                         {3, "no node is named wrk-999"},
		"--before-change pool/gpu":                        {3, "no pool is named gpu; there are master and worker"},
		"--before-change pod/x":                           {3, "is no target"},
		"--before-change wrk-98 --pool worker":            {3, "goes without --pool"},
		"--before-change wrk-98 --verify-nodes":           {3, "goes without --pool"},
		"--before-change wrk-98 --expect-machineconfig x": {3, "goes without --pool"},
		"--before-change wrk-98 wrk-71":                   {3, "wrk-71"},
	} {
		if out, code := run(t, s, append(strings.Fields(args), "--now", quarterPast)...); code != want.code || !strings.Contains(out, want.says) {
			t.Errorf("%s: exit %d, want %d with %q:\n%s", args, code, want.code, want.says, out)
		}
	}
	plain := kubetest.New()
	t.Cleanup(plain.Close)
	if out, code := run(t, plain, "--before-change", "wrk-98"); code != 3 || !strings.Contains(out, "has no MachineConfigPools") {
		t.Errorf("plain Kubernetes: exit %d: %s", code, out)
	}
}

// Whatever a server answers about what is optional here, the verdict stands: never OK, one screen, no crash.
func TestBeforeCheckBadAnswers(t *testing.T) {
	bodies := map[string]string{
		"html":        "<html>please log in</html>",
		"truncated":   `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"`,
		"wrong types": `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","labels":7}}]}`,
		"other kind":  `{"kind":"Status","apiVersion":"v1"}`,
		"huge text":   `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"` + strings.Repeat("x", 5<<20) + `"}}]}`,
		"empty":       "",
	}
	for _, path := range []string{"/api/v1/pods", "/apis/policy/v1/poddisruptionbudgets", "/api/v1/persistentvolumes", "/apis/config.openshift.io/v1/clusteroperators",
		"/apis/" + group + "/v1/machineconfigs/rendered-worker-4f1c0a9e2d7b8365c1e0fa92d4b7e611", "/apis/operator.openshift.io/v1/machineconfigurations/cluster"} {
		for name, body := range bodies {
			s := beforeServer(t)
			s.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Write([]byte(body))
			})
			out, code := run(t, s, "--before-change", "wrk-98 cluster", "--now", quarterPast, "-v")
			if code != 2 || !strings.Contains(out, "note: wh") || len(out) > 20_000 {
				t.Errorf("%s of %s: exit %d:\n%.2000s", name, path, code, out)
			}
		}
	}
}

// Texts from the API are untrusted here too.
func TestBeforeCheckHostileTexts(t *testing.T) {
	s := beforeServer(t)
	put(t, s, `
apiVersion: config.openshift.io/v1
kind: ClusterOperator
metadata: {name: evil}
status: {conditions: [{type: Degraded, status: "True", message: "a\r\n[OK] - |b=2 <img> \u001b[31m"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: evil, namespace: shop, ownerReferences: [{apiVersion: x, kind: "K\n|<b>", name: "n\u001b", uid: c, controller: true}]}
spec: {nodeName: wrk-98, containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "99999999999999999999"}}}]}
`)
	out, code := run(t, s, "--before-change", "wrk-98 cluster", "--now", quarterPast)
	if code != 2 || strings.Count(out, "|") > 1 || strings.ContainsAny(out, "<>\x1b\r") || strings.Contains(out, "\n[OK]") || !strings.Contains(out, "pod shop/evil (K ¦‹b› n") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// A file that only one of two MachineConfigs has is a change, and so is one whose mode differs.
func TestCompare(t *testing.T) {
	const files = `{"storage":{"files":[{"path":"/a","mode":420},{"path":"/same"}]},"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["a"]}]}}`
	spec := func(config string, change func(*configObject)) *configObject {
		o := new(configObject)
		o.Spec.Config = json.RawMessage(config)
		if change != nil {
			change(o)
		}
		return o
	}
	system := func(o *configObject) {
		s := &o.Spec
		s.KernelArguments, s.KernelType, s.Extensions, s.FIPS, s.OSImageURL = []string{"a"}, "realtime", []string{"e"}, true, "image"
	}
	for name, c := range map[string]struct {
		from, to *configObject
		want     Change
	}{
		"nothing":                 {spec(files, nil), spec(files, nil), Change{}},
		"written differently":     {spec(`{}`, nil), spec(`{"storage":{"files":[]},"systemd":{}}`, nil), Change{}},
		"the default kernel":      {spec(files, nil), spec(files, func(o *configObject) { o.Spec.KernelType = "default" }), Change{}},
		"the system":              {spec(files, nil), spec(files, system), Change{System: []string{"OS image", "kernel arguments", "kernel type", "extensions", "FIPS mode"}}},
		"files":                   {spec(`{"storage":{"files":[{"path":"/a","mode":420},{"path":"/b"},{"path":"/same"}]}}`, nil), spec(`{"storage":{"files":[{"path":"/a","mode":384},{"path":"/c"},{"path":"/same"}]}}`, nil), Change{Files: []string{"/a", "/b", "/c"}}},
		"a unit":                  {spec(`{}`, nil), spec(`{"systemd":{"units":[{"name":"x.service"}]}}`, nil), Change{Units: []string{"x.service"}}},
		"SSH keys":                {spec(files, nil), spec(strings.Replace(files, `["a"]`, `["b"]`, 1), nil), Change{Users: true}},
		"a password":              {spec(files, nil), spec(strings.Replace(files, `"core"`, `"core","passwordHash":"x"`, 1), nil), Change{Users: true}},
		"a user":                  {spec(files, nil), spec(strings.Replace(files, `["a"]}`, `["a"]},{"name":"b"}`, 1), nil), Change{Users: true}},
		"what has no rule":        {spec(`{"storage":{"disks":[1]}}`, nil), spec(`{"storage":{"disks":[2]}}`, nil), Change{Other: true}},
		"a file without a path":   {spec(`{"storage":{"files":[7]}}`, nil), spec(`{"storage":{"files":[7]}}`, nil), Change{Other: true}},
		"one path twice":          {spec(`{"storage":{"files":[{"path":"/a","mode":1},{"path":"/a"}]}}`, nil), spec(`{"storage":{"files":[{"path":"/a"}]}}`, nil), Change{Other: true}},
		"no configuration":        {spec(``, nil), spec(``, nil), Change{Other: true}},
		"a configuration of null": {spec(`null`, nil), spec(`null`, nil), Change{Other: true}},
	} {
		if got := compare(c.from, c.to); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Since when maxUnavailable is what it is, by the pool's managedFields; a change of the target is none of it.
func TestReducePoolLimitWritten(t *testing.T) {
	var o poolObject
	if err := json.Unmarshal([]byte(`{"metadata":{"name":"worker","managedFields":[
		{"manager":"kubectl-patch","time":"2026-12-01T02:00:00Z","fieldsV1":{"f:spec":{"f:maxUnavailable":{}}}},
		{"manager":"machine-config-controller","time":"2026-12-01T03:00:00Z","fieldsV1":{"f:spec":{"f:configuration":{"f:name":{}}}}}]},"spec":{"maxUnavailable":1}}`), &o); err != nil {
		t.Fatal(err)
	}
	if p := reducePool(&o); p.Limit != "1" || !p.LimitWritten.Equal(at(t, "2026-12-01T02:00:00Z")) {
		t.Errorf("%s since %s", p.Limit, p.LimitWritten)
	}
}

// workerServer is a pool with one node, which has the annotations given, and further objects.
func workerServer(t testing.TB, target string, annotations map[string]string, objects string) *kubetest.Server {
	t.Helper()
	s := kubetest.New()
	t.Cleanup(s.Close)
	for _, kind := range []string{"MachineConfigPool", "MachineConfig", "MachineConfigNode", "MachineOSConfig", "MachineOSBuild"} {
		s.Declare(group+"/v1", kind)
	}
	s.Declare("operator.openshift.io/v1", "MachineConfiguration")
	var written []string
	for key, value := range annotations {
		written = append(written, group+"/"+key+": "+value)
	}
	put(t, s, `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: worker, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}, configuration: {name: `+target+`}}
status: {observedGeneration: 1, machineCount: 1, conditions: [{type: Updated, status: "False", lastTransitionTime: "2026-12-01T00:00:00Z"}]}
---
apiVersion: v1
kind: Node
metadata: {name: n-1, creationTimestamp: "2026-01-01T00:00:00Z", labels: {node-role.kubernetes.io/worker: ""}, annotations: {`+strings.Join(written, ", ")+`}}
status: {conditions: [{type: Ready, status: "True"}]}
`+objects)
	return s
}

// A node in work at what its pool has given up finishes that first: both changes are read, and the worse one is told.
func TestBeforeCheckGivenUpTarget(t *testing.T) {
	s := workerServer(t, "rendered-c", map[string]string{"currentConfig": "rendered-a", "desiredConfig": "rendered-b", "state": stateWorking}, `
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: rendered-a}
spec: {osImageURL: old, config: {passwd: {users: [{name: core, sshAuthorizedKeys: [a]}]}}}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: rendered-b}
spec: {osImageURL: new, config: {passwd: {users: [{name: core, sshAuthorizedKeys: [a]}]}}}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: rendered-c}
spec: {osImageURL: old, config: {passwd: {users: [{name: core, sshAuthorizedKeys: [b]}]}}}
---
apiVersion: operator.openshift.io/v1
kind: MachineConfiguration
metadata: {name: cluster}
status: {nodeDisruptionPolicyStatus: {clusterPolicies: {sshkey: {actions: [{type: None}]}}}}
`)
	for target, says := range map[string]string{"n-1": "the MCO drains and reboots n-1 [changed: OS image]", "pool/worker": "drains and reboots its nodes [changed: OS image]"} {
		if out, code := run(t, s, "--before-change", target, "--now", quarterPast); code != 2 || !strings.Contains(out, says) {
			t.Errorf("%s: exit %d, no %q:\n%s", target, code, says, out)
		}
	}
}
