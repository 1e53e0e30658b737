//go:build integration && linux

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"overdue/test/realicinga"
	"overdue/test/realkube"
)

const shipped = "../../icinga/"

// everything that a site takes from us, in the order in which it is in the global zone: by name.
var wiring = []string{shipped + "apply.conf", shipped + "commands.conf", shipped + "templates.conf"}

// plugins is a directory with all of the suite's programs.
func plugins(t *testing.T) string {
	t.Helper()
	commands, err := filepath.Glob("../../cmd/*")
	if err != nil || len(commands) == 0 {
		t.Fatal(err, commands)
	}
	for _, dir := range commands {
		built(t, filepath.Base(dir))
	}
	return binaryDir
}

// icinga prepares a single node with the wiring in its global zone. The certificate's name is that of its address.
func icinga(t *testing.T) *realicinga.Node {
	t.Helper()
	n := realicinga.NewNode(t, realicinga.NewAuthority(t), "localhost", "", plugins(t))
	realicinga.Cluster(t, n)
	n.Install(t, wiring...)
	return n
}

// The files alone, and with the hosts of the documentation.
func TestIcingaAcceptsTheFiles(t *testing.T) {
	n := icinga(t)
	for _, hosts := range []string{"", "hosts.conf"} {
		if hosts != "" {
			n.Write(t, "zones.d/localhost/hosts.conf", shippedText(t, "examples/hosts.conf"))
			n.Write(t, "features/influxdb.conf", shippedText(t, "examples/influxdb.conf"))
		}
		output, valid := n.Validate(t)
		if !valid || strings.Contains(output, "warning/") && hosts != "" {
			t.Errorf("with %q:\n%s", hosts, output)
		}
		want := 0
		if hosts != "" { // every rule matches one host; each pool of it has a service of its own
			want = rules(t, "openshift") + rules(t, "nomad") + rules(t, "poseidon") + environments(t)
		}
		if got := services(output); got != want {
			t.Errorf("with %q: %d services, want %d:\n%s", hosts, got, want, output)
		}
	}
}

// rules counts those of apply.conf that make a service of every host with the variable.
func rules(t *testing.T, variable string) int {
	t.Helper()
	n := strings.Count(shippedText(t, "apply.conf"), "\n  assign where typeof(host.vars."+variable+") == Dictionary\n")
	if n == 0 {
		t.Errorf("no rule for vars.%s", variable)
	}
	return n
}

// environments counts the pools of the example.
func environments(t *testing.T) int {
	t.Helper()
	return len(regexp.MustCompile(`(?m)^      "\d+" = \{`).FindAllString(shippedText(t, "examples/hosts.conf"), -1))
}

// services is how many of them Icinga says that it has made.
func services(output string) (n int) {
	for line := range strings.Lines(output) {
		if _, number, _ := strings.Cut(line, "Instantiated "); strings.Contains(number, " Service") {
			_, _ = fmt.Sscan(number, &n)
		}
	}
	return n
}

// Hosts of all sorts: the one on the page, variables of other people's, and rules of the admin's own.
func TestIcingaAcceptsOtherHosts(t *testing.T) {
	page, err := os.ReadFile("../../docs/icinga.md")
	if err != nil {
		t.Fatal(err)
	}
	onPage := regexp.MustCompile(`object Host "openshift" \{\n\s+check_command = "dummy"\n([\s\S]*?)\n       \}\n`).FindSubmatch(page)
	if onPage == nil {
		t.Fatal("the page shows no host")
	}
	n := icinga(t)
	for _, r := range []struct {
		about, hosts string
		services     int
	}{
		{"the page's", string(onPage[1]), rules(t, "openshift")},
		{"an environment without the handler's options", `vars.poseidon = { address = "http://127.0.0.1:1", environments = { "29" = { }, "10" = null } }`, rules(t, "poseidon") + 2},
		{"attributes of a pool's service", `vars.poseidon = { address = "http://127.0.0.1:1", environments = { "29" = { max_check_attempts = 1, enable_event_handler = false } } }`, rules(t, "poseidon") + 1},
		{"all defaults", `vars.nomad = { }`, rules(t, "nomad")},
		{"a cluster without pools", `vars.openshift = { server = "https://127.0.0.1:1" }` + "\n  vars.openshift_without_pools = true", rules(t, "openshift") - 1},
		{"variables of somebody else's", `vars.openshift = "4.16"` + "\n  vars.nomad = true\n  vars.poseidon = [ 10 ]\n  vars.resync = true", 0},
		{"environments that are a list", `vars.poseidon = { environments = [ "10" ] }`, rules(t, "poseidon")},
		{"a rule of the admin's own", "}\nobject Service \"my-gpus\" {\n  import \"overdue-gpu-node\"\n  host_name = \"other\"", 1},
	} {
		n.Write(t, "zones.d/localhost/hosts.conf", "object Host \"other\" {\n  check_command = \"dummy\"\n  "+r.hosts+"\n}\n")
		output, valid := n.Validate(t)
		if got := services(output); !valid || got != r.services {
			t.Errorf("%s: %d services, want %d:\n%s", r.about, got, r.services, output)
		}
	}
}

