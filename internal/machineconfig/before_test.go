package machineconfig

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/plugin"
	"overdue/internal/plugin/judgetest"
)

func foreseen(s Snapshot, changes ...func(*Prospect)) Prospect {
	p := Prospect{Snapshot: s, Workloads: map[string][]Workload{}, Changes: map[[2]string]Change{}}
	for _, change := range changes {
		change(&p)
	}
	return p
}

func runs(node string, workloads ...Workload) func(*Prospect) {
	return func(p *Prospect) { p.Workloads[node] = append(p.Workloads[node], workloads...) }
}

func pod(namespace, name, owner string) Workload {
	return Workload{Pod: Pod{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}}, Owner: owner}
}

func budget(namespace, name, app string, allowed int) func(*Prospect) {
	return func(p *Prospect) {
		p.Budgets = append(p.Budgets, Budget{Namespace: namespace, Name: name, Allowed: allowed, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}})
	}
}

func changing(c Change, policy *Policy) func(*Prospect) {
	return func(p *Prospect) { p.Changes[[2]string{oldConfig, newConfig}], p.Policy = c, policy }
}

// givenUp is the change to a configuration that the pool had before.
func givenUp(c Change) func(*Prospect) {
	return func(p *Prospect) { p.Changes[[2]string{oldConfig, "rendered-b"}] = c }
}

// images has the nodes run an image; which one they should run is not read.
func images(s *Snapshot) {
	s.Images.read = false
	on("all", func(n *Node) { n.CurrentImage, n.DesiredImage = "img@old", "img@old" })(s)
}

func paused(by string) func(*Snapshot) {
	return worker(func(p *Pool) { p.Paused, p.PausedBy, p.PausedWritten = true, by, before(50*time.Hour) })
}

// gpuPool is a custom pool besides the workers', of which the nodes named are members.
func gpuPool(members string, change func(*Pool)) func(*Snapshot) {
	return func(s *Snapshot) {
		s.Pools = append(s.Pools, Pool{Name: "gpu", Target: "rendered-gpu", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"gpu": ""}}})
		change(&s.Pools[len(s.Pools)-1])
		on(members, func(n *Node) {
			n.Labels = map[string]string{"node-role.kubernetes.io/worker": "", "gpu": ""}
			n.Current, n.Desired = "rendered-gpu", "rendered-gpu"
		})(s)
	}
}

var policy = &Policy{Files: map[string][]string{"/etc/containers/registries.conf": {actionSpecial}, "/etc/nmstate/openshift": {"None"}, "/etc/mine": {actionDrain}},
	Units: map[string][]string{"a.service": {"Reload"}}, SSHKeys: []string{"None"}}

// older has the node run what the OS image of all later configurations differs from.
func older(n *Node) { n.Current, n.Desired = "rendered-older", "rendered-older" }

func olderReboots(p *Prospect) {
	p.Changes[[2]string{"rendered-older", newConfig}] = Change{System: []string{"OS image"}}
}

// applying: in work, and not drained for it.
func applying(n *Node) {
	picked(time.Minute)(n)
	n.State = stateWorking
}

func drifted(n *Node) { degradedNode("unexpected on-disk state", time.Hour)(n) }

// inImageMode has the nodes run the image that they should.
func inImageMode(s *Snapshot) {
	images(s)
	s.Images = poolImages{read: true, of: map[string]string{"worker": "img@old"}}
}

func clean(p *Pool) { p.Conditions = map[string]Condition{condUpdated: {True: true}} }

