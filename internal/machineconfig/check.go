package machineconfig

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"overdue/internal/kube"
	"overdue/internal/plugin"
)

// Check runs check_mcp from its arguments to its exit code.
func Check(ctx context.Context, args, env []string, out io.Writer) int {
	return plugin.Main(ctx, Program, args, env, out)
}

// Program is check_mcp.
var Program = plugin.Program{
	Name:    "check_mcp",
	Summary: "Finds OpenShift MachineConfigPool updates that are pending, stuck, paused, degraded or outside their window, and says why.",
	Description: "An update that a pool has accepted may wait for weeks: behind a forgotten cordon, a node that is not Ready, a " +
		"PodDisruptionBudget, a paused pool. Nothing is down, so nothing else alerts, and then an innocent change sets it off: nodes " +
		"are drained and rebooted. check_mcp says since when a pool waits, for which node and why, and what making that node ready " +
		"will do. A pool that moves along is OK however long it takes.\n\n" +
		"It needs the right to list machineconfigpools and nodes; further rights (icinga/rbac/check-mcp.yaml) make its answers more exact.",
	Examples: []plugin.Example{
		{About: "Judge all pools of the cluster that your kubeconfig names:", Command: "check_mcp"},
		{About: "As Icinga runs it, with a ServiceAccount's token:",
			Command: "check_mcp --server https://api.example.com:6443 --token-file /etc/icinga2/overdue/token --ca-file /etc/icinga2/overdue/ca.crt"},
		{About: "After a deployment, prove that a MachineConfig has reached every worker:", Command: "check_mcp --pool worker --expect-machineconfig 99-worker-ssh"},
		{About: "Alarm when a node is in work outside the maintenance window:", Command: "check_mcp --window 'sat 22:00-sun 04:00' --window-timezone Europe/Berlin"},
		{About: "Before you touch a node or apply a MachineConfig: what would that set off?", Command: "check_mcp --before-change wrk-98; check_mcp --before-change pool/worker"},
		{About: "Save the case for a bug report or a post-mortem, and ask later whether 20 minutes would have alarmed:",
			Command: "check_mcp --record case.yaml; check_mcp --replay case.yaml --now '2026-11-30 23:58' -c 20m"},
	},
	Timeout:     30 * time.Second,
	Unreachable: plugin.Unknown,
	Define:      define,
}

type options struct {
	kube        kube.Options
	pools       []string
	exclude     []string
	verifyNodes bool
	before      []Target
	limits      Limits
}

func define(flags *plugin.Flags) plugin.Check {
	o := options{limits: Limits{
		NoPools:         plugin.Unknown,
		PendingWarning:  plugin.NewTimeRange("20m"),
		PendingCritical: plugin.NewTimeRange("30m"),
		NodeWarning:     plugin.NewTimeRange("30m"),
		NodeCritical:    plugin.NewTimeRange("60m"),
		TotalCritical:   plugin.NewTimeRange("off"),
		Windows:         Windows{Zone: time.UTC},
	}}
	l := &o.limits

	f := flags.Group("Thresholds")
	f.VarP(&l.PendingWarning, "warning", "w", "warn when outdated nodes wait this long and none is in work")
	f.VarP(&l.PendingCritical, "critical", "c", "critical when outdated nodes wait this long and none is in work; pools that are paused, or have nodes not ready but nothing outdated, only warn")
	f.Var(&l.NodeWarning, "node-warning", "warn when one node is in work this long")
	f.Var(&l.NodeCritical, "node-critical", "critical when one node is in work this long")
	f.Var(&l.TotalCritical, "total-critical", "critical when an update is outstanding this long, even if it moves along or is paused")

	f = flags.Group("Which pools")
	f.StringArrayVar(&o.pools, "pool", nil, "judge only the pool `NAME`; repeatable, globs allowed")
	f.StringArrayVar(&o.exclude, "exclude-pool", nil, "do not judge the pool `NAME`; repeatable, globs allowed")
	f.Var(plugin.StateValue(&l.NoPools), "no-pools", "verdict on a cluster without pools (hosted control plane, plain Kubernetes)")

	f = flags.Group("Deployments and windows")
	f.Var(expectationsValue{&l.Expect}, "expect-machineconfig", "OK only when this MachineConfig is in the target and every node runs the target, in the pools that have it (NAME), or in one pool (POOL/NAME); repeatable")
	f.Var(windowsValue{&l.Windows.List}, "window", "nodes may be in work only in this window: 'sat 22:00-sun 04:00', or '22:00-04:00' for every day; repeatable")
	f.Var(zoneValue{&l.Windows.Zone}, "window-timezone", "time zone of the windows")
	f.BoolVar(&o.verifyNodes, "verify-nodes", false, "read the nodes even if every pool says that it is clean")

	f = flags.Group("Before a change")
	f.Var(targetsValue{&o.before}, "before-change", "tell what touching NODE, pool/NAME or the cluster would set off, instead of the state of the pools: 0 nothing waits to happen, 1 something does and is harmless to workloads, 2 the change can drain or reboot nodes; repeatable")

	o.kube.AddFlags(flags.Group("Cluster"))

	return o.check
}

