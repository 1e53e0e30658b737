//go:build performance

package performance

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"text/tabwriter"
	"time"

	"overdue/test/replayed"
)

// What a check of a healthy system costs beside a bare Go program that sends the same requests.
func TestHealthyPath(t *testing.T) {
	const runs = 100
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	floor := filepath.Join(dir, "floor")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", floor, "./floor")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "median of %d\trequests\tms\tCPU ms\tpeak MiB\tCPU to the floor\t\n", runs)
	for _, p := range []struct{ name, recording, server string }{
		{"check_mcp", "mcp-healthy", "--server"},
		{"check_gpu_node", "gpu-healthy", "--server"},
		{"check_nomad_evals", "nomad-healthy", "--address"},
	} {
		var asked []string
		recorded := replayed.Answers(t, "../../demo/recordings/"+p.recording+".yaml")
		answers := replayed.Handler(recorded, nil)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.String())
			answers(w, r)
		}))
		server.EnableHTTP2 = true
		server.StartTLS()
		authority, token := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "token")
		for name, content := range map[string][]byte{token: []byte("t"), authority: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		plugin, err := filepath.Abs("../../bin/" + p.name)
		if err != nil {
			t.Fatal(err)
		}
		command := []string{plugin, p.server, server.URL, "--token-file", token, "--ca-file", authority, "--now", replayed.Made(recorded)}
		if got := runMeasured(t, self, dir, command); got.Code != 0 {
			t.Fatalf("%s: exit %d: %s", p.name, got.Code, got.Output)
		}
		bare := []string{floor, authority, token}
		for _, url := range asked {
			bare = append(bare, server.URL+url)
		}
		requests := len(asked)
		var costs, floors []cost
		for range runs {
			costs = append(costs, runMeasured(t, self, dir, command))
			floors = append(floors, runMeasured(t, self, dir, bare))
		}
		server.Close()
		got, least := median(costs), median(floors)
		for _, row := range []struct {
			name string
			cost
		}{{p.name, got}, {"the same requests, bare", least}} {
			fmt.Fprintf(w, "%s\t%d\t%.1f\t%.1f\t%.0f\t%.2f\t\n", row.name, requests, ms(row.Wall), ms(row.CPU), float64(row.RSS)/1024, ms(row.CPU)/ms(least.CPU))
		}
	}
	_ = w.Flush()
	t.Logf("\n%s", &table)
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }
