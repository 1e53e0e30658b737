package prewarm

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
)

// Check runs check_prewarm_pool from its arguments to its exit code.
func Check(ctx context.Context, args, env []string, out io.Writer) int {
	return plugin.Main(ctx, Program, args, env, out)
}

// Program is check_prewarm_pool.
var Program = program(nomad.PauseFor)

// program makes the plugin. pause waits before a second look.
func program(pause func(context.Context, time.Duration) error) plugin.Program {
	return plugin.Program{
		Name:    "check_prewarm_pool",
		Summary: "Finds pre-warming pools of Poseidon that hold too few idle runners, and says whether they are missing, forgotten or starting.",
		Description: "Poseidon keeps a pool of idle runners for each execution environment. When an event of Nomad does not reach it, a claimed " +
			"runner leaves the pool and none replaces it; once the pool is empty, learners get errors, while everything is up. check_prewarm_pool " +
			"reads Poseidon's statistics and, if it is told Nomad's address, counts the idle runners there too: a resync helps only where " +
			"runners are really missing, and harms where Poseidon has merely forgotten them.\n\n" +
			"It sends one GET to Poseidon and one to Nomad, and never `fetch`, which empties pools. In Nomad it needs list-jobs and read-job.",
		Examples: []plugin.Example{
			{About: "Judge all pools of the local Poseidon:", Command: "check_prewarm_pool"},
			{About: "As Icinga runs it, one service for each environment:",
				Command: "check_prewarm_pool --address https://poseidon.example.com:7200 --token-file /etc/icinga2/overdue/poseidon-token --ca-file /etc/icinga2/overdue/ca.crt \\\n" +
					"  --environment 29 --nomad-address https://10.0.0.1:4646 --nomad-token-file /etc/icinga2/overdue/nomad-token"},
			{About: "These must exist, and hold two idle runners at least:", Command: "check_prewarm_pool --environment 10 --environment 29 --min-idle 2"},
			{About: "Save the case for a bug report:", Command: "check_prewarm_pool --record case.yaml; check_prewarm_pool --replay case.yaml"},
		},
		Unreachable: plugin.Critical, // without Poseidon learners have no runner
		Define:      func(flags *plugin.Flags) plugin.Check { return define(flags, pause) },
	}
}

type options struct {
	pause        func(context.Context, time.Duration) error
	sources      Sources
	environments []int
	limits       Limits
}

func define(flags *plugin.Flags, pause func(context.Context, time.Duration) error) plugin.Check {
	o := options{pause: pause, limits: DefaultLimits()}
	f := flags.Group("Thresholds")
	f.VarP(&o.limits.Warning, "warning", "w", "warn when the idle runners, in percent of the pool's size, are outside this range")
	f.VarP(&o.limits.Critical, "critical", "c", "critical when the idle runners, in percent of the pool's size, are outside this range")
	f.IntVar(&o.limits.MinIdle, "min-idle", 0, "critical when fewer than `N` runners are idle, or fewer than the size of a smaller pool")
	f = flags.Group("Which pools")
	f.Var((*environments)(&o.environments), "environment", "`ID` of an environment that must exist, and is judged; repeatable (default all)")
	o.sources.AddFlags(flags, "`URL` of a server of Nomad's; repeatable: they are asked in order (default $NOMAD_ADDR; without either, Poseidon's counts are not checked)")
	return o.check
}

func (o *options) check(ctx context.Context, run *plugin.Run) error {
	if err := o.validate(); err != nil {
		return err
	}
	s, err := o.read(ctx, run)
	if err != nil {
		run.Measure(unknownMetrics(o.environments, o.limits)...)
		return err
	}
	v := Judge(s, o.environments, o.limits, run.Now())
	run.Add(v.Findings...)
	run.Measure(v.Metrics...)
	run.Summarize("%s", v.Summary)
	return nil
}

func (o *options) validate() error {
	slices.Sort(o.environments)
	o.environments = slices.Compact(o.environments)
	switch {
	case o.limits.upsideDown() != "":
		return plugin.Misuse(o.limits.upsideDown() + " calls an empty pool well and a full one not: for at least 50 % write 50:")
	case o.limits.MinIdle < 0:
		return plugin.Misuse("--min-idle must not be negative")
	}
	return nil
}

// environments is a repeatable flag for IDs in decimal digits, as Poseidon reads them in a path.
type environments []int

// Set adds one ID, or several with commas.
func (e *environments) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		id, err := plugin.Number(part)
		if err != nil {
			return err
		}
		*e = append(*e, id)
	}
	return nil
}

// String is what Set reads.
func (e *environments) String() string {
	var parts []string
	for _, id := range *e {
		parts = append(parts, strconv.Itoa(id))
	}
	return strings.Join(parts, ",")
}

// Type names the value in --help.
func (*environments) Type() string { return "NUMBER" }

func (o *options) read(ctx context.Context, run *plugin.Run) (s Snapshot, err error) {
	// Nomad's options are read first: they may be wrong, whatever Poseidon says.
	client, count, err := o.sources.Connect(run, len(o.sources.Nomad.Addresses) > 0 || run.Getenv("NOMAD_ADDR") != "")
	if err != nil {
		return Snapshot{}, err
	}
	look := func() (s Snapshot, err error) {
		s.Argument = o.sources.Argument(run.Getenv)
		if s.Pools, err = client.Pools(ctx); err == nil && count != nil {
			ctx, cancel := forNomad(ctx)
			defer cancel()
			s.Nomad = count(ctx)
		}
		return s, err
	}
	if s, err = look(); err != nil || !o.limits.contradict(s) {
		return s, err
	}
	run.Waiting("the second look: Poseidon and Nomad contradict each other, as they do while a pool is refilled")
	if _, replaying := run.Recorded(); !replaying && o.pause(ctx, secondLook) != nil {
		return s, nil
	}
	return look()
}

// secondLook is how long after the first one the second comes: a resync between the two reads of one look is over by then (1.5 s).
const secondLook = 3 * time.Second

// forNomad leaves time to tell what Poseidon said when Nomad does not answer.
func forNomad(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)*3/4)
}
