package machineconfig

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overdue/internal/kube/kubetest"
)

// serve starts a stand-in API server that holds the recorded objects of the files, later ones over earlier ones.
func serve(t testing.TB, files ...string) *kubetest.Server {
	t.Helper()
	s := kubetest.New()
	t.Cleanup(s.Close)
	s.Declare(group+"/v1", "MachineConfigPool")
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".gz") {
			r, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if data, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		objects, err := kubetest.Load(data)
		if err != nil {
			t.Fatal(err)
		}
		s.Put(objects...)
	}
	return s
}

// run is one run of check_mcp against the server, as of a time.
func run(t testing.TB, s *kubetest.Server, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	code := Check(context.Background(), append([]string{"--kubeconfig", s.Kubeconfig(t.TempDir())}, args...), nil, &out)
	return out.String(), code
}

const quarterPast = "2026-12-01T04:30:00Z"

func incidentServer(t testing.TB) *kubetest.Server {
	return serve(t, "controller/incident-two-cordoned-mcp-list.json", "controller/incident-two-cordoned-nodes-list.json.gz")
}

func TestCheckIncident(t *testing.T) {
	s := incidentServer(t)
	out, code := run(t, s, "--now", quarterPast)
	first, _, _ := strings.Cut(out, "\n")
	want := "[WARNING] - pool worker: no change pending, but 2 of 44 nodes not ready, for 2h 7m (since 2026-12-01 02:22 UTC): " +
		"wrk-71 and wrk-98: cordoned by kubectl since then; " +
		"next: the next change will not start (2 unavailable, maxUnavailable 1); making them ready now reboots nothing; do: oc adm uncordon wrk-71 wrk-98, unless they are meant to be out of use"
	if first != want || code != 1 {
		t.Errorf("exit %d\n%s\nwant\n%s", code, first, want)
	}
	if !strings.Contains(out, "worker_ready=42") || !strings.Contains(out, "worker_updated=44") || !strings.Contains(out, "worker_unavailable=2") {
		t.Errorf("counts are missing in\n%s", out)
	}
}

// A healthy cluster costs one request.
func TestCheckHealthyAsksOnce(t *testing.T) {
	s := serve(t, "controller/all-updated-mcp-list.json", "controller/incident-two-cordoned-nodes-list.json.gz")
	out, code := run(t, s)
	if want := "[OK] - 2 pools up to date, 47 nodes\n"; code != 0 || !strings.HasPrefix(out, want) {
		t.Errorf("exit %d: %s", code, out)
	}
	if requests := s.Requests(); len(requests) != 1 || !strings.Contains(requests[0], "/machineconfigpools") {
		t.Errorf("asked for %q", requests)
	}
	if _, code := run(t, s, "--verify-nodes"); code != 1 {
		t.Errorf("--verify-nodes does not see the two cordoned nodes: exit %d", code)
	}
	if s.Count("/api/v1/nodes") != 1 {
		t.Errorf("asked for %q", s.Requests())
	}
}

// Each optional right that is missing costs a note and not the verdict.
func TestCheckWithFewRights(t *testing.T) {
	s := drainServer(t)
	full, code := run(t, s, "--now", quarterPast)
	if code != 2 {
		t.Fatalf("exit %d: %s", code, full)
	}
	for _, right := range []string{"get leases.coordination.k8s.io", "get machineconfigs." + group, "list machineconfignodes." + group, "list pods", "list poddisruptionbudgets.policy"} {
		verb, resource, _ := strings.Cut(right, " ")
		s.Forbid(verb, resource)
	}
	few, code := run(t, s, "--now", quarterPast, "-v")
	if code != 2 {
		t.Errorf("exit %d: %s", code, few)
	}
	for _, note := range []string{"note: whether machine-config-controller is alive is not known", "note: since when rendered-worker-", "note: which pod holds the drain of wrk-98 is not known", "note: when the work on wrk-98 began is known less well"} {
		if !strings.Contains(few, note) {
			t.Errorf("no %q in\n%s", note, few)
		}
	}
	for _, right := range []string{"nodes", "machineconfigpools." + group} {
		s.Forbid("list", right)
		out, code := run(t, s)
		if code != 3 || !strings.Contains(out, "icinga/rbac/check-mcp.yaml") {
			t.Errorf("without list %s: exit %d: %s", right, code, out)
		}
	}
}

