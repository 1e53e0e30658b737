package nomad

import (
	"context"
	"net/url"
)

// pendingAllocations are those that should run and have not begun. A constant, as all filters here.
const pendingAllocations = `ClientStatus == "pending" and DesiredStatus == "run"`

// Allocation is the part of Nomad's allocation that is judged.
type Allocation struct {
	ID                string
	Namespace         string
	JobID             string
	TaskGroup         string
	NodeID            string
	NodeName          string
	ClientStatus      string // pending, running, complete, failed, lost, unknown
	ClientDescription string
	DesiredStatus     string // run, stop, evict
	CreateTime        int64  // ns since 1970; ModifyTime moves with every event of a task
	TaskStates        map[string]TaskState
}

// TaskState is how far a task is.
type TaskState struct {
	State  string // pending, running, dead
	Events []TaskEvent
}

// TaskEvent is what a client did for a task.
type TaskEvent struct {
	Type           string // Received, Task Setup, Driver, Downloading Artifacts
	DisplayMessage string // "Downloading image"
	Time           int64  // ns since 1970
}

// PendingAllocations lists those that should run and have not begun, without the states of their tasks.
func PendingAllocations[R any](ctx context.Context, c *Client, namespace string, reduce func(*Allocation) (R, bool)) ([]R, error) {
	q := question{op: "list pending allocations", path: "/v1/allocations", kind: "a list of allocations", right: "read-job",
		query: url.Values{"namespace": {namespace}, "filter": {pendingAllocations}, "resources": {"false"}, "task_states": {"false"}}}
	kept, _, err := list(ctx, c, q, validAllocation, func(a *Allocation) (R, bool) {
		if a.ClientStatus != "pending" || a.DesiredStatus != "run" {
			var none R
			return none, false
		}
		return reduce(a)
	})
	return kept, err
}

// AllocationTasks returns the states of an allocation's tasks, by task. It asks for the short form of the allocation: the long
// one holds the job, with what may be secret in its environment.
func (c *Client) AllocationTasks(ctx context.Context, namespace, id string) (map[string]TaskState, error) {
	q := question{op: "read the tasks of an allocation", path: "/v1/allocations", kind: "a list of allocations", right: "read-job",
		query: url.Values{"namespace": {namespace}, "prefix": {id}, "resources": {"false"}, "task_states": {"true"}}}
	found, _, err := list(ctx, c, q, validAllocation, whole)
	for _, a := range found {
		if a.ID == id {
			return a.TaskStates, nil
		}
	}
	return nil, err
}

// JobAllocations goes through the allocations of a job, until each returns false. They may be many: none is kept here.
func (c *Client) JobAllocations(ctx context.Context, namespace, job string, each func(*Allocation) bool) error {
	q := question{op: "list allocations of a job", path: "/v1/job/" + url.PathEscape(job) + "/allocations", query: url.Values{"namespace": {namespace}},
		kind: "a list of allocations", right: "read-job"}
	return walk(ctx, c, q, validAllocation, each)
}

func validAllocation(a *Allocation) bool { return a.ID != "" && a.ClientStatus != "" }

// Terminal says that it runs no more and never will.
func (a *Allocation) Terminal() bool {
	switch a.ClientStatus {
	case "complete", "failed", "lost":
		return true
	}
	return a.DesiredStatus == "stop" || a.DesiredStatus == "evict"
}
