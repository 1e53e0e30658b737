package gpu

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"overdue/internal/kube"
	"overdue/internal/plugin"
)

// Check runs check_gpu_node from its arguments to its exit code.
func Check(ctx context.Context, args, env []string, out io.Writer) int {
	return plugin.Main(ctx, Program, args, env, out)
}

// Program is check_gpu_node.
var Program = plugin.Program{
	Name:    "check_gpu_node",
	Summary: "Finds GPU nodes that do not offer their GPUs, or will lose them, and says what keeps the GPU operator's pods away.",
	Description: "A taint that the GPU operator's DaemonSets do not tolerate takes a node's GPUs away with the next driver upgrade, and then " +
		"everything looks healthy: the DaemonSets no longer count that node, the ClusterPolicy is ready, and the exporter that would alarm is " +
		"one of the pods that are gone. check_gpu_node compares what each GPU node offers with what it has, and finds the cause by the " +
		"scheduler's own rules. It warns while the pods still run, before the GPUs are gone.\n\n" +
		"It needs the right to list nodes, and for the cause daemonsets, and pods in the GPU namespaces (icinga/rbac/check-gpu-node.yaml). " +
		"With nodes and nvidia.com resources alone it infers the tolerations from the ClusterPolicy.",
	Examples: []plugin.Example{
		{About: "Judge all GPU nodes of the cluster that your kubeconfig names:", Command: "check_gpu_node"},
		{About: "As Icinga runs it, with a ServiceAccount's token, and rights in two namespaces only:",
			Command: "check_gpu_node --server https://api.example.com:6443 --token-file /etc/icinga2/overdue/token --ca-file /etc/icinga2/overdue/ca.crt --namespace nvidia-gpu-operator --namespace openshift-nfd"},
		{About: "Find GPU nodes that nothing has recognised as such, by their instance type:",
			Command: "check_gpu_node --expect-selector node.kubernetes.io/instance-type=bm-a100-4 --expect 4"},
		{About: "Before and after a change to one node:", Command: "check_gpu_node --node wrk-98"},
		{About: "AMD's GPUs, without those for virtual machines:", Command: "check_gpu_node --vendor amd --resource amd.com/gpu --resource 'amd.com/?px_nps*'"},
	},
	Timeout:     30 * time.Second,
	Unreachable: plugin.Unknown,
	Define:      define,
}

type options struct {
	kube       kube.Options
	vendor     string
	params     Params
	nodes      []string
	expected   []string
	namespaces []string
	noPods     bool
	grace      plugin.Duration
	limits     Limits
	flags      *pflag.FlagSet // of the vendor
}

func define(flags *plugin.Flags) plugin.Check {
	o := options{vendor: "nvidia", grace: plugin.Duration(30 * time.Minute), limits: Limits{
		Warning: plugin.NewRange("0"), Critical: plugin.NewRange("off"), MaxCordon: plugin.NewTimeRange("7d"),
	}}
	l, p := &o.limits, &o.params

	f := flags.Group("Thresholds")
	f.VarP(&l.Warning, "warning", "w", "warn when so many GPUs of one node are missing (default 0: any)")
	f.VarP(&l.Critical, "critical", "c", "critical when so many GPUs of one node are missing; a node that offers none is critical in any case")
	f.Var(&o.grace, "grace", "a driver upgrade, MIG change, machine-config update, new node or rollout of the GPU DaemonSets is no alarm for so long")
	f.Var(&l.MaxCordon, "max-cordon", "warn when a GPU node has been cordoned or in maintenance for so long")
	f.Int64Var(&l.Expect, "expect", 0, "each node has at least `N` GPUs, whatever its labels say")

	f = flags.Group("Which nodes")
	f.StringArrayVar(&o.nodes, "node", nil, "judge only the node `NAME`, as one that should have GPUs; repeatable")
	f.StringArrayVar(&p.Selectors, "selector", nil, "a node that this label `SELECTOR` matches has GPUs; repeatable, any of them; instead of the vendor's")
	f.StringArrayVar(&o.expected, "expect-selector", nil, "a node that this label `SELECTOR` matches should have GPUs, even if nothing has recognised them; repeatable")
	f.Var(taintsValue{&l.IgnoreTaints}, "ignore-taint", "this taint is meant to keep GPUs away: KEY, KEY=VALUE, either with :EFFECT; repeatable")
	f.BoolVar(&l.AllowEmpty, "allow-empty", false, "a cluster without GPU nodes is OK")

	f = flags.Group("Vendor")
	o.flags = f
	f.StringVar(&o.vendor, "vendor", o.vendor, "the vendor `NAME` fills in what the options below do not give: nvidia, amd, intel or gaudi")
	f.StringArrayVar(&p.Resources, "resource", nil, "extended resource that is a GPU, a `GLOB`; repeatable")
	f.StringVar(&p.CountLabel, "count-label", "", "node label `KEY` with the number of GPUs")
	f.StringVar(&p.ReplicasLabel, "replicas-label", "", "node label `KEY` with the number of pods that share each GPU")
	f.StringArrayVar(&p.RequireLabels, "require-label", nil, "warn when a GPU node has no label `KEY`; repeatable; none requires none; the vendor's only where a feature discovery is installed")
	f.StringVar(&p.UpgradeLabel, "upgrade-label", "", "node label `KEY` with the state of the driver's upgrade")
	f.StringVar(&p.Driver, "dra-driver", "", "driver `NAME` of the ResourceSlices (dynamic resource allocation)")
	f.StringArrayVar(&o.namespaces, "namespace", nil, "look for the GPUs' DaemonSets in the namespace `NAME` only; repeatable (default: in all)")
	f.BoolVar(&o.noPods, "no-pods", false, "do not read pods: fewer answers, less to ask for")

	o.kube.AddFlags(flags.Group("Cluster"))

	return o.check
}

