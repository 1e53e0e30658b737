package resync

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"overdue/internal/plugin"
	"overdue/internal/prewarm"
	"overdue/internal/web"
)

const (
	programName     = "resync_prewarm_pool"
	defaultStateDir = "/var/lib/overdue"
)

// Check runs resync_prewarm_pool from its arguments to its exit code.
func Check(ctx context.Context, args, env []string, out io.Writer) int {
	return plugin.Main(ctx, Program, args, env, out)
}

// Program is resync_prewarm_pool.
var Program = program(machine())

func program(by surroundings) plugin.Program {
	return plugin.Program{
		Name:    programName,
		Summary: "Refills a depleted Poseidon pre-warming pool, carefully: an event handler for Icinga, and a tool for the hand.",
		Description: "The only call to Poseidon that refills a pool also ends the used runners of that environment, and while Nomad is in trouble or " +
			"Poseidon's event stream has stalled it empties the pool for good. So the handler acts rarely, on one environment, once in a " +
			"while, and says why it did not.\n\n" +
			"Icinga calls a handler at every SOFT check, when a HARD state changes and at recovery, never again while a HARD state lasts, in " +
			"downtimes too, and on several nodes of a zone. With --on soft:6,hard, check_prewarm_pool and a retry_interval of one minute it looks again for " +
			"5 minutes, then acts, or refuses with another chance at each retry until the state is HARD and people are told.\n\n" +
			"By hand, --environment is enough; --dry-run says what it would do.",
		Examples: []plugin.Example{
			{About: "Look at what it would do, and why:", Command: "resync_prewarm_pool --environment 29 --dry-run"},
			{About: "As Icinga calls it:", Command: "resync_prewarm_pool --environment 29 --state CRITICAL --state-type SOFT --attempt 6 --downtime-depth 0 --host-downtime-depth 0 \\\n" +
				"  --token-file /etc/icinga2/overdue/poseidon-token --nomad-token-file /etc/icinga2/overdue/nomad-token \\\n" +
				"  --icinga-url https://localhost:5665 --icinga-auth-file /etc/icinga2/overdue/icinga-auth \\\n" +
				"  --icinga-ca-file /var/lib/icinga2/certs/ca.crt --icinga-host learn --icinga-service 'pool 29'"},
			{About: "Once more, after a resync that did not help:", Command: "resync_prewarm_pool --environment 29 --force"},
		},
		Timeout:  10 * time.Minute,
		Outcomes: &outcomes,
		Define:   func(flags *plugin.Flags) plugin.Check { return define(flags, by) },
		Misused:  by.misused,
	}
}

type options struct {
	environment number
	macros      macros
	rules       Rules
	recheck     plugin.Duration
	settle      plugin.Duration
	cooldown    plugin.Duration
	spare       string
	command     string
	stateDir    string
	dry         bool
	noJournal   bool
	icinga      icingaOptions
	sources     prewarm.Sources
	by          surroundings
}

func define(flags *plugin.Flags, by surroundings) plugin.Check {
	o := options{by: by,
		rules: Rules{On: When{Soft: 6, Hard: true}}, spare: string(SpareAuto),
		cooldown: plugin.Duration(30 * time.Minute), settle: plugin.Duration(90 * time.Second),
		recheck: plugin.Duration(12 * time.Second), // Poseidon waits 10 s for each runner: whoever refills a pool moves it within that
	}
	f := flags.Group("What it is called for")
	f.Var(&o.environment, "environment", "`ID` of the execution environment; needed")
	o.macros.addFlags(f)
	o.addRules(flags.Group("When to act"))
	o.sources.AddFlags(flags, "`URL` of a server of Nomad's; repeatable: they are asked in order (default $NOMAD_ADDR, then http://127.0.0.1:4646)")
	f = flags.Group("Reports")
	o.icinga.addFlags(f)
	f.BoolVar(&o.noJournal, "no-journal", false, "write the log line to stdout only, not to the journal or syslog as well")
	return o.check
}

