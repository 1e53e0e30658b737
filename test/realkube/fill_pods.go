package realkube

import (
	"fmt"
	"testing"

	"sigs.k8s.io/yaml"
)

// podsOfNode is how many pods FillPods gives a node: 150,000 on 5,000 nodes, which is what Kubernetes supports.
const podsOfNode = 30

// FillPods gives each of the first nodes that FillNodes made podsOfNode running pods of Deployments, n in all, in namespaces load-0 to
// load-9. Each is about 5 KB of JSON.
func (s *Server) FillPods(t testing.TB, n int) {
	t.Helper()
	node := serial("node", 0)
	for i := range 10 {
		if err := s.apply(namespace(fmt.Sprint("load-", i))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range podsOfNode {
		var pod object
		err := yaml.Unmarshal(fmt.Appendf(nil, loadPod, node, i, i%10), &pod)
		if err == nil {
			err = s.apply(pod)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s.multiply(t, []string{"/registry/pods/load-"}, node, serials("node", n/podsOfNode))
}

const loadPod = `
apiVersion: v1
kind: Pod
metadata:
  name: service-6d4cf56db6-%[1]s-%02[2]d
  namespace: load-%[3]d
  labels: {app.kubernetes.io/name: service, app.kubernetes.io/part-of: shop, pod-template-hash: 6d4cf56db6}
  annotations: {openshift.io/scc: restricted-v2, seccomp.security.alpha.kubernetes.io/pod: runtime/default, k8s.ovn.org/pod-networks: '{"default":{"ip_addresses":["198.51.100.7/23"],"mac_address":"00:00:5e:00:53:07","gateway_ips":["198.51.100.1"],"ip_address":"198.51.100.7/23","gateway_ip":"198.51.100.1"}}'}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: service-6d4cf56db6, uid: 00000000-0000-0000-0000-00000000000b, controller: true}]
spec:
  nodeName: %[1]s
  automountServiceAccountToken: false
  containers:
  - name: service
    image: registry.example/shop/service@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
    args: [--listen=:8080, --log-level=info, --database=postgres.shop.svc]
    env: [{name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: REGION, value: one}, {name: WORKERS, value: '8'}]
    ports: [{containerPort: 8080, name: http}]
    resources: {requests: {cpu: 100m, memory: 256Mi}, limits: {memory: 512Mi}}
    readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 10}
    livenessProbe: {httpGet: {path: /alive, port: 8080}, periodSeconds: 10}
    volumeMounts: [{name: config, mountPath: /etc/service}, {name: scratch, mountPath: /tmp}]
  volumes: [{name: config, configMap: {name: service}}, {name: scratch, emptyDir: {}}]
status:
  phase: Running
  hostIP: 192.0.2.10
  podIP: 198.51.100.7
  podIPs: [{ip: 198.51.100.7}]
  qosClass: Burstable
  startTime: '2026-11-11T10:00:00Z'
  conditions:
  - {type: PodReadyToStartContainers, status: 'True', lastTransitionTime: '2026-11-11T10:00:05Z'}
  - {type: Initialized, status: 'True', lastTransitionTime: '2026-11-11T10:00:00Z'}
  - {type: Ready, status: 'True', lastTransitionTime: '2026-11-11T10:00:10Z'}
  - {type: ContainersReady, status: 'True', lastTransitionTime: '2026-11-11T10:00:10Z'}
  - {type: PodScheduled, status: 'True', lastTransitionTime: '2026-11-11T10:00:00Z'}
  containerStatuses:
  - {name: service, ready: true, started: true, restartCount: 0, image: registry.example/shop/service, imageID: 'registry.example/shop/service@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae', containerID: 'cri-o://fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9', state: {running: {startedAt: '2026-11-11T10:00:09Z'}}}
`