func (o *options) check(ctx context.Context, run *plugin.Run) error {
	if err := o.validate(); err != nil {
		return err
	}
	recording, replaying := run.Recorded()
	client, err := kube.Connect(o.kube, kube.Surroundings{
		Getenv:    run.Getenv,
		UserAgent: run.UserAgent(),
		Waiting:   run.Waiting,
		JSON:      recording || replaying,
		Offline:   replaying,
		RoleFile:  "icinga/rbac/check-mcp.yaml",
		Transport: func(base http.RoundTripper) http.RoundTripper { return run.Transport(base, kube.Scrub) },
	})
	if err != nil {
		return err
	}
	r := reader{client: client, note: run.Note}
	if len(o.before) > 0 {
		return o.foresee(ctx, run, r)
	}
	s, err := r.read(ctx, o.selected, o.verifyNodes || len(o.limits.Expect) > 0)
	if err != nil && len(s.Pools) == 0 {
		return err
	}
	if missing := o.missing(s); missing != nil {
		return missing
	}
	v := Judge(s, o.selected, o.limits, run.Now())
	run.Add(v.Findings...) // with an error, this is what was known until then
	if err != nil {
		return err
	}
	run.Measure(v.Metrics...)
	run.Summarize("%s", v.Summary)
	return nil
}

func (o *options) foresee(ctx context.Context, run *plugin.Run, r reader) error {
	p, err := r.prospect(ctx, o.before)
	if err != nil && (!p.NodesRead || p.unknown(o.before) != nil) {
		return err
	}
	v := Foresee(p, o.before, o.limits, run.Now())
	run.Add(v.Findings...) // with an error, this is what was known until then
	if err != nil {
		return err
	}
	run.Measure(v.Metrics...)
	run.Summarize("%s", v.Summary)
	return nil
}

func (o *options) validate() error {
	if len(o.before) > 0 && (len(o.pools)+len(o.exclude)+len(o.limits.Expect) > 0 || o.verifyNodes) {
		return plugin.Misuse("--before-change goes without --pool, --exclude-pool, --expect-machineconfig and --verify-nodes: it names what it is about")
	}
	for _, pattern := range slices.Concat(o.pools, o.exclude) {
		if pattern == "" {
			return plugin.Misuse("--pool and --exclude-pool need a name, and one is empty: leave the option out")
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return plugin.Misuse(fmt.Sprintf("%q is no glob: a [ needs its ]", pattern))
		}
	}
	return nil
}

// selected says whether a pool is to be judged.
func (o *options) selected(pool string) bool {
	matches := func(pattern string) bool {
		ok, _ := path.Match(pattern, pool)
		return ok
	}
	return (len(o.pools) == 0 || slices.ContainsFunc(o.pools, matches)) && !slices.ContainsFunc(o.exclude, matches)
}

// missing: a pool that was asked for and is not there is not OK.
func (o *options) missing(s Snapshot) error {
	if len(s.Pools) == 0 {
		if len(o.pools)+len(o.limits.Expect) > 0 {
			return plugin.Misuse("there are no MachineConfigPools in this cluster, so none of those that were asked for: check the address")
		}
		return nil
	}
	var have, judged []string
	for _, p := range s.Pools {
		have = append(have, p.Name)
		if o.selected(p.Name) {
			judged = append(judged, p.Name)
		}
	}
	for _, pattern := range o.pools {
		if !slices.ContainsFunc(have, func(name string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			return plugin.Misuse(fmt.Sprintf("no pool is named %s; there are %s", pattern, strings.Join(have, ", ")))
		}
	}
	for _, e := range o.limits.Expect {
		if e.Pool != "" && !slices.Contains(judged, e.Pool) {
			return plugin.Misuse(fmt.Sprintf("--expect-machineconfig %s/%s: no pool of that name is judged; there are %s", e.Pool, e.Name, strings.Join(judged, ", ")))
		}
	}
	if len(judged) == 0 {
		return plugin.Misuse(fmt.Sprintf("--pool and --exclude-pool leave no pool to judge; there are %s", strings.Join(have, ", ")))
	}
	return nil
}
