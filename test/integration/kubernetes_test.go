//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"overdue/test/realkube"
)

const (
	nodes       = "/api/v1/nodes"
	pods        = "/api/v1/pods"
	mco         = "/apis/machineconfiguration.openshift.io/v1"
	pools       = mco + "/machineconfigpools"
	asTable     = "application/json;as=Table;v=v1;g=meta.k8s.io"
	oldConfig   = "rendered-worker-4f1c0a9e2d7b8365c1e0fa92d4b7e611"
	newConfig   = "rendered-worker-9b27c5d81e4f0a63b2c9d7e8f1045a3c"
	masterLine  = "master rendered-master-1d8e6f0b3a4c5297e8d1f0b2c3a49586 True False False 3 3 3 0"
	lease       = "/apis/coordination.k8s.io/v1/namespaces/openshift-machine-config-operator/leases/machine-config-controller"
	otherLease  = "/apis/coordination.k8s.io/v1/namespaces/openshift-machine-config-operator/leases/other"
	ourAccounts = "/api/v1/namespaces/icinga/secrets/icinga-token"
)

// table is what `oc get mcp` prints, without the age.
func table(t *testing.T, s *realkube.Server) []string {
	t.Helper()
	status, body := s.Do(t, realkube.Minimal, http.MethodGet, pools, nil, "Accept", asTable)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	var answer struct{ Rows []struct{ Cells []any } }
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, row := range answer.Rows {
		line := fmt.Sprintln(row.Cells[:len(row.Cells)-1]...)
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// The scenarios' pool lines. That of the incident is the one its operators published.
func TestPoolLines(t *testing.T) {
	want := map[string][]string{
		"healthy":                     {"worker " + newConfig + " True False False 44 44 44 0"},
		"incident":                    {"worker " + newConfig + " False True False 44 42 44 0"},
		"a-pending-blocked-by-cordon": {"worker " + oldConfig + " False True False 44 43 43 0"},
		"b-pending-taint-only":        {"worker " + oldConfig + " False True False 44 43 43 0"},
		"c-draining":                  {"worker " + oldConfig + " False True False 44 43 43 0"},
		"d-paused-pending":            {"worker " + oldConfig + " False False False 44 0 0 0"},
		"e-degraded":                  {"worker " + oldConfig + " False True True 44 43 43 1"},
		"f-unrelated-notready":        {"worker " + oldConfig + " False True False 44 42 43 0"},
		"g-stale-status":              {"worker " + oldConfig + " True False False 44 44 44 0"},
		"h-render-degraded":           {"worker " + newConfig + " True False True 44 44 44 0"},
		"i-all-updated-two-cordoned":  {"worker " + oldConfig + " False True False 44 42 44 0"},
		"j-custom-pool":               {"worker " + newConfig + " True False False 34 34 34 0"},
	}
	if got := slices.Sorted(maps.Keys(want)); !slices.Equal(got, realkube.Scenarios()) {
		t.Errorf("lines are told for %q, scenarios are %q", got, realkube.Scenarios())
	}
	want["j-custom-pool"] = append([]string{"gpu rendered-gpu-77aa0a9e2d7b8365c1e0fa92d4b7e611 False True False 10 9 9 0"}, want["j-custom-pool"]...)
	for _, scenario := range realkube.Scenarios() {
		t.Run(scenario, func(t *testing.T) {
			s := kubernetes(t, scenario)
			lines := append(want[scenario], masterLine)
			slices.Sort(lines)
			if got := table(t, s); !slices.Equal(got, lines) {
				t.Errorf("got  %q\nwant %q", got, lines)
			}
			if items := s.Get(t, nodes)["items"].([]any); len(items) != 47 {
				t.Errorf("%d nodes, want 47", len(items))
			}
			metadata := s.Get(t, pools+"/worker")["metadata"].(map[string]any)
			status := s.Get(t, pools+"/worker")["status"].(map[string]any)
			if stale := metadata["generation"] != status["observedGeneration"]; stale != (scenario == "g-stale-status") {
				t.Errorf("generation %v, observed %v", metadata["generation"], status["observedGeneration"])
			}
		})
	}
}

// The two nodes of the incident are as the server's own type of a node keeps them.
func TestIncidentNodes(t *testing.T) {
	s := kubernetes(t, "incident")
	var cordoned []string
	for _, item := range s.Get(t, nodes)["items"].([]any) {
		if n := item.(map[string]any); n["spec"].(map[string]any)["unschedulable"] == true {
			cordoned = append(cordoned, n["metadata"].(map[string]any)["name"].(string))
		}
	}
	if want := []string{"wrk-71", "wrk-98"}; !slices.Equal(cordoned, want) {
		t.Errorf("cordoned are %q, want %q", cordoned, want)
	}
	node := s.Get(t, nodes+"/wrk-98")
	if got := node["status"].(map[string]any)["allocatable"].(map[string]any)["nvidia.com/gpu"]; got != "0" {
		t.Errorf("wrk-98 offers %v GPUs, want 0", got)
	}
	taint := node["spec"].(map[string]any)["taints"].([]any)[0].(map[string]any)
	if taint["key"] != "ai4dd-a100-reserved" || taint["effect"] != "NoSchedule" {
		t.Errorf("wrk-98's first taint is %v", taint)
	}
}

func TestAgedScenario(t *testing.T) {
	s := kubernetes(t, "healthy")
	s.LoadScenarioAged(t, "incident", 45*time.Minute)
	for _, item := range s.Get(t, pools+"/worker")["status"].(map[string]any)["conditions"].([]any) {
		condition := item.(map[string]any)
		if condition["type"] != "Updating" {
			continue
		}
		since, err := time.Parse(time.RFC3339, condition["lastTransitionTime"].(string))
		if age := time.Since(since); err != nil || age < 45*time.Minute || age > 46*time.Minute {
			t.Errorf("Updating for %v (%v), want 45m", age, err)
		}
	}
}

// What icinga/rbac grants, and that it grants nothing else.
func TestRights(t *testing.T) {
	s := kubernetes(t, "incident")
	config := mco + "/machineconfigs/" + newConfig
	// A right to what does not exist shows as 404.
	for _, c := range []struct {
		path                string
		full, minimal, none int
	}{
		{pools, 200, 200, 403},
		{pools + "?fieldSelector=metadata.name%3Dworker", 200, 200, 403},
		{pools + "/worker", 403, 403, 403}, // list is enough
		{nodes, 200, 200, 403},
		{nodes + "/wrk-98", 403, 403, 403},
		{pods, 200, 403, 403},
		{config, 200, 403, 403},
		{mco + "/machineconfigs", 403, 403, 403},
		{mco + "/machineconfignodes", 200, 403, 403},
		{"/apis/policy/v1/poddisruptionbudgets", 200, 403, 403},
		{lease, 404, 403, 403},
		{otherLease, 403, 403, 403},
		{"/api/v1/persistentvolumes", 200, 403, 403},
		{"/apis/config.openshift.io/v1/clusteroperators", 404, 403, 403},
		{"/apis/operator.openshift.io/v1/machineconfigurations/cluster", 404, 403, 403},
		{"/apis/operator.openshift.io/v1/machineconfigurations/other", 403, 403, 403},
		{ourAccounts, 403, 403, 403},
		{"/api/v1/secrets", 403, 403, 403},
		{"/apis/no.such.group.example/v1/things", 403, 403, 403},
	} {
		for account, want := range map[string]int{realkube.Full: c.full, realkube.Minimal: c.minimal, realkube.None: c.none} {
			if got, body := s.Do(t, account, http.MethodGet, c.path, nil); got != want {
				t.Errorf("%s GET %s: %d, want %d: %.300s", account, c.path, got, want, body)
			}
		}
	}
	for _, account := range []string{realkube.Full, realkube.Minimal, realkube.None} {
		for method, path := range map[string]string{http.MethodDelete: nodes + "/wrk-98", http.MethodPatch: pools + "/worker", http.MethodPost: nodes} {
			if got, body := s.Do(t, account, method, path, []byte("{}")); got != http.StatusForbidden {
				t.Errorf("%s %s %s: %d, want 403: %.300s", account, method, path, got, body)
			}
		}
	}
}

// The account that the file sets up has the rights by the file's own bindings.
func TestServiceAccount(t *testing.T) {
	s := kubernetes(t, "incident")
	header := []string{"Authorization", "Bearer " + s.ServiceAccountToken(t, "icinga", "icinga")}
	for path, want := range map[string]int{pools: 200, nodes: 200, pods: 200, mco + "/machineconfigs/" + newConfig: 200, lease: 404, mco + "/machineconfigs": 403} {
		if got, body := s.Do(t, realkube.None, http.MethodGet, path, nil, header...); got != want {
			t.Errorf("GET %s: %d, want %d: %.300s", path, got, want, body)
		}
	}
}

// The refusals that the plugins must tell apart, word by word, as the plugins' tests rely on them in recordings.
func TestRefusals(t *testing.T) {
	s := kubernetes(t, "incident")
	const things = "/apis/no.such.group.example/v1/things"
	for _, c := range []struct {
		account, path, token string
		code                 int
		text                 string
	}{
		{realkube.None, pools, "", 403, `"message":"machineconfigpools.machineconfiguration.openshift.io is forbidden: User \"icinga-none\" cannot list resource \"machineconfigpools\" in API group \"machineconfiguration.openshift.io\" at the cluster scope"`},
		{realkube.None, pools, "wrong", 401, `"reason":"Unauthorized"`},
		{realkube.Admin, things, "", 404, "404 page not found"},
		{realkube.Admin, pools + "/nope", "", 404, `"reason":"NotFound"`},
		{realkube.Admin, pools + "?fieldSelector=spec.paused%3Dtrue", "", 400, `"reason":"BadRequest"`},
	} {
		var header []string
		if c.token != "" {
			header = []string{"Authorization", "Bearer " + c.token}
		}
		if code, body := s.Do(t, c.account, http.MethodGet, c.path, nil, header...); code != c.code || !strings.Contains(string(body), c.text) {
			t.Errorf("%s GET %s: %d %s\nwant %d with %s", c.account, c.path, code, body, c.code, c.text)
		}
	}
}

// A plain Kubernetes has no machine config pools.
func TestPlainKubernetes(t *testing.T) {
	s := kubernetes(t, "incident")
	s.RemoveCRDs(t)
	if code, body := s.Do(t, realkube.Minimal, http.MethodGet, pools, nil); code != http.StatusNotFound {
		t.Errorf("%d %s", code, body)
	}
	s.LoadScenario(t, "healthy")
	if got := table(t, s); len(got) != 2 {
		t.Errorf("after the kinds came back: %q", got)
	}
}

// Apply replaces, status and all.
func TestApplyReplaces(t *testing.T) {
	s := kubernetes(t, "healthy")
	for _, count := range []string{"1", "2"} {
		s.Apply(t, `
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: infra}
spec: {paused: true}
status: {machineCount: `+count+`, only`+count+`: true}
---
apiVersion: v1
kind: Node
metadata: {name: infra-1}
status: {capacity: {cpu: "`+count+`"}}
`)
		want := fmt.Sprintf("map[machineCount:%s only%s:true]", count, count)
		if got := fmt.Sprint(s.Get(t, pools+"/infra")["status"]); got != want {
			t.Errorf("status %s, want %s", got, want)
		}
		if got := s.Get(t, nodes+"/infra-1")["status"].(map[string]any)["capacity"].(map[string]any)["cpu"]; got != count {
			t.Errorf("capacity %v, want %s", got, count)
		}
	}
	s.PatchStatus(t, pools+"/infra", "status: {machineCount: 3}")
	if got := fmt.Sprint(s.Get(t, pools+"/infra")["status"]); got != "map[machineCount:3 only2:true]" {
		t.Errorf("after the patch: %s", got)
	}
	s.Delete(t, pools+"/infra")
	if code, _ := s.Do(t, realkube.Admin, http.MethodGet, pools+"/infra", nil); code != http.StatusNotFound {
		t.Errorf("after the deletion: %d", code)
	}
}
