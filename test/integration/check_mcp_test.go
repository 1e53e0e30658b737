//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overdue/test/realkube"
)

// in is a time to judge as of, that far from now: the server's own times are those of the loading.
func in(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }

func firstLine(out string) string {
	line, _, _ := strings.Cut(out, "\n")
	return line
}

// mcp runs check_mcp with an account's kubeconfig.
func mcp(t *testing.T, s *realkube.Server, account string, args ...string) (string, int, time.Duration) {
	t.Helper()
	return runPlugin(t, "check_mcp", append([]string{"--kubeconfig", s.Kubeconfig(t, account)}, args...)...)
}

// Every scenario, 45 minutes after it was loaded, with all rights and with the least.
func TestMCPScenarios(t *testing.T) {
	for scenario, want := range map[string]struct {
		code int
		says string
	}{
		"healthy":                     {0, "[OK] - 2 pools up to date, 47 nodes"},
		"incident":                    {1, "pool worker: no change pending, but 2 of 44 nodes not ready, for 45m"},
		"a-pending-blocked-by-cordon": {2, "pool worker: update blocked, 1 of 44 nodes outdated, for "},
		"b-pending-taint-only":        {2, "wrk-98 is ready and next in line, the MCO has not picked it"},
		"c-draining":                  {1, "pool worker: update stuck, 43/44 done, wrk-98 draining, for at least 45m"},
		"d-paused-pending":            {1, "pool worker: paused with an update outstanding, 44 of 44 nodes outdated, for"},
		"e-degraded":                  {2, "pool worker: 1 of 44 nodes degraded"},
		"f-unrelated-notready":        {2, "once wrk-71 is ready, the MCO will drain and, unless the change needs none, reboot wrk-98 (next in line)"},
		"g-stale-status":              {2, "pool worker: status is not to be trusted"},
		"h-render-degraded":           {2, "pool worker: cannot render its configuration"},
		"i-all-updated-two-cordoned":  {1, "pool worker: no change pending, but 2 of 44 nodes not ready"},
		"j-custom-pool":               {2, "pool gpu: update blocked, 1 of 10 nodes outdated"},
	} {
		t.Run(scenario, func(t *testing.T) {
			s := kubernetes(t, scenario)
			for _, account := range []string{realkube.Full, realkube.Minimal} {
				out, code, _ := mcp(t, s, account, "--now", in(45*time.Minute))
				if code != want.code || !strings.Contains(firstLine(out), want.says) {
					t.Errorf("%s: exit %d, want %d with %q:\n%s", account, code, want.code, want.says, out)
				}
			}
			out, code, _ := mcp(t, s, realkube.None, "--now", in(45*time.Minute))
			if code != 3 || !strings.Contains(firstLine(out), "icinga/rbac/check-mcp.yaml") || !strings.Contains(out, "list") || !strings.Contains(out, "machineconfigpools") {
				t.Errorf("without rights: exit %d: %s", code, out)
			}
		})
	}
}

const budgetThatHolds = `
apiVersion: v1
kind: Namespace
metadata: {name: ai4dd}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: train, namespace: ai4dd}
spec: {minAvailable: 1, selector: {matchLabels: {app: train}}}
---
apiVersion: v1
kind: Pod
metadata: {name: train-0, namespace: ai4dd, labels: {app: train}}
spec: {nodeName: wrk-98, automountServiceAccountToken: false, terminationGracePeriodSeconds: 0, containers: [{name: c, image: example.invalid/train}]}
status: {phase: Running, conditions: [{type: Ready, status: "True"}]} # one that is pending is evicted whatever budgets say
`

func removeBudget(t *testing.T, s *realkube.Server) {
	t.Helper()
	s.Delete(t, "/api/v1/namespaces/ai4dd/pods/train-0")
	s.Delete(t, "/apis/policy/v1/namespaces/ai4dd/poddisruptionbudgets/train")
}

// A budget that allows nothing holds the drain, as the server itself sees it.
func TestMCPDrainHeldByBudget(t *testing.T) {
	s := kubernetes(t, "c-draining")
	s.Apply(t, budgetThatHolds)
	t.Cleanup(func() { removeBudget(t, s) })
	const holder = "PodDisruptionBudget ai4dd/train allows 0 disruptions and holds pod train-0"
	out, code, _ := mcp(t, s, realkube.Full, "--now", in(2*time.Hour))
	if code != 2 || !strings.Contains(firstLine(out), holder) {
		t.Errorf("exit %d: %s", code, out)
	}
	out, code, _ = mcp(t, s, realkube.Minimal, "--now", in(2*time.Hour), "-v")
	if code != 2 || strings.Contains(out, holder) || !strings.Contains(out, "note: which pod holds the drain of wrk-98 is not known") {
		t.Errorf("with few rights: exit %d: %s", code, out)
	}
}