// controlPlane is two masters and an arbiter.
func controlPlane(changes ...func(*Snapshot)) Snapshot {
	s := fleet(3)
	role := func(name string) map[string]string { return map[string]string{"node-role.kubernetes.io/" + name: ""} }
	s.Pools = []Pool{s.Pools[0], s.Pools[0]}
	for i, name := range []string{"master", "arbiter"} {
		s.Pools[i].Name, s.Pools[i].Selector = name, &metav1.LabelSelector{MatchLabels: role(name)}
	}
	for i, name := range []string{"master", "master", "arbiter"} {
		s.Nodes[i].Name, s.Nodes[i].Labels = fmt.Sprintf("%s-%d", name, i), role(name)
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// withdrawn: failed at a configuration that its pool has given up since.
func withdrawn(n *Node) {
	n.Desired = "rendered-bad"
	degradedNode("bad", time.Hour)(n)
}

type beforeRow struct {
	name     string
	prospect Prospect
	target   string // default w-01
	limits   func(*Limits)
	want     plugin.State
	says     []string
	not      []string
}

func (r beforeRow) check(t *testing.T) {
	t.Helper()
	limits, now := defaults(), noon
	if r.limits != nil {
		r.limits(&limits)
	}
	if r.target == "" {
		r.target = "w-01"
	}
	if n := len(r.prospect.Nodes); n > 40 && n < 50 {
		now = at(t, "2026-12-01T04:30:00Z") // a recording
	}
	target, err := parseTarget(r.target)
	if err != nil {
		t.Fatal(err)
	}
	v := Foresee(r.prospect, []Target{target}, limits, now)
	judgetest.Want{State: r.want, Says: r.says, Not: r.not}.Check(t, v.Findings, v.Summary)
}

const (
	critical = plugin.Critical
	warning  = plugin.Warning
	taintOf  = "ai4dd-a100-reserved=true:NoSchedule"
)

// The same labels whatever is asked and found; a label that nobody has set yet drains nothing.
func TestBeforeMetrics(t *testing.T) {
	for target, want := range map[string]string{
		"w-01":        "nodes_outdated=2 nodes_not_ready=1 nodes_drained=1 pods_evicted=2 pods_lost=1 pods_held=1",
		"w-02":        "nodes_outdated=2 nodes_not_ready=1 nodes_drained=0 pods_evicted=2 pods_lost=1 pods_held=1",
		"pool/worker": "nodes_outdated=2 nodes_not_ready=1 nodes_drained=2 pods_evicted=2 pods_lost=1 pods_held=1",
	} {
		p := foreseen(fleet(5, gpuPool("w-05", func(*Pool) {}), on("w-01", outdated, cordoned(time.Hour, "oc")), on("w-03", outdated)),
			runs("w-01", pod("a", "b", ""), pod("a", "c", "Job c")), budget("a", "c", "c", 0))
		parsed, _ := parseTarget(target)
		var got []string
		for _, m := range Foresee(p, []Target{parsed}, defaults(), noon).Metrics {
			got = append(got, fmt.Sprintf("%s=%v", m.Label, m.Value))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got  %s\nwant %s", target, strings.Join(got, " "), want)
		}
	}
}

// Every node of every recorded scenario: one that is outdated is never safe to touch.
func TestBeforeEveryRecordedNode(t *testing.T) {
	files, _ := filepath.Glob("testdata/scenarios/?-*-mcp-list.json")
	if len(files) < 10 {
		t.Fatal("no scenarios")
	}
	for _, file := range files {
		name := filepath.Base(file)
		s := scenario(t, name[:len(name)-len("-mcp-list.json")])
		p := foreseen(s)
		for _, n := range s.Nodes {
			pool, r, _ := s.poolOf(n.Name)
			v := Foresee(p, []Target{{targetNode, n.Name}}, defaults(), noon)
			if got := judgetest.Worst(v.Findings); got != critical && (r.waits(n.Name) || r.inWork(n.Name)) {
				t.Errorf("%s: %s in %s is %s: %s", name, n.Name, pool.Name, got, judgetest.Story(v.Findings, ""))
			}
		}
	}
}

func TestParseTarget(t *testing.T) {
	var list []Target
	if err := (targetsValue{&list}).Set("wrk-98, node/wrk-71\nmachineconfigpool.machineconfiguration.openshift.io/gpu cluster pool/worker node/cluster mcp/a machineconfigpool/b machineconfigpools/c nodes/d no/e"); err != nil {
		t.Fatal(err)
	}
	if got := (targetsValue{&list}).String(); got != "node/wrk-98, node/wrk-71, pool/gpu, cluster, pool/worker, node/cluster, pool/a, pool/b, pool/c, node/d, node/e" {
		t.Error(got)
	}
	for _, bad := range []string{"", " ", "pod/x", "pool/", "/x", "node/a/b"} {
		if err := (targetsValue{&list}).Set(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