func (o *options) addRules(f *pflag.FlagSet) {
	f.Var(&o.rules.On, "on", "act at these states: SOFT from an attempt on, and HARD")
	f.Var(&o.cooldown, "cooldown", "`TIME` from one resync of an environment to the next")
	f.StringVar(&o.spare, "spare-used", o.spare, "`MODE`: auto does not end used runners while idle ones are left, always never ends any, never spares none")
	f.Var(&o.recheck, "recheck", "`TIME` from the first look to the second, just before acting; whatever moves meanwhile forbids to act, and so does a Nomad that takes more than 10 s for its answer then")
	f.Var(&o.settle, "settle", "`TIME` that the pool may take to be half full again")
	f.StringVar(&o.command, "restart-command", "", "`COMMAND` that restarts Poseidon when it has lost its runners in memory, such as \"sudo systemctl restart poseidon\"; split at blanks, run without a shell (default: it is only recommended)")
	f.StringVar(&o.stateDir, "state-dir", defaultStateDir, "`DIRECTORY` of locks and records, from / on; it must exist and be writable; hosts may share it, two Poseidons must not")
	f.BoolVar(&o.rules.WithoutNomad, "without-nomad", false, "act on Poseidon's numbers alone: a stalled event stream and a Nomad without leader are not seen then")
	f.BoolVar(&o.rules.Force, "force", false, "by hand: act although the last resync did not help")
	f.BoolVar(&o.dry, "dry-run", false, "say what would be done and why, and do nothing; so do --replay and --now")
}

func (o *options) check(ctx context.Context, run *plugin.Run) error {
	call, err := o.validate()
	if err != nil {
		return err
	}
	options := o.sources.Argument(run.Getenv)
	if o.stateDir != defaultStateDir {
		options += " --state-dir " + plugin.Word(o.stateDir)
	}
	h := &handler{
		facts: Facts{Environment: o.environment.value, Options: options, Call: call}, rules: o.rules,
		dry: o.dry || !run.Live(), replay: !run.Live(),
		recheck: time.Duration(o.recheck), settle: time.Duration(o.settle), command: strings.Fields(o.command), store: store{dir: o.stateDir},
		waiting: run.Waiting, otherwise: run.Otherwise, object: o.icinga.object(),
		surroundings: o.by,
	}
	if !run.Live() {
		h.moment = func() Moment { return Moment{Wall: run.Now()} }
	}
	tell := teller{log: o.by.log}
	if o.noJournal {
		tell.log = nil
	}
	if !call.Skip { // a node that is not to act may have no login
		h.store.poseidon, _ = o.sources.Poseidon.FileName(run.Getenv) // if it has none, Connect says why
		tell.icinga, err = o.icinga.connect(run.Getenv, run.UserAgent())
		if errors.As(err, new(*web.FileError)) { // a comment is not worth a pool
			tell.mute, err = err, nil
		}
		client, count, wrong := o.sources.Connect(run, !o.rules.WithoutNomad)
		h.poseidon, h.nomad, h.unable = client, count, cmp.Or(err, wrong)
	}
	asking, cancel := withoutReserve(ctx)
	defer cancel()
	r, failure := h.run(asking)
	run.Add(tell.tell(ctx, h, r, failure))
	return nil
}

// validate refuses what no single flag can see, and makes sense of the call.
func (o *options) validate() (Call, error) {
	call, err := o.macros.call()
	o.rules.Cooldown, o.rules.Spare = time.Duration(o.cooldown), Spare(o.spare)
	o.rules.MayRestart = strings.TrimSpace(o.command) != ""
	switch {
	case err != nil:
	case !o.environment.given:
		err = plugin.Misuse("--environment ID is needed: the number of an execution environment")
	case o.rules.Spare != SpareAuto && o.rules.Spare != SpareAlways && o.rules.Spare != SpareNever:
		err = plugin.Misuse("--spare-used is auto, always or never")
	case o.rules.Force && !call.ByHand:
		err = plugin.Misuse("--force is for calls by hand: with --state it would repeat for ever what does not help")
	case o.rules.WithoutNomad && o.rules.MayRestart:
		err = plugin.Misuse("--restart-command needs Nomad, which alone tells lost runners from missing ones; leave --without-nomad away")
	case !filepath.IsAbs(o.stateDir):
		err = plugin.Misuse("--state-dir must begin with /: from another directory the same name would be another one, without its locks and records")
	}
	return call, err
}
