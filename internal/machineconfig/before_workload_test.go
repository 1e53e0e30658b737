package machineconfig

import (
	"strings"
	"testing"
	"time"
)

func deleted(ago time.Duration, w Workload) Workload {
	w.Deleted = before(ago)
	return w
}

// replicas are two pods of one StatefulSet, which a budget selects.
func replicas(change func(*Workload)) func(*Prospect) {
	return func(p *Prospect) {
		for _, name := range []string{"db-0", "db-1"} {
			w := pod("db", name, "StatefulSet db")
			w.Labels = map[string]string{"app": "db"}
			change(&w)
			runs("w-01", w)(p)
		}
	}
}

// What the drain of a node does to what runs there, beyond evicting it.
func TestBeforeWorkloads(t *testing.T) {
	const lost, hangs = "lost: it has no controller that makes it anew", "the drain hangs"
	for _, r := range []struct {
		name      string
		workloads []func(*Prospect)
		says, not []string
	}{
		{"a VM", []func(*Prospect){runs("w-01", pod("vms", "virt-launcher-a", "VirtualMachineInstance a"))},
			[]string{"1 pod evicted, 1 VM live-migrated or shut down", "pod vms/virt-launcher-a (VirtualMachineInstance a) → VM: live-migrated; one that cannot be is shut down or hangs the drain, by its evictionStrategy"}, []string{"→ evicted", "lost"}},
		{"a VM, and the budget by which it is migrated", []func(*Prospect){runs("w-01", pod("vms", "virt-launcher-a", "VirtualMachineInstance a")),
			func(p *Prospect) {
				budget("vms", "kubevirt-disruption-budget-x", "virt-launcher-a", 0)(p)
				p.Budgets[0].Migrates = true
			}}, []string{"VM: live-migrated"}, []string{"PodDisruptionBudget vms", hangs}},
		{"a budget allows fewer than are here, and they cannot start elsewhere", []func(*Prospect){replicas(func(w *Workload) { w.Local = true }), budget("db", "db", "db", 1)},
			[]string{"and the drain hangs: PodDisruptionBudget db/db allows 1 of its 2 pods here to be evicted, and what has a local volume starts nowhere else", "2 pods in db (StatefulSet db) → evicted; the drain hangs: PodDisruptionBudget db/db", "before the drain: ask the owner of namespace db"}, nil},
		{"a budget allows fewer than are here", []func(*Prospect){replicas(func(w *Workload) { w.GPUs = 4 }), budget("db", "db", "db", 1)},
			[]string{"2 pods in db (StatefulSet db) → evicted; 1 at a time, as PodDisruptionBudget db/db allows: the next when that one runs elsewhere; 8 GPUs"}, []string{hangs}},
		{"a budget allows as many as are here", []func(*Prospect){replicas(func(w *Workload) { w.Local = true }), budget("db", "db", "db", 2)}, []string{"2 pods in db (StatefulSet db) → evicted; local volume"}, []string{hangs, "at a time"}},
		{"a budget does not count what is pending", []func(*Prospect){replicas(func(w *Workload) { w.Local, w.Pending = true, w.Name == "db-1" }), budget("db", "db", "db", 1)}, nil, []string{hangs, "at a time"}},
		{"nor what goes already", []func(*Prospect){replicas(func(w *Workload) { w.Local = true }), budget("db", "db", "db", 1), func(p *Prospect) { p.Workloads["w-01"][1].Deleted = noon }}, nil, []string{hangs, "at a time"}},
		{"a pod that does not go", []func(*Prospect){runs("w-01", deleted(48*time.Hour, pod("x", "stuck", "Job y")))},
			[]string{"and the drain hangs: pod x/stuck was told to go for 2d (since 2026-11-30 12:00 UTC) and is still there", "pod x/stuck (Job y) → evicted; the drain hangs: pod x/stuck was told to go", "before the drain: oc -n x describe pod stuck"}, nil},
		{"a pod that goes", []func(*Prospect){runs("w-01", deleted(time.Minute, pod("x", "going", "Job y")))}, []string{"pod x/going (Job y) → evicted"}, []string{hangs}},
		{"a pod that goes after its grace period", []func(*Prospect){runs("w-01", deleted(-time.Hour, pod("x", "going", "Job y")))}, []string{"pod x/going (Job y) → evicted"}, []string{hangs}},
		{"a build", []func(*Prospect){runs("w-01", pod("x", "app-1-build", "Build app-1"))}, []string{"1 lost for want of a controller", "pod x/app-1-build (Build app-1) → " + lost}, nil},
		{"a step of a pipeline", []func(*Prospect){runs("w-01", pod("x", "t", "TaskRun t"), pod("x", "w", "Workflow w"), pod("x", "p", "Pod p"))}, []string{"3 lost"}, nil},
		{"a Job", []func(*Prospect){runs("w-01", pod("x", "t", "Job t"))}, nil, []string{"lost"}},
	} {
		row := beforeRow{prospect: foreseen(fleet(5, on("w-01", outdated, cordoned(time.Hour, "kubectl"))), r.workloads...), want: critical, says: r.says, not: r.not}
		t.Run(r.name, row.check)
	}
}

