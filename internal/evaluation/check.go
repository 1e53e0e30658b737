package evaluation

import (
	"context"
	"io"
	"net/http"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
)

// Check runs check_nomad_evals from its arguments to its exit code.
func Check(ctx context.Context, args, env []string, out io.Writer) int {
	return plugin.Main(ctx, Program, args, env, out)
}

// Program is check_nomad_evals.
var Program = program(nomad.PauseFor)

// program makes the plugin. pause waits for an election to end.
func program(pause func(context.Context, time.Duration) error) plugin.Program {
	return plugin.Program{
		Name:    "check_nomad_evals",
		Summary: "Finds Nomad evaluations that never closed, allocations that never started, jobs whose evaluation was lost, and servers that cannot spare one more.",
		Description: "Nomad accepts a job and answers with the ID of an evaluation. When servers are restarted in turn, that evaluation may be lost " +
			"or never be worked on: nothing is down, every gauge reads 0, and the job never starts. check_nomad_evals asks the servers' state " +
			"what is open and since when, and for jobs that wait without any evaluation.\n\n" +
			"It needs the capabilities list-jobs and read-job; operator read makes it see the servers' redundancy and a paused broker " +
			"(icinga/nomad-policy.hcl). It sends only GET requests, and no text of yours in a filter.",
		Examples: []plugin.Example{
			{About: "Judge the region of the local agent:", Command: "check_nomad_evals"},
			{About: "As Icinga runs it; each server is pinged, as the others call a dead one healthy for 40 seconds:",
				Command: "check_nomad_evals --address https://10.0.0.1:4646 --address https://10.0.0.2:4646 --address https://10.0.0.3:4646 \\\n" +
					"  --token-file /etc/icinga2/overdue/nomad-token --ca-file /etc/icinga2/overdue/nomad-ca.crt --expect-servers 3"},
			{About: "Only the runners, and none of the nightly batch:", Command: "check_nomad_evals --job 'runner*' --exclude-job 'nightly-*'"},
			{About: "Batch queues that may wait for a day:", Command: "check_nomad_evals --blocked-warning 1d --blocked-critical off"},
			{About: "Save the case for a bug report or a post-mortem, and ask later whether 6 minutes would have alarmed:",
				Command: "check_nomad_evals --record case.yaml; check_nomad_evals --replay case.yaml --now '2026-12-01 02:03' -c 6m"},
		},
		Timeout:     20 * time.Second, // above the 5 s that a server without a leader holds a request, and the 16 s of one with a hung leader
		Unreachable: plugin.Critical,  // servers that do not answer are what is looked for
		Define:      func(flags *plugin.Flags) plugin.Check { return define(flags, pause) },
	}
}

type options struct {
	nomad     nomad.Options
	namespace string
	jobs      selection
	limits    Limits
	pause     func(context.Context, time.Duration) error
}

func define(flags *plugin.Flags, pause func(context.Context, time.Duration) error) plugin.Check {
	o := options{pause: pause, limits: Limits{
		Warning: plugin.NewTimeRange("5m"), Critical: plugin.NewTimeRange("10m"),
		BlockedWarning: plugin.NewTimeRange("30m"), BlockedCritical: plugin.NewTimeRange("off"),
		AllocWarning: plugin.NewTimeRange("5m"), AllocCritical: plugin.NewTimeRange("10m"),
	}}
	l := &o.limits

	f := flags.Group("Thresholds")
	f.VarP(&l.Warning, "warning", "w", "warn when a pending evaluation is overdue this long, or a job waits this long without any")
	f.VarP(&l.Critical, "critical", "c", "critical when a pending evaluation is overdue this long, or a job waits this long without any")
	f.Var(&l.BlockedWarning, "blocked-warning", "warn when an evaluation waits for room this long")
	f.Var(&l.BlockedCritical, "blocked-critical", "critical when an evaluation waits for room this long")
	f.Var(&l.AllocWarning, "alloc-warning", "warn when a placed allocation has not begun for this long")
	f.Var(&l.AllocCritical, "alloc-critical", "critical when a placed allocation has not begun for this long")
	f.IntVar(&l.MinFailureTolerance, "min-failure-tolerance", 1, "warn when fewer than `N` servers may fail")
	f.IntVar(&l.ExpectServers, "expect-servers", 0, "warn when there are fewer than `N` servers")

	f = flags.Group("Which jobs")
	f.StringArrayVar(&o.jobs.include, "job", nil, "judge only jobs of this `GLOB`, or children of such; repeatable")
	f.StringArrayVar(&o.jobs.exclude, "exclude-job", nil, "do not judge jobs of this `GLOB`, nor children of such; repeatable")
	f.StringVar(&o.namespace, "namespace", "", "judge only this `NAMESPACE` (default all that the token may see; NOMAD_NAMESPACE is not heeded)")

	o.nomad.AddFlags(flags.Group("Servers"), "")
	return o.check
}

func (o *options) check(ctx context.Context, run *plugin.Run) error {
	client, err := o.connect(run)
	if err != nil {
		run.Measure(unknownPoints().metrics(o.limits)...)
		return err
	}
	r := reader{client: client, note: run.Note, jobs: o.jobs, namespace: o.namespace, limits: o.limits, now: run.Now(), live: run.Live()}
	s, err := r.read(ctx)
	v := Judge(s, o.limits, run.Now())
	run.Add(v.Findings...) // with an error, this is what was known until then
	run.Measure(v.Metrics...)
	if err != nil {
		return err
	}
	run.Summarize("%s", v.Summary)
	return nil
}

// connect sees to the options before anything is asked.
func (o *options) connect(run *plugin.Run) (*nomad.Client, error) {
	if err := o.validate(run); err != nil {
		return nil, err
	}
	recording, replaying := run.Recorded()
	return nomad.Connect(o.nomad, nomad.Surroundings{
		Getenv:     run.Getenv,
		UserAgent:  run.UserAgent(),
		Transport:  func(base http.RoundTripper) http.RoundTripper { return run.Transport(base, nomad.Scrub) },
		Waiting:    run.Waiting,
		Pause:      o.pause,
		Recorded:   recording || replaying,
		Offline:    replaying,
		PolicyFile: "icinga/nomad-policy.hcl",
	})
}

func (o *options) validate(run *plugin.Run) error {
	if o.namespace == nomad.AllNamespaces {
		o.namespace = ""
	}
	if o.namespace == "" && run.Getenv("NOMAD_NAMESPACE") != "" {
		run.Note("NOMAD_NAMESPACE is not heeded: all namespaces are judged; narrow the check with --namespace")
	}
	if o.limits.MinFailureTolerance < 0 || o.limits.ExpectServers < 0 {
		return plugin.Misuse("--min-failure-tolerance and --expect-servers must not be negative")
	}
	return o.jobs.validate()
}
