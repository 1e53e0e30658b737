package evaluation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// Limits say from when on something is an alarm.
type Limits struct {
	Warning, Critical               plugin.Range // time that a pending evaluation is overdue, or a job waits without any
	BlockedWarning, BlockedCritical plugin.Range // age of a blocked evaluation
	AllocWarning, AllocCritical     plugin.Range // age of an allocation that has not begun
	MinFailureTolerance             int          // servers that may fail before there is no quorum
	ExpectServers                   int          // how many servers there should be; 0: not judged
}

// Verdict is the outcome for a region.
type Verdict struct {
	Findings []plugin.Finding
	Metrics  []plugin.Metric
	Summary  string // for when all is well
}

// Judge tells what is wrong. Of findings that are equally bad, the one that explains the others comes first.
func Judge(s Snapshot, l Limits, now time.Time) Verdict {
	j := judgement{snapshot: s, limits: l, now: now, points: unknownPoints()}
	j.leader()
	j.clock()
	j.jobs()
	j.pending()
	j.allocations()
	j.blocked()
	j.failed()
	j.paused()
	j.servers()
	j.visibility()
	return Verdict{Findings: j.findings, Metrics: j.points.metrics(l), Summary: j.summary()}
}

// judgement is the work on one snapshot.
type judgement struct {
	snapshot Snapshot
	limits   Limits
	now      time.Time
	findings []plugin.Finding
	points   points

	// While the broker is paused.
	due   int            // evaluations that it holds back
	waits plugin.Finding // what is overdue of them
	held  bool           // something else waits too
}

func (j *judgement) add(f plugin.Finding) { j.findings = append(j.findings, f) }

// age of a moment; clocks differ between servers, so one that is yet to come counts as now.
func (j *judgement) age(since time.Time) time.Duration { return max(j.now.Sub(since), 0) }

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

// worse is the worse of two states; UNKNOWN is none that is judged here.
func worse(a, b plugin.State) plugin.State { return max(a, b) }

func (j *judgement) summary() string {
	s := j.snapshot
	var parts []string
	off := j.limits.Warning.String() == "off" && j.limits.Critical.String() == "off"
	if s.Pending != nil && s.Blocked != nil {
		overdue := "no evaluation overdue"
		if off {
			overdue = "overdue evaluations and lost jobs not judged"
		}
		parts = append(parts, fmt.Sprintf("%s (%d pending, %d blocked)", overdue, len(*s.Pending), len(*s.Blocked)))
	}
	if s.Allocations != nil {
		parts = append(parts, plugin.Count(len(*s.Allocations), "allocation")+" pending")
	}
	if s.Jobs != nil && !off {
		parts = append(parts, "no job lost")
		if n := s.Jobs.UnverifiedDead; n > 0 {
			parts = append(parts, plugin.Count(n, "dead service")+" not looked at")
		}
	}
	if s.Failed != nil && s.Failed.More {
		parts = append(parts, "older failed evaluations not read")
	}
	if s.Selection != "" {
		parts = append(parts, s.Selection)
	}
	parts = append(parts, j.namespaces())
	if s.Servers != nil {
		parts = append(parts, s.Servers.summary())
	}
	return strings.Join(parts, ", ")
}

// namespaces tells how much of the region was seen.
func (j *judgement) namespaces() string {
	if j.snapshot.Namespace != "" {
		return "only in namespace " + j.snapshot.Namespace
	}
	count := plugin.Count(len(j.snapshot.Namespaces), "namespace")
	if j.snapshot.Token && len(j.snapshot.Namespaces) > 1 {
		return "in at most " + count // where the token lacks a right, Nomad leaves things out without a word
	}
	return "in " + count
}

// visibility tells of a token that sees only some namespaces, where that can be told: Nomad leaves the others out without a
// word, but each region has one that is called default.
func (j *judgement) visibility() {
	seen := j.snapshot.Namespaces
	if j.snapshot.Namespace == "" && len(seen) > 0 && !slices.Contains(seen, "default") {
		j.add(plugin.Finding{State: plugin.OK, Subject: "namespaces", Problem: "only " + plugin.List(seen) + " judged, " + plugin.Count(len(seen), "namespace") + " in all",
			Cause: "the token may not see the others"})
	}
}

func (s *Servers) summary() string {
	if !s.Known {
		return plugin.Count(s.Count, "server") + ", failure tolerance unknown (the token lacks operator read)"
	}
	return fmt.Sprintf("%s, failure tolerance %d", plugin.Count(s.Count, "server"), s.Tolerance)
}
