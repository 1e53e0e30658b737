package machineconfig

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"overdue/internal/plugin"
)

// FuzzJudge judges whatever a server may call its pools and nodes: no panic, no state that does not exist, and every number
// one that can be drawn.
func FuzzJudge(f *testing.F) {
	f.Add([]byte(`{"items":[{"metadata":{"name":"worker","generation":2,"managedFields":[{"manager":"oc","time":"2026-12-01T02:00:00Z","fieldsV1":{"f:spec":{"f:paused":{}}}}]},"spec":{"paused":true,"maxUnavailable":"10%","nodeSelector":{"matchLabels":{"w":""}},"configuration":{"name":"new","source":[{"name":"00"}]}},"status":{"observedGeneration":1,"machineCount":1,"conditions":[{"type":"Updated","status":"False","lastTransitionTime":"2026-12-01T01:00:00Z"}]}}]}`),
		[]byte(`{"metadata":{"name":"n","labels":{"w":""},"annotations":{"machineconfiguration.openshift.io/currentConfig":"old","machineconfiguration.openshift.io/desiredConfig":"new","machineconfiguration.openshift.io/state":"Working","machineconfiguration.openshift.io/desiredDrain":"drain-new"}},"spec":{"unschedulable":true,"taints":[{"key":"a","effect":"NoSchedule"}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`), int64(1796000000))
	f.Add([]byte(`{"items":[{"metadata":{"name":"worker","generation":-1},"spec":{"maxUnavailable":"-5%","nodeSelector":{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]},"configuration":{"name":"x"}}}]}`),
		[]byte(`{"metadata":{"name":"n"}}`), int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, pools, node []byte, seconds int64) {
		var list struct{ Items []poolObject }
		var n corev1.Node
		if json.Unmarshal(pools, &list) != nil || json.Unmarshal(node, &n) != nil {
			return
		}
		s := Snapshot{NodesRead: true}
		for i := range list.Items {
			s.Pools = append(s.Pools, reducePool(&list.Items[i]))
		}
		s.Nodes = []Node{reduceNode(&n, selectorKeys(s.Pools))}
		limits := defaults()
		limits.Windows = windows(t, "Europe/Berlin", "sat 22:00-sun 04:00")
		v := Judge(s, everyPool, limits, time.Unix(seconds%(1<<40), 0))
		for _, finding := range v.Findings {
			if finding.State < plugin.OK || finding.State > plugin.Unknown || finding.Subject == "" || finding.Problem == "" {
				t.Fatalf("finding %+v", finding)
			}
		}
		for _, m := range v.Metrics {
			if math.IsNaN(m.Value) || m.Value < 0 && m.Label != "" && m.Unit == "s" {
				t.Fatalf("metric %+v", m)
			}
		}
	})
}