func shippedText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(shipped + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// openshiftHost is one whose API server is the real one, with an account's token in a file.
func openshiftHost(t *testing.T, s *realkube.Server, name, address, account string) string {
	t.Helper()
	return fmt.Sprintf(`object Host %q {
  check_command = "dummy"
  enable_active_checks = false
  vars.openshift = {
    server = %q
    token_file = %q
    ca_file = %q
  }
}
`, name, address, s.TokenFile(t, account), s.CAFile)
}

// step is a check of a service, and the state that Icinga then has it in.
type step struct {
	state string
	says  string
}

func follow(t *testing.T, n *realicinga.Node, service string, steps ...step) realicinga.Service {
	t.Helper()
	var got realicinga.Service
	for i, want := range steps {
		if got = n.Check(t, service); got.String() != want.state || !strings.Contains(firstLine(got.Result.Output), want.says) {
			t.Fatalf("%s, check %d: %s with %q, want %s with %q", service, i+1, got, firstLine(got.Result.Output), want.state, want.says)
		}
		fmt.Fprintf(t.Output(), "\n%-15s %s\n%s\n", got, service, firstLine(got.Result.Output)) // read by people: make demo-icinga
	}
	return got
}

// The first incident as Icinga tells it: an update that waits behind a cordon, then the taint that took a node's GPUs.
func TestIcingaTellsTheTaint(t *testing.T) {
	s := kubernetes(t, "healthy")
	n := icinga(t)
	n.Write(t, "zones.d/localhost/hosts.conf", openshiftHost(t, s, "openshift", s.URL, realkube.Full))
	sink := influx(t, n)
	n.Start(t)
	const pools, gpus = "openshift!machine-config-pools", "openshift!gpu-nodes"

	ok := step{"OK HARD", "2 pools up to date, 47 nodes"}
	follow(t, n, pools, ok, ok)
	const waits = "pool worker: update blocked, 1 of 44 nodes outdated, for "
	s.LoadScenario(t, "a-pending-blocked-by-cordon")
	follow(t, n, pools, step{"OK HARD", "updating, 43/44 done, no node in work"})
	n.Set(t, pools, map[string]any{"vars.mcp_now": in(25 * time.Minute)})
	follow(t, n, pools, step{"WARNING SOFT 1", waits + "25m"}, step{"WARNING SOFT 2", waits}, step{"WARNING SOFT 3", waits}, step{"WARNING SOFT 4", waits}, step{"WARNING HARD", waits})
	n.Set(t, pools, map[string]any{"vars.mcp_now": in(45 * time.Minute)})
	last := follow(t, n, pools, step{"CRITICAL HARD", waits + "45m"})
	if want := "file:///usr/share/doc/overdue/docs/check_mcp.md"; last.NotesURL != want || !slices.ContainsFunc(last.Result.Points, func(p string) bool { return strings.HasPrefix(p, "worker_pending=") }) {
		t.Errorf("notes_url %q, want %q; points %q", last.NotesURL, want, last.Result.Points)
	}
	sink.await(t, "mcp,hostname=openshift,service=machine-config-pools,metric=worker_pending ", "crit=1800", "warn=1200", "value=27")

	s.LoadScenario(t, "healthy")
	follow(t, n, pools, ok)

	gpuIncident(t)
	follow(t, n, gpus, step{"CRITICAL SOFT 2", "taint ai4dd-a100-reserved=true:NoSchedule"}, step{"CRITICAL SOFT 3", "node wrk-98"}, step{"CRITICAL SOFT 4", "node wrk-98"}, step{"CRITICAL HARD", "node wrk-98"})
	sink.await(t, "gpu_node,hostname=openshift,service=gpu-nodes,metric=gpus_missing ")

	validPoints(t, n)
}

// validPoints holds that Icinga could read all performance data. U is the guidelines' word for what could not be learned; Icinga leaves a gap.
func validPoints(t *testing.T, n *realicinga.Node) {
	t.Helper()
	for line := range strings.Lines(n.Log(t)) {
		for _, trouble := range []string{"Invalid performance data", "Ignoring invalid perfdata"} {
			if strings.Contains(line, trouble) && !strings.Contains(line, "=U;") {
				t.Errorf("the log says %s", line)
			}
		}
	}
}

// An API that never answers: the plugin ends before Icinga ends it, and says what it waited for.
// What hangs on the same API does not alarm as well.
func TestIcingaAndAnAPIThatHangs(t *testing.T) {
	s := kubernetes(t, "healthy")
	n := icinga(t)
	n.Write(t, "zones.d/localhost/hosts.conf", openshiftHost(t, s, "hanging", s.URL, realkube.Full))
	n.Start(t)
	s.Freeze(t)

	const pools, kubernetes = "hanging!machine-config-pools", "hanging!kubernetes"
	n.Set(t, pools, map[string]any{"vars.mcp_timeout": "2s"})
	got := follow(t, n, pools, step{"UNKNOWN SOFT 2", "no result after 2s"}, step{"UNKNOWN SOFT 3", "no result after 2s"})
	if strings.Contains(got.Result.Output, "Timeout exceeded") || got.Result.Exit != 3 {
		t.Errorf("Icinga ended it: exit %d, %q", got.Result.Exit, got.Result.Output)
	}
	// Checked once a minute, it is HARD before the others, which are checked every five.
	n.Set(t, kubernetes, map[string]any{"vars.gpu_node_timeout": "1s"})
	follow(t, n, kubernetes, step{"UNKNOWN SOFT 2", "no result after 1s"}, step{"UNKNOWN HARD", "no result after 1s"})
	for _, child := range []string{pools, "hanging!gpu-nodes"} {
		n.Set(t, child, map[string]any{"vars.mcp_timeout": "1s", "vars.gpu_node_timeout": "1s"})
		if got := n.Check(t, child); got.Reachable {
			t.Errorf("%s is %s and counts as reachable, so it would alarm as well", child, got)
		}
	}
}
