package prewarm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
)

// What Poseidon's jobs look like in Nomad (internal/nomad/job.go, docs/nomad_usage.md of Poseidon): an environment is the job
// template-ID, a runner ID-UUID; whether a learner has claimed it stands in the metadata of its group config.
const (
	runnerGroup = "default-group"
	configGroup = "config"

	// idleRunners selects them in one request. The parentheses around any are required (1.6.3).
	idleRunners = `ID matches "^template-[0-9]+$" or (ID matches "^[0-9]+-" and Status != "dead" and ` +
		`(any TaskGroups as g { g.Name == "config" and g.Meta.used == "false" }))`

	// runners is for servers that cannot look into groups; each job is read by itself then.
	runners = `ID matches "^template-[0-9]+$" or (ID matches "^[0-9]+-" and Status != "dead")`

	startTime = 10 * time.Minute // that a runner may take, with an image to pull

	mostJobs = 500 // that are read by themselves
)

var jobID = regexp.MustCompile(`^(?:template-([0-9]+)|([0-9]+)-.+)$`)

// readNomad counts idle runners from Nomad alone. What goes wrong is told, and is no error: the pools are judged all the same.
func readNomad(ctx context.Context, client *nomad.Client, namespace string, now time.Time) *Nomad {
	stubs, err := nomad.MatchingJobs(ctx, client, namespace, idleRunners, keep)
	var refused *nomad.Error
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		stubs, err = readEach(ctx, client, namespace)
	}
	if err != nil {
		n := &Nomad{Trouble: err.Error(), Outage: isOut(err)}
		if errors.As(err, &refused) {
			n.Remedy = refused.Hint()
		}
		return n
	}
	if len(stubs) == 0 {
		return &Nomad{Trouble: "it shows no job of Poseidon's at all", Remedy: "is --nomad-namespace right (nomad.namespace of Poseidon's configuration), and may the token list its jobs?"}
	}
	if places := namespaces(stubs); len(places) > 1 { // two Poseidons: their counts must not be added up
		return &Nomad{Trouble: "runners are in the namespaces " + plugin.List(places) + ": whose they are is not known",
			Remedy: "name that of this Poseidon with --nomad-namespace (nomad.namespace of its configuration)"}
	}
	return count(stubs, now)
}

func namespaces(stubs []stub) []string {
	found := map[string]bool{}
	for _, s := range stubs {
		found[s.namespace] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// isOut says that Nomad itself is in trouble, not this machine's way to it: a certificate or a name says nothing of the servers.
func isOut(err error) bool {
	var e *nomad.Error
	if errors.As(err, &e) && e.Status != 0 {
		return nomad.Leaderless(err) != "" || e.Status >= http.StatusInternalServerError
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, context.DeadlineExceeded)
}

// stub is a job of Poseidon's.
type stub struct {
	environment int
	template    bool
	namespace   string
	id          string
	status      string
	submitted   time.Time
	summary     nomad.GroupSummary
}

func keep(j *nomad.JobStub) (stub, bool) {
	match := jobID.FindStringSubmatch(j.ID)
	if match == nil {
		return stub{}, false
	}
	id, err := strconv.Atoi(match[1] + match[2])
	s := stub{environment: id, template: match[1] != "", namespace: j.Namespace, id: j.ID, status: j.Status}
	if j.SubmitTime > 0 {
		s.submitted = time.Unix(0, j.SubmitTime)
	}
	if j.JobSummary != nil {
		s.summary = j.JobSummary.Summary[runnerGroup]
	}
	return s, err == nil && (s.template || j.Status != nomad.JobDead)
}

// readEach reads each runner's job to see whether it is idle.
func readEach(ctx context.Context, client *nomad.Client, namespace string) (idle []stub, err error) {
	all, err := nomad.MatchingJobs(ctx, client, namespace, runners, keep)
	if err != nil {
		return nil, err
	}
	if len(all) > mostJobs {
		return nil, &nomad.Error{What: fmt.Sprintf("the servers cannot select idle runners, and %d jobs are too many to read each", len(all)),
			Remedy: "update Nomad to 1.6.3 or later, or do not have it asked"}
	}
	for _, s := range all {
		if s.template {
			idle = append(idle, s)
			continue
		}
		job, err := client.Job(ctx, s.namespace, s.id)
		if nomad.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, g := range job.TaskGroups {
			if g.Name == configGroup && g.Meta.Used == "false" {
				idle = append(idle, s)
			}
		}
	}
	return idle, nil
}

// fresh is 1 for a runner that is starting and may be so: one that has waited for longer waits for room, or for nothing.
func fresh(s stub, now time.Time) int {
	if age := now.Sub(s.submitted); age > startTime {
		return 0
	}
	return 1
}

// count counts the runners of each environment. A running job has an allocation: one whose summary counts none is not known, and
// must not be taken for missing.
func count(stubs []stub, now time.Time) *Nomad {
	n := &Nomad{Environments: map[int]Runners{}}
	for _, s := range stubs {
		r := n.Environments[s.environment]
		switch {
		case s.template:
			r.Template = s.status
		case s.status == nomad.JobRunning && s.summary == nomad.GroupSummary{}:
			return &Nomad{Trouble: "of the running job " + plugin.Clean(s.id) + " it tells no counts",
				Remedy: "have Nomad count anew: nomad system reconcile summaries"}
		case s.summary.Running > 0:
			r.Running++
		case s.summary.Starting+s.summary.Queued > 0, s.status == nomad.JobPending:
			r.Starting++
			r.Fresh += fresh(s, now)
		}
		if !s.template && s.submitted.After(r.Newest) {
			r.Newest = s.submitted
		}
		n.Environments[s.environment] = r
	}
	return n
}
