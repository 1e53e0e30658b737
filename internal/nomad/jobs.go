package nomad

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"slices"
)

// waitingJobs are those that wait for their allocations, and services that were closed without being stopped. A constant, as
// all filters here.
const waitingJobs = `Status == "pending" or (Type == "service" and Status == "dead" and Stop == false)`

// Statuses and types of a job.
const (
	JobPending = "pending"
	JobRunning = "running"
	JobDead    = "dead"

	TypeService = "service"
	TypeCore    = "_core"
)

// JobStub is the part of an entry in Nomad's list of jobs that is judged.
type JobStub struct {
	ID               string
	ParentID         string // of a dispatched or periodic child
	Namespace        string
	Type             string
	Status           string // pending, running, dead
	Stop             bool
	Periodic         bool            // a parent: it has no evaluations of its own
	ParameterizedJob bool            // the same
	Multiregion      json.RawMessage // null but for a job of several regions
	SubmitTime       int64           // ns since 1970
	JobModifyIndex   uint64          // of its last registration
	JobSummary       *struct{ Summary map[string]GroupSummary }
}

// GroupSummary counts the allocations of a task group.
type GroupSummary struct {
	Queued, Complete, Failed, Running, Starting, Lost, Unknown int
}

// Job is the part of a job that is judged.
type Job struct {
	ID         string
	Stop       bool
	TaskGroups []TaskGroup
}

// TaskGroup is the part of a job's group that is judged.
type TaskGroup struct {
	Name  string `json:",omitempty"`
	Count int
	Meta  struct {
		Used string `json:"used"` // of Poseidon's runners: "true", "false"
	} `json:",omitzero"`
}

// Count is how many allocations the job wants.
func (j Job) Count() (n int) {
	for _, g := range j.TaskGroups {
		n += g.Count
	}
	return n
}

// WaitingJobs lists jobs that are pending, and services that are dead without having been stopped.
func WaitingJobs[R any](ctx context.Context, c *Client, namespace string, reduce func(*JobStub) (R, bool)) ([]R, error) {
	return jobs(ctx, c, "list waiting jobs", namespace, waitingJobs, func(j *JobStub) (R, bool) {
		if j.Status != JobPending && (j.Type != TypeService || j.Status != JobDead || j.Stop) {
			var none R
			return none, false
		}
		return reduce(j)
	})
}

// MatchingJobs lists the jobs that a filter selects, all of them or none. The filter must be a constant: a wrong one can kill the leader.
func MatchingJobs[R any](ctx context.Context, c *Client, namespace, filter string, reduce func(*JobStub) (R, bool)) ([]R, error) {
	return jobs(ctx, c, "list jobs", namespace, filter, reduce)
}

func jobs[R any](ctx context.Context, c *Client, op, namespace, filter string, reduce func(*JobStub) (R, bool)) ([]R, error) {
	q := question{op: op, path: "/v1/jobs", query: url.Values{"namespace": {namespace}, "filter": {filter}}, kind: "a list of jobs", right: "list-jobs"}
	kept, next, err := list(ctx, c, q, func(j *JobStub) bool { return j.ID != "" && j.Status != "" }, reduce)
	if next != "" {
		return nil, &Error{Op: q.op, What: "the list of jobs goes on on another page, though no pages were asked for", Remedy: "ask Nomad's servers directly, with no proxy in between"}
	}
	return kept, err
}

// Job returns a job; IsNotFound tells that it was purged.
func (c *Client) Job(ctx context.Context, namespace, id string) (*Job, error) {
	q := question{op: "read a job", path: "/v1/job/" + url.PathEscape(id), query: url.Values{"namespace": {namespace}}, kind: "a job", right: "read-job",
		gone: "job not found", state: true}
	return get(ctx, c, q, func(j *Job) bool { return j.ID != "" && len(j.TaskGroups) > 0 })
}

// Scrub reduces a recorded job to what is judged: its environment, templates, metadata and payload may hold secrets.
func Scrub(body []byte) []byte {
	isJob := func(field string) bool { return bytes.Contains(body, []byte(field)) } // one that was cut has not all
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) || !slices.ContainsFunc([]string{`"TaskGroups"`, `"Meta"`, `"Payload"`, `"JobModifyIndex"`}, isJob) {
		return body
	}
	var job Job
	if json.Unmarshal(body, &job) != nil {
		return nil // broken, but the secrets in it may be whole
	}
	reduced, err := json.Marshal(job)
	if err != nil {
		return nil
	}
	return reduced
}
