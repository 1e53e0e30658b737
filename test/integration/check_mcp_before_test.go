//go:build integration

package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overdue/test/realkube"
)

// workloads of wrk-98: with every kind of owner, a budget that allows nothing and one that does, a GPU, a disk of the node.
const workloads = `
apiVersion: v1
kind: Namespace
metadata: {name: ai4dd}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: train, namespace: ai4dd}
spec: {minAvailable: 1, selector: {matchLabels: {app: train}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
status: {disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk-of-wrk-98}
spec:
  capacity: {storage: 1Ti}
  accessModes: [ReadWriteOnce]
  claimRef: {namespace: ai4dd, name: data-train-0}
  local: {path: /mnt/disk}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [wrk-98]}]}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: train-0, namespace: ai4dd, labels: {app: train}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: train, uid: 00000000-0000-0000-0000-00000000000a, controller: true}]}
spec:
  nodeName: wrk-98
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 0
  containers: [{name: c, image: example.invalid/train, resources: {limits: {nvidia.com/gpu: 4}}}]
  volumes: [{name: data, persistentVolumeClaim: {claimName: data-train-0}}]
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: notebook, namespace: ai4dd}
spec: {nodeName: wrk-98, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, containers: [{name: c, image: example.invalid/notebook}], volumes: [{name: work, emptyDir: {}}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: web-7d5f-x2x4z, namespace: shop, labels: {app: web, pod-template-hash: 7d5f}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-7d5f, uid: 00000000-0000-0000-0000-00000000000b, controller: true}]}
spec: {nodeName: wrk-98, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, containers: [{name: c, image: example.invalid/web}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: exporter-1, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: exporter, uid: 00000000-0000-0000-0000-00000000000c, controller: true}]}
spec: {nodeName: wrk-98, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, containers: [{name: c, image: example.invalid/exporter}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: elsewhere, namespace: shop}
spec: {nodeName: wrk-97, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, containers: [{name: c, image: example.invalid/web}]}
status: {phase: Running}
`

// beforeTheChange is the incident as it stood before the taint was removed: cordoned and pending.
func beforeTheChange(t *testing.T) *realkube.Server {
	t.Helper()
	s := kubernetes(t, "a-pending-blocked-by-cordon")
	s.Apply(t, workloads)
	t.Cleanup(func() {
		s.Patch(t, "/api/v1/persistentvolumes/disk-of-wrk-98", "metadata: {finalizers: null}") // else it stays, and the next one goes with it
		for _, path := range []string{"namespaces/ai4dd/pods/train-0", "namespaces/ai4dd/pods/notebook", "namespaces/shop/pods/web-7d5f-x2x4z", "namespaces/shop/pods/exporter-1",
			"namespaces/shop/pods/elsewhere", "persistentvolumes/disk-of-wrk-98"} {
			s.Delete(t, "/api/v1/"+path)
		}
		s.Delete(t, "/apis/policy/v1/namespaces/ai4dd/poddisruptionbudgets/train")
		s.Delete(t, "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web")
	})
	for _, cordon := range []string{"false", "true"} {
		s.Patch(t, nodes+"/wrk-98?fieldManager=kubectl", "spec: {unschedulable: "+cordon+"}")
	}
	return s
}

func says(t *testing.T, what, out string, code, want int, texts ...string) {
	t.Helper()
	missing := false
	for _, text := range texts {
		if !strings.Contains(out, text) {
			t.Errorf("%s: no %q", what, text)
			missing = true
		}
	}
	if code != want || missing {
		t.Errorf("%s: exit %d, want %d:\n%s", what, code, want, out)
	}
}

func TestBeforeIncident(t *testing.T) {
	s := beforeTheChange(t)
	out, code, _ := mcp(t, s, realkube.Full, "--before-change", "wrk-98", "--now", in(time.Hour))
	says(t, "before the change", out, code, 2, "[CRITICAL] - node wrk-98: an update is pending for it, for ", "cordoned by kubectl",
		"next: making wrk-98 schedulable drains and reboots wrk-98 [changed: OS image]: 3 pods evicted, 1 lost for want of a controller, 4 GPUs in use, 1 with a local volume, and the drain hangs: "+
			"PodDisruptionBudget ai4dd/train allows 0 disruptions and holds pod train-0",
		"drains nothing: the MCO heeds no taints, it is not what holds the update",
		"drains and reboots wrk-98 (next in line)",
		"pod ai4dd/train-0 (StatefulSet train)", "local volume: it cannot start on another node", "lost: it has no controller", "pod shop/web-7d5f-x2x4z (Deployment web)")
	if strings.Contains(out, "exporter") || strings.Contains(out, "elsewhere") {
		t.Errorf("tells of pods that are not evicted:\n%s", out)
	}
	out, code, _ = mcp(t, s, realkube.Minimal, "--before-change", "wrk-98", "--now", in(time.Hour), "-v")
	says(t, "with few rights", out, code, 2, "making wrk-98 schedulable drains and, unless the change needs none, reboots wrk-98", "note: which workloads wrk-98 has is not known", "note: whether the change reboots wrk-98 is not known")
	out, code, _ = mcp(t, s, realkube.None, "--before-change", "wrk-98")
	says(t, "without rights", out, code, 3, "icinga/rbac/check-mcp.yaml")

	out, code, _ = mcp(t, s, realkube.Full, "--before-change", "pool/worker", "--now", in(time.Hour))
	says(t, "the pool", out, code, 2, "[CRITICAL] - pool worker: update blocked, 1 of 44 nodes outdated", "what is pending", "drains and reboots its nodes [changed: OS image]", "stops the rollout")
	out, code, _ = mcp(t, s, realkube.Full, "--before-change", "wrk-71,pool/master", "--now", in(time.Hour))
	says(t, "another node, another pool", out, code, 1, "nothing is pending for it; pool worker has an update outstanding for 1 other node", "[OK] pool master: nothing is pending, all 3 nodes ready")

	// With the taint alone it is not the taint that holds anything.
	s.Patch(t, nodes+"/wrk-98", "spec: {unschedulable: false}")
	out, code, _ = mcp(t, s, realkube.Full, "--before-change", "wrk-98", "--now", in(time.Hour))
	says(t, "with the taint alone", out, code, 2, "it is ready and next in line; next: whatever you do, the MCO drains and reboots wrk-98", "it is not what holds the update")
	if strings.Contains(out, "uncordon") {
		t.Errorf("tells of a cordon that is gone:\n%s", out)
	}
}

// What hangs a drain is what the eviction API refuses, and nothing else.
func TestBeforeEvictions(t *testing.T) {
	s := beforeTheChange(t)
	for name, r := range map[string]struct{ pod, policy, status string }{
		"pending":        {`{phase: Pending}`, "", `{disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1}`},
		"always":         {`{phase: Running, conditions: [{type: Ready, status: "False"}]}`, "unhealthyPodEvictionPolicy: AlwaysAllow, ", `{disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1}`},
		"others-suffice": {`{phase: Running, conditions: [{type: Ready, status: "False"}]}`, "", `{disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1}`},
		"others-lack":    {`{phase: Running, conditions: [{type: Ready, status: "False"}]}`, "", `{disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1}`},
		"ready":          {`{phase: Running, conditions: [{type: Ready, status: "True"}]}`, "unhealthyPodEvictionPolicy: AlwaysAllow, ", `{disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1}`},
	} {
		s.Apply(t, `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: `+name+`, namespace: shop}
spec: {`+r.policy+`minAvailable: 1, selector: {matchLabels: {app: `+name+`}}}
status: `+r.status+`
---
apiVersion: v1
kind: Pod
metadata: {name: `+name+`, namespace: shop, labels: {app: `+name+`}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: `+name+`, uid: 00000000-0000-0000-0000-00000000000d, controller: true}]}
spec: {nodeName: wrk-98, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, containers: [{name: c, image: example.invalid/sick}]}
status: `+r.pod+`
`)
		t.Cleanup(func() {
			s.Delete(t, "/api/v1/namespaces/shop/pods/"+name)
			s.Delete(t, "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/"+name)
		})
		status, body := s.Do(t, realkube.Admin, http.MethodPost, "/api/v1/namespaces/shop/pods/"+name+"/eviction?dryRun=All",
			[]byte(`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"`+name+`","namespace":"shop"},"deleteOptions":{"dryRun":["All"]}}`))
		if status != http.StatusCreated && status != http.StatusTooManyRequests {
			t.Fatalf("%s: eviction answers %d: %s", name, status, body)
		}
		out, _, _ := mcp(t, s, realkube.Full, "--before-change", "wrk-98", "--now", in(time.Hour))
		if held := strings.Contains(out, "holds pod "+name); held != (status == http.StatusTooManyRequests) || !strings.Contains(out, "pod shop/"+name) {
			t.Errorf("%s: eviction answers %d, the check says that it hangs: %v\n%s", name, status, held, out)
		}
	}
}

const openshiftKinds = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusteroperators.config.openshift.io}
spec:
  group: config.openshift.io
  scope: Cluster
  names: {kind: ClusterOperator, plural: clusteroperators, singular: clusteroperator}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: machineconfigurations.operator.openshift.io}