// Whether something makes a pod anew, and whether a budget holds it, as the API tells it.
func TestBeforeCheckWorkloads(t *testing.T) {
	s := beforeServer(t)
	put(t, s, `
apiVersion: v1
kind: Pod
metadata: {name: etcd-guard-wrk-98, namespace: openshift-etcd, labels: {app: guard}}
spec: {nodeName: wrk-98, containers: [{name: guard, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: mine, namespace: shop, labels: {app: guard}}
spec: {nodeName: wrk-98, containers: [{name: c, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: virt-launcher-a, namespace: vms, labels: {kubevirt.io/created-by: a}, ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: a, uid: a, controller: true}]}
spec: {nodeName: wrk-98, containers: [{name: c, image: x}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: kubevirt-disruption-budget-x, namespace: vms, ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: a, uid: a, controller: true}]}
spec: {selector: {matchLabels: {kubevirt.io/created-by: a}}}
status: {disruptionsAllowed: 0}
`)
	out, _ := run(t, s, "--before-change", "wrk-98", "--now", quarterPast)
	for pod, want := range map[string]string{
		"pod openshift-etcd/etcd-guard-wrk-98 (its operator)": "evicted",
		"pod shop/mine": "lost: it has no controller that makes it anew",
		"pod vms/virt-launcher-a (VirtualMachineInstance a)": "VM: live-migrated; one that cannot be is shut down or hangs the drain, by its evictionStrategy",
		"pod ai4dd/train-0 (StatefulSet train)":              "evicted; the drain hangs: PodDisruptionBudget ai4dd/train allows 0 disruptions and holds pod train-0; 4 GPUs; local volume: it cannot start on another node; emptyDir: its contents are deleted",
	} {
		_, row, found := strings.Cut(out, "    "+pod+" ")
		row, _, _ = strings.Cut(row, "\n")
		if strings.TrimSpace(row) != want || !found {
			t.Errorf("%s: %q, want %q", pod, strings.TrimSpace(row), want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// The worst first: a drain that hangs, what is lost, what cannot start elsewhere, GPUs, the rest.
func TestBurdenWorstFirst(t *testing.T) {
	gpu, share, local := pod("e", "gpu", "Job gpu"), pod("e", "share", "Job share"), pod("d", "local", "StatefulSet local")
	gpu.GPUs, share.Shares, local.Local = 1, 1, true
	p := foreseen(Snapshot{}, budget("z", "held", "held", 0))
	var got []string
	for _, row := range weigh([]Workload{pod("a", "web", "Deployment web"), share, gpu, local, pod("f", "lone", ""), pod("z", "held", "Job held")}, guardsOf(p.Budgets), noon).table {
		got = append(got, row[0])
	}
	if want := "pod z/held (Job held), pod f/lone, pod d/local (StatefulSet local), pod e/gpu (Job gpu), pod e/share (Job share), pod a/web (Deployment web)"; strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
}