func TestCheckWithoutPools(t *testing.T) {
	plain := kubetest.New()
	t.Cleanup(plain.Close)
	hosted := serve(t)
	for name, s := range map[string]*kubetest.Server{"plain Kubernetes": plain, "hosted control plane": hosted} {
		t.Run(name, func(t *testing.T) {
			for state, want := range map[string]int{"unknown": 3, "ok": 0, "warning": 1, "critical": 2} {
				out, code := run(t, s, "--no-pools", state)
				if code != want || !strings.Contains(out, "has no MachineConfigPools") {
					t.Errorf("--no-pools %s: exit %d: %s", state, code, out)
				}
			}
		})
	}
}

func TestCheckSelectsPools(t *testing.T) {
	s := incidentServer(t)
	for _, r := range []struct {
		args string
		code int
		says string
	}{
		{"--pool master", 0, "1 pool up to date, 3 nodes"},
		{"--exclude-pool work*", 0, "1 pool up to date, 3 nodes"},
		{"--pool w*", 1, "2 of 44 nodes not ready"},
		{"--pool gpu", 3, "no pool is named gpu; there are master, worker"},
		{"--pool master --exclude-pool *", 3, "leave no pool to judge"},
		{"--pool [", 3, "is no glob"},
		{"--pool master --expect-machineconfig worker/99-x", 3, "no pool of that name is judged"},
		{"--pool master --expect-machineconfig 99-master-ssh", 0, "MachineConfig 99-master-ssh has reached all 3 nodes"},
		{"--window soon", 3, "write it as"},
		{"--window-timezone Mars", 3, "is no time zone"},
		{"-c 5x", 3, "--critical"},
		{"worker", 3, "worker"},
	} {
		out, code := run(t, s, strings.Fields(r.args)...)
		if code != r.code || !strings.Contains(out, r.says) {
			t.Errorf("%s: exit %d, want %d with %q:\n%s", r.args, code, r.code, r.says, out)
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
	good, _ := run(t, serve(t, "controller/all-updated-mcp-list.json"))
	bad, _ := run(t, incidentServer(t), "--now", quarterPast)
	if labels(good) == "" || labels(good) != labels(bad) {
		t.Errorf("good: %s\nbad:  %s", labels(good), labels(bad))
	}
	var many []Pool
	for i := range mostPools + 1 {
		p := fleet(0).Pools[0]
		p.Name, p.Machines, p.Updated = fmt.Sprintf("pool-%d", i), 2, 1
		many = append(many, p)
	}
	v := Judge(Snapshot{Pools: many}, everyPool, defaults(), noon)
	if len(v.Metrics) != len(points) || v.Metrics[0].Label != "all_machines" || v.Metrics[0].Value != 24 || v.Metrics[5].Value != 12 || v.Metrics[8].Value != 3600 {
		t.Errorf("with many pools: %+v", v.Metrics)
	}
}

// Texts from the API are untrusted; a hostile one must not break the line, start perfdata, be a tag or flood. A hostile name
// cannot come from an API server at all.
func TestCheckHostileTexts(t *testing.T) {
	s := incidentServer(t)
	node := objects[map[string]any](t, "testdata/controller/drain-blocked-by-pdb-node-wrk-98.json")[0]
	annotations := node["metadata"].(map[string]any)["annotations"].(map[string]any)
	annotations[group+"/state"] = stateDegraded
	annotations[group+"/reason"] = "bad\r\n[OK] - |b=2 <img>\u202e\x1b[31m" + strings.Repeat("y", 1<<20)
	s.Put(node)
	clean := func(out string) {
		t.Helper()
		if len(out) > 20_000 || strings.Count(out, "|") > 1 || strings.ContainsAny(out, "<>\x1b\r\u202e") || strings.Contains(out, "\n[OK]") {
			t.Errorf("%d bytes: %.2000s", len(out), out)
		}
	}
	out, code := run(t, s, "--now", quarterPast)
	if code != 2 || !strings.HasPrefix(out, "[CRITICAL] - pool worker: 1 of 44 nodes degraded") {
		t.Errorf("exit %d: %.300s", code, out)
	}
	clean(out)
	node["metadata"].(map[string]any)["name"] = "$(id)\n[OK] - all | a=1 <script>\x1b[31m"
	s.Put(node)
	out, code = run(t, s, "--now", quarterPast)
	if code != 3 || !strings.Contains(out, "has a name that no object can have: $(id) [OK] - all ¦ a=1 ‹script›") {
		t.Errorf("exit %d: %.300s", code, out)
	}
	clean(out)
}
