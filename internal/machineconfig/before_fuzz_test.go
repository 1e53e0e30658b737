package machineconfig

import (
	"encoding/json"
	"testing"
	"time"

	"overdue/internal/plugin"
)

// FuzzForesee asks about a node that is held, whatever its pods, MachineConfigs and policy may look like: no panic, no state that does
// not exist, and never that the node may be touched without a thought.
func FuzzForesee(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"p","namespace":"n","labels":{"pod-template-hash":"x"},"ownerReferences":[{"kind":"ReplicaSet","name":"a-x","controller":true}]},"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"4","a":7}}}],"volumes":[{"emptyDir":{}},{"persistentVolumeClaim":{"claimName":"c"}}]},"status":{"conditions":[{"type":"PodScheduled","status":"False"}]}}`),
		[]byte(`{"spec":{"osImageURL":"a","config":{"storage":{"files":[{"path":"/a"},7,null]},"systemd":{"units":[{"name":"u"}]},"passwd":{"users":[{"name":"core","sshAuthorizedKeys":["k"]},null]}}}}`),
		[]byte(`{"spec":{"config":{"storage":{"files":[{"path":"/a","mode":1},{"path":""}]}}}}`),
		[]byte(`{"status":{"nodeDisruptionPolicyStatus":{"clusterPolicies":{"files":[{"path":"/","actions":[{"type":"None"}]},{"path":"a","actions":null}],"units":[{"name":"u"}],"sshkey":{"actions":[{"type":"Drain"}]}}}}}`))
	f.Fuzz(func(t *testing.T, pod, from, to, policy []byte) {
		var o podObject
		var a, b configObject
		var p policyObject
		for into, text := range map[any][]byte{&o: pod, &a: from, &b: to, &p: policy} {
			if json.Unmarshal(text, into) != nil {
				return
			}
		}
		prospect := foreseen(fleet(3, on("w-01", outdated, cordoned(time.Hour, "oc"))), changing(compare(&a, &b), reducePolicy(&p)), budget(o.Metadata.Namespace, "b", "x", 0))
		if w, ok := reduceWorkload(&o); ok {
			runs("w-01", w)(&prospect)
		}
		if waiting, ok := reducePending(&o); ok {
			prospect.Pending = append(prospect.Pending, waiting)
		}
		v := Foresee(prospect, []Target{{targetNode, "w-01"}, {targetPool, "worker"}, {Kind: targetCluster}}, defaults(), noon)
		for _, finding := range v.Findings {
			if finding.State < plugin.OK || finding.State > plugin.Unknown || finding.Subject == "" || finding.Problem == "" {
				t.Fatalf("finding %+v", finding)
			}
		}
		if v.Findings[0].State == plugin.OK {
			t.Fatalf("an outdated node is safe: %+v", v.Findings[0])
		}
	})
}