// A controller that no longer renews its Lease is dead, whatever the pools say.
func TestMCPControllerLease(t *testing.T) {
	s := kubernetes(t, "incident")
	s.Apply(t, `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: machine-config-controller, namespace: openshift-machine-config-operator}
spec: {holderIdentity: x, leaseDurationSeconds: 137, renewTime: "`+time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")+`"}
`)
	t.Cleanup(func() { s.Delete(t, lease) })
	if out, code, _ := mcp(t, s, realkube.Full, "--now", in(time.Minute)); code != 0 {
		t.Errorf("renewed a minute ago: exit %d: %s", code, out)
	}
	out, code, _ := mcp(t, s, realkube.Full, "--now", in(6*time.Minute))
	if code != 2 || !strings.Contains(firstLine(out), "machine-config-controller: dead or silent") {
		t.Errorf("renewed 6 minutes ago: exit %d: %s", code, out)
	}
}

// Without a kubeconfig: address, token and authority from files.
func TestMCPLogin(t *testing.T) {
	s := kubernetes(t, "healthy")
	token := s.TokenFile(t, realkube.Minimal)
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"token file":       {[]string{"--server", s.URL, "--token-file", token, "--ca-file", s.CAFile}, 0, "2 pools up to date"},
		"without the CA":   {[]string{"--server", s.URL, "--token-file", token}, 3, "--ca-file"},
		"unverified":       {[]string{"--server", s.URL, "--token-file", token, "--insecure-skip-tls-verify"}, 0, "2 pools up to date"},
		"wrong token":      {[]string{"--kubeconfig", s.KubeconfigFor(t, "wrong")}, 3, "401"},
		"no such file":     {[]string{"--server", s.URL, "--token-file", token + "x", "--ca-file", s.CAFile}, 3, token + "x"},
		"nothing is given": {nil, 3, "--kubeconfig"},
	} {
		out, code, _ := runPlugin(t, "check_mcp", c.args...)
		if code != c.code || !strings.Contains(firstLine(out), c.says) {
			t.Errorf("%s: exit %d, want %d with %q: %s", name, code, c.code, c.says, out)
		}
		if strings.Contains(out, s.Token(t, realkube.Minimal)) {
			t.Errorf("%s: the token is in the output: %s", name, out)
		}
	}
}

func TestMCPWithoutPools(t *testing.T) {
	s := kubernetes(t, "incident")
	s.RemoveCRDs(t)
	out, code, _ := mcp(t, s, realkube.Minimal)
	if code != 3 || !strings.Contains(firstLine(out), "has no MachineConfigPools") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code, _ := mcp(t, s, realkube.Minimal, "--no-pools", "ok"); code != 0 {
		t.Errorf("--no-pools ok: exit %d: %s", code, out)
	}
}

// A server that takes the connection and never answers, and one that refuses it.
func TestMCPOutages(t *testing.T) {
	s := kubernetes(t, "incident")
	s.Freeze(t)
	out, code, took := mcp(t, s, realkube.Full, "--timeout", "2s")
	if code != 3 || took > 3*time.Second || !strings.Contains(firstLine(out), "2s") || !strings.Contains(firstLine(out), "machineconfigpools") {
		t.Errorf("frozen: exit %d after %v: %s", code, took, out)
	}
	if out, code, _ := mcp(t, s, realkube.Full, "--timeout", "1s", "--unreachable", "critical"); code != 2 {
		t.Errorf("frozen, --unreachable critical: exit %d: %s", code, out)
	}
	s.Thaw(t)
	s.Stop(t)
	out, code, took = mcp(t, s, realkube.Full)
	if code != 3 || took > 5*time.Second || !strings.Contains(firstLine(out), "refused") {
		t.Errorf("stopped: exit %d after %v: %s", code, took, out)
	}
	s.Restart(t)
	if out, code, _ := mcp(t, s, realkube.Full, "--now", in(45*time.Minute)); code != 1 {
		t.Errorf("restarted: exit %d: %s", code, out)
	}
}

// A recording judges like the run that made it, and holds no secret.
func TestMCPRecording(t *testing.T) {
	s := kubernetes(t, "a-pending-blocked-by-cordon")
	file := filepath.Join(t.TempDir(), "case.yaml")
	live, code, _ := mcp(t, s, realkube.Full, "--record", file, "-c", "1s")
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), s.Token(t, realkube.Full)) || strings.Contains(string(text), "Bearer") {
		t.Fatalf("%v, %d bytes: the token is in the recording", err, len(text))
	}
	replayed, again, _ := runPlugin(t, "check_mcp", "--replay", file, "-c", "1s")
	if code != again || live != replayed {
		t.Errorf("live, exit %d:\n%s\nreplayed, exit %d:\n%s", code, live, again, replayed)
	}
	if out, code, _ := runPlugin(t, "check_mcp", "--replay", file, "--now", in(40*time.Minute)); code != 2 {
		t.Errorf("replayed, 40 minutes later: exit %d: %s", code, out)
	}
}
