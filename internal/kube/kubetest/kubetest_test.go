package kubetest

import (
	"io"
	"net/http"
	"testing"
)

const pools = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"

func TestAnswers(t *testing.T) {
	objects, err := Load([]byte(`
apiVersion: v1
kind: NodeList
items:
- {metadata: {name: a, labels: {gpu: "yes"}}, spec: {unschedulable: true}}
- {metadata: {name: b}}
---
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: worker}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := New(objects...)
	defer s.Close()
	s.Forbid("get", "nodes")
	for _, test := range []struct {
		path   string
		status int
		body   string
	}{
		{"/api/v1/nodes?labelSelector=gpu%3Dyes", 200, `{"apiVersion":"v1","kind":"NodeList","metadata":{"resourceVersion":"4711"},"items":[{"apiVersion":"v1","kind":"Node","metadata":{"labels":{"gpu":"yes"},"name":"a"},"spec":{"unschedulable":true}}]}` + "\n"},
		{"/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue&limit=1", 200, `{"apiVersion":"v1","kind":"NodeList","metadata":{"resourceVersion":"4711"},"items":[{"apiVersion":"v1","kind":"Node","metadata":{"labels":{"gpu":"yes"},"name":"a"},"spec":{"unschedulable":true}}]}` + "\n"},
		{"/api/v1/nodes/a", 403, `{"apiVersion":"v1","code":403,"details":{"group":"","kind":"nodes","name":"a"},"kind":"Status","message":"nodes \"a\" is forbidden: User \"icinga\" cannot get resource \"nodes\" in API group \"\" at the cluster scope","metadata":{},"reason":"Forbidden","status":"Failure"}`},
		{"/apis/none/v1/things", 404, "404 page not found\n"},
		{pools + "/worker", 200, `{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfigPool","metadata":{"name":"worker"}}`},
		{pools + "?fieldSelector=spec.paused%3Dtrue", 400, `{"apiVersion":"v1","code":400,"kind":"Status","message":"field label not supported: spec.paused","metadata":{},"reason":"BadRequest","status":"Failure"}`},
	} {
		r, _ := http.NewRequest(http.MethodGet, s.URL()+test.path, nil)
		r.Header.Set("Authorization", "Bearer "+Token)
		res, err := s.http.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != test.status || string(body) != test.body {
			t.Errorf("%s\n got %d %s\nwant %d %s", test.path, res.StatusCode, body, test.status, test.body)
		}
	}
	if n := s.Count("/api/v1/nodes"); n != 2 {
		t.Errorf("counted %d", n)
	}
	s.Remove("MachineConfigPool", "", "worker")
	if len(s.objects) != 2 {
		t.Errorf("%d objects left", len(s.objects))
	}
}