spec:
  group: operator.openshift.io
  scope: Cluster
  names: {kind: MachineConfiguration, plural: machineconfigurations, singular: machineconfiguration}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`

// addOpenShift makes the server know the kinds of OpenShift that --before-change asks for besides.
func addOpenShift(t *testing.T, s *realkube.Server, documents string) {
	t.Helper()
	s.Apply(t, openshiftKinds)
	const operators = "/apis/config.openshift.io/v1/clusteroperators"
	t.Cleanup(func() {
		s.Delete(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusteroperators.config.openshift.io")
		s.Delete(t, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/machineconfigurations.operator.openshift.io")
	})
	for _, path := range []string{operators, "/apis/operator.openshift.io/v1/machineconfigurations"} {
		for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			if status, _ := s.Do(t, realkube.Admin, http.MethodGet, path, nil); status == http.StatusOK {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is not served", path)
			}
		}
	}
	s.Apply(t, documents)
}

// By policy the change of one file needs no drain: then what waits is harmless.
func TestBeforePolicy(t *testing.T) {
	s := beforeTheChange(t)
	addOpenShift(t, s, `
apiVersion: operator.openshift.io/v1
kind: MachineConfiguration
metadata: {name: cluster}
status: {nodeDisruptionPolicyStatus: {clusterPolicies: {files: [{path: /etc/motd.d, actions: [{type: None}]}], sshkey: {actions: [{type: None}]}}}}
`)
	for name, text := range map[string]string{oldConfig: "HUNTER2", newConfig: "HUNTER3"} {
		s.Apply(t, `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: `+name+`}
spec: {osImageURL: same, config: {ignition: {version: 3.4.0}, storage: {files: [{path: /etc/motd.d/hello, mode: 420, contents: {source: "data:,`+text+`"}}]}}}
`)
	}
	file := filepath.Join(t.TempDir(), "case.yaml")
	live, code, _ := mcp(t, s, realkube.Full, "--before-change", "wrk-98", "--record", file)
	says(t, "by policy", live, code, 1, "making wrk-98 schedulable updates wrk-98 without a drain or reboot [changed: /etc/motd.d/hello, by the node disruption policy]")
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "HUNTER") || strings.Contains(string(text), s.Token(t, realkube.Full)) {
		t.Fatalf("%v, %d bytes: a secret is in the recording", err, len(text))
	}
	replayed, again, _ := runPlugin(t, "check_mcp", "--before-change", "wrk-98", "--replay", file)
	if code != again || live != replayed {
		t.Errorf("live, exit %d:\n%s\nreplayed, exit %d:\n%s", code, live, again, replayed)
	}
}

const pendingPod = "/api/v1/namespaces/shop/pods/pending"

const degradedIngress = `
apiVersion: config.openshift.io/v1
kind: ClusterOperator
metadata: {name: ingress}
status: {conditions: [{type: Available, status: "True", lastTransitionTime: "2026-11-01T00:00:00Z"}, {type: Degraded, status: "True", message: no router, lastTransitionTime: "2026-11-01T00:00:00Z"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: pending, namespace: shop}
spec: {automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, containers: [{name: c, image: example.invalid/web}]}
`

func TestBeforeCluster(t *testing.T) {
	s := beforeTheChange(t)
	addOpenShift(t, s, degradedIngress)
	t.Cleanup(func() { s.Delete(t, pendingPod) })
	out, code, _ := mcp(t, s, realkube.Full, "--before-change", "cluster", "--now", in(time.Hour))
	says(t, "the cluster", out, code, 2, "[CRITICAL] - pool worker: update blocked, 1 of 44 nodes outdated", "[WARNING] ClusterOperator ingress: degraded, for ", "no router",
		"[WARNING] cluster: 1 node not Ready or cordoned", "wrk-98  cordoned by kubectl", "1 pod pending, for ", "shop/pending, for ")
	s.LoadScenario(t, "healthy")
	out, code, _ = mcp(t, s, realkube.Minimal, "--before-change", "cluster", "--now", in(time.Hour))
	says(t, "a healthy cluster, with few rights", out, code, 1, "pool worker: nothing is known to be pending; but whether an OS image is pending is not known (machineosconfigs could not be listed)")
}

// A server that takes the connection and never answers.
func TestBeforeOutage(t *testing.T) {
	s := beforeTheChange(t)
	s.Freeze(t)
	out, code, took := mcp(t, s, realkube.Full, "--before-change", "wrk-98", "--timeout", "1s")
	s.Thaw(t)
	if code != 3 || took > 2*time.Second || !strings.Contains(firstLine(out), "1s") {
		t.Errorf("exit %d after %v: %s", code, took, out)
	}
}