func (o *options) check(ctx context.Context, run *plugin.Run) error {
	r, err := o.reader()
	if err != nil {
		return err
	}
	recording, replaying := run.Recorded()
	r.note = run.Note
	r.client, err = kube.Connect(o.kube, kube.Surroundings{
		Getenv:    run.Getenv,
		UserAgent: run.UserAgent(),
		Waiting:   run.Waiting,
		JSON:      recording || replaying,
		Offline:   replaying,
		RoleFile:  "icinga/rbac/check-gpu-node.yaml",
		Transport: func(base http.RoundTripper) http.RoundTripper { return run.Transport(base, kube.Scrub) },
	})
	if err != nil {
		return err
	}
	s, err := r.read(ctx)
	if err != nil && len(s.Nodes) == 0 {
		return err
	}
	for _, name := range o.nodes {
		if !slices.ContainsFunc(s.Nodes, func(n Node) bool { return n.Name == name }) {
			return plugin.Misuse(fmt.Sprintf("no node is named %s", plugin.Clean(name)))
		}
	}
	o.limits.Grace = time.Duration(o.grace)
	v := Judge(s, r.params, o.limits, run.Now())
	if err != nil { // then the findings are what is known all the same, and the error says what is not
		run.Add(slices.DeleteFunc(v.Findings, func(f plugin.Finding) bool { return f.State == plugin.Unknown })...)
		return err
	}
	run.Add(v.Findings...)
	for _, note := range v.Notes {
		run.Note("%s", note)
	}
	run.Measure(v.Metrics...)
	run.Summarize("%s", v.Summary)
	return nil
}

// reader is what the options ask for, but for the client.
func (o *options) reader() (reader, error) {
	vendor, ok := vendors[o.vendor]
	if !ok {
		return reader{}, plugin.Misuse(fmt.Sprintf("--vendor %s: there are %s", quoted(o.vendor), strings.Join(slices.Sorted(maps.Keys(vendors)), ", ")))
	}
	if o.limits.Expect < 0 {
		return reader{}, plugin.Misuse("--expect must not be negative")
	}
	if o.limits.Expect > mostDevices {
		return reader{}, plugin.Misuse(fmt.Sprintf("--expect %d: no node has more than %d", o.limits.Expect, mostDevices))
	}
	r := reader{params: o.params.filled(vendor), names: slices.Compact(slices.Sorted(slices.Values(o.nodes))), namespaces: slices.Compact(slices.Sorted(slices.Values(o.namespaces))), noPods: o.noPods}
	if why := o.params.refused(o.given); why != "" {
		return r, plugin.Misuse(why)
	}
	for _, name := range o.nodes {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return r, plugin.Misuse(fmt.Sprintf("--node %s is no name of a node", quoted(name)))
		}
	}
	for _, name := range o.namespaces {
		if len(validation.IsDNS1123Label(name)) > 0 {
			return r, plugin.Misuse(fmt.Sprintf("--namespace %s is no name of a namespace", quoted(name)))
		}
	}
	var err error
	if r.has, err = parseSelectors("--selector", r.params.Selectors); err != nil {
		return r, err
	}
	r.expected, err = parseSelectors("--expect-selector", o.expected)
	return r, err
}

// given says whether an option of the vendor's is on the command line, be it empty.
func (o *options) given(option string) bool { return o.flags != nil && o.flags.Changed(option) }
