package machineconfig

import (
	"fmt"
	"time"

	"overdue/internal/plugin"
)

// Limits say from when on a pool's state is an alarm.
type Limits struct {
	PendingWarning, PendingCritical plugin.Range // age of an update in which nothing moves
	NodeWarning, NodeCritical       plugin.Range // time that one node may be in work
	TotalCritical                   plugin.Range // age of an update, moving or not
	Windows                         Windows
	Expect                          []Expectation
	NoPools                         plugin.State // verdict on a cluster without pools
}

// controllerSilence is how old the controller's Lease, or a change that it has not seen, may be. It renews the Lease every 26 s
// (60 s on a single node) and is replaced after 137 s (270 s).
const controllerSilence = 5 * time.Minute

// Verdict is the outcome for all pools.
type Verdict struct {
	Findings []plugin.Finding
	Metrics  []plugin.Metric
	Summary  string // for when all is well
}

// Judge tells what is wrong with the pools that were asked for, which are those of the snapshot that selected accepts; all
// pools are needed to know which nodes belong to whom.
func Judge(s Snapshot, selected func(pool string) bool, l Limits, now time.Time) Verdict {
	var v Verdict
	if len(s.Pools) == 0 {
		v.Findings = []plugin.Finding{noPools(l.NoPools)}
		return v
	}
	m := members(s.Pools, s.Nodes)
	v.Findings = append(v.Findings, judgeController(s, m, now)...)
	v.Findings = append(v.Findings, judgeClock(s, now)...)
	var judged []Pool
	var values [][]float64
	machines, settled := 0, 0
	for _, p := range s.Pools {
		if !selected(p.Name) {
			continue
		}
		j := judgement{snapshot: s, limits: l, now: now, pool: p, nodesRead: s.NodesRead,
			rollout: newRollout(p, m.of[p.Name], s.Images), mastersOutdated: mastersOutdated(s, m), ahead: ahead(p, m), holdsBack: s.holdsBack(p, m), mcoHeld: s.controllerSilent(m, now)}
		j.judge()
		v.Findings = append(v.Findings, j.findings...)
		judged = append(judged, p)
		values = append(values, j.values())
		if j.outdated() == 0 {
			settled++
		}
		machines += p.Machines
	}
	v.Findings = append(v.Findings, inNoPool(judged, l.Expect)...)
	if s.NodesRead {
		v.Findings = append(v.Findings, judgeMembership(m, selected)...)
	}
	v.Metrics = metrics(judged, values, l)
	v.Summary = fmt.Sprintf("%s up to date, %s", plugin.Count(len(judged), "pool"), plugin.Count(machines, "node"))
	if settled < len(judged) {
		v.Summary = fmt.Sprintf("%d of %s up to date, %s", settled, plugin.Count(len(judged), "pool"), plugin.Count(machines, "node"))
	}
	return v
}

// judgement is the work on one pool.
type judgement struct {
	snapshot  Snapshot
	limits    Limits
	now       time.Time
	pool      Pool
	nodesRead bool
	rollout   rollout

	mastersOutdated bool
	ahead           []Node          // unavailable ones of another pool, for which this one waits
	mcoHeld         bool            // why the MCO picks no node is told already
	need            need            // the worst of what is pending, if that was read
	needs           map[string]need // by node
	drainTold       bool            // in the first line
	holdsBack       bool            // others' drains, until its nodes are ready

	findings []plugin.Finding
}

func (j *judgement) add(f plugin.Finding) {
	f.Subject = "pool " + j.pool.Name
	j.findings = append(j.findings, f)
}

// judge goes from what makes the status untrue, over what cannot go on by itself, to what merely takes its time.
func (j *judgement) judge() {
	j.staleStatus()
	j.cannotRender()
	j.imageBuildFailed()
	if j.pool.Paused && j.outdated() == 0 {
		j.add(plugin.Finding{State: plugin.OK, Problem: "paused, nothing pending", Since: j.pool.PausedWritten})
	}
	if j.nodesRead {
		j.nodes()
	}
	j.expectations()
}

// nodes tells how the pool's nodes come along. Where they were not read, every pool is clean.
func (j *judgement) nodes() {
	j.degraded()
	j.degradedUntold()
	if j.rollout.nodesMissing() {
		j.tellNodesMissing()
		j.nodesRead = false // they prove nothing
		return
	}
	j.progress()
	j.window()
	j.tooOld()
}

// progress tells how far the update is, and what keeps it.
func (j *judgement) progress() {
	switch {
	case j.pool.Target == "":
		j.noTarget()
	case j.rollout.outdated() > 0 && len(j.rollout.working) == 0 && !j.pool.Paused && j.waitsForOthers():
	case j.rollout.outdated() > 0 && len(j.rollout.working) > 0:
		j.updating()
	case j.rollout.outdated() > 0 && j.pool.Paused:
		j.paused()
	case j.rollout.outdated() > 0 && len(j.rollout.failed) == 0:
		j.blocked()
	case j.rollout.outdated() == 0 && len(j.rollout.unready) > 0:
		j.unready()
	case j.rollout.outdated() == 0:
		j.statusBehindNodes()
	}
}

// noTarget: a pool is of no use before it has been rendered once.
func (j *judgement) noTarget() {
	if len(j.findings) > 0 {
		return
	}
	j.add(plugin.Finding{State: grade(j.age(j.pool.Created), j.limits.PendingWarning, j.limits.PendingCritical), Since: j.pool.Created,
		Problem: "has no rendered configuration", Cause: "no MachineConfig matches its machineConfigSelector, or machine-config-controller is silent",
		Consequence: "its nodes get no configuration", Remedy: "oc describe mcp " + j.pool.Name})
}

// outdated is how many nodes do not run the target: told from the nodes, or where they were not read from the status.
func (j *judgement) outdated() int {
	if j.nodesRead {
		return j.rollout.outdated()
	}
	return max(j.pool.Machines-j.pool.Updated, 0)
}

// pending is for how long the present target has been outstanding; zero if it is not.
func (j *judgement) pending() (time.Duration, moment) {
	if j.outdated() == 0 {
		return 0, moment{}
	}
	since := pendingSince(j.pool, j.snapshot.TargetCreated)
	if joined := j.rollout.oldestOutdated(); joined.After(since.Time) {
		since = moment{Time: joined} // a node that has joined since cannot have waited longer
	}
	return j.age(since.Time), since
}

// stalled is for how long outdated nodes have waited with none in work.
func (j *judgement) stalled() (time.Duration, moment) {
	pending, since := j.pending()
	if pending == 0 || len(j.rollout.working) > 0 {
		return 0, moment{}
	}
	if moved := j.rollout.lastProgress(); moved.After(since.Time) {
		since = moment{Time: moved}
	}
	return j.age(since.Time), since
}

func (j *judgement) age(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(j.now.Sub(since), 0)
}

// grade compares an age with a pair of limits.
func grade(age time.Duration, warning, critical plugin.Range) plugin.State {
	switch {
	case critical.Violates(age.Seconds()):
		return plugin.Critical
	case warning.Violates(age.Seconds()):
		return plugin.Warning
	}
	return plugin.OK
}

func noPools(state plugin.State) plugin.Finding {
	f := plugin.Finding{State: state, Subject: "cluster",
		Problem: "has no MachineConfigPools",
		Cause:   "its nodes are managed from outside (hosted control plane: see the NodePools of the management cluster), or this is not OpenShift"}
	if state != plugin.OK {
		f.Remedy = "check the address, or set --no-pools ok if that is how it should be"
	}
	return f
}
