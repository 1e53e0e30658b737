package nomad

import (
	"context"
	"net/url"
	"strconv"
	"time"
)

// Statuses of an evaluation. Complete, failed and canceled ones are closed.
const (
	StatusPending  = "pending"
	StatusBlocked  = "blocked"
	StatusComplete = "complete"
	StatusFailed   = "failed"
)

// Evaluation is the part of Nomad's evaluation that is judged. Times that are numbers are in ns since 1970; 0 is unknown.
type Evaluation struct {
	ID                string
	Namespace         string
	JobID             string
	Type              string // service, batch, system, sysbatch; _core for Nomad's own work
	TriggeredBy       string
	Status            string
	StatusDescription string
	NextEval          string // the follow-up of a failed one
	BlockedEval       string // the one that waits for capacity in its stead
	CreateIndex       uint64
	JobModifyIndex    uint64 // of the job as it was then; 0 is unknown
	CreateTime        int64
	Wait              int64                 // ns from CreateTime until it may be worked on
	WaitUntil         time.Time             // until when it may not be worked on. Absent, null and the year 1 all mean not at all
	FailedTGAllocs    map[string]*Placement // by task group; as pointers, since a map makes room for eight values
}

// Placement tells why the allocations of a task group could not be placed: how many nodes were looked at, and what they lacked.
type Placement struct {
	NodesEvaluated     int
	NodesFiltered      int
	NodesExhausted     int
	NodesAvailable     map[string]int // by datacenter
	ConstraintFiltered map[string]int // nodes by constraint, or by what a driver or volume lacks
	ClassFiltered      map[string]int
	DimensionExhausted map[string]int // nodes by resource
	ClassExhausted     map[string]int
	QuotaExhausted     []string
}

// Which says which evaluations are listed. It is sent as parameters: a filter takes the servers 15 times as long, and one made
// from a user's text can kill the leader.
type Which struct {
	Namespace string // or AllNamespaces
	Status    string // "" for any
	Job       string // "" for any
}

// Evaluations lists those that are asked for, and keeps of each what reduce returns.
func Evaluations[R any](ctx context.Context, c *Client, which Which, reduce func(*Evaluation) (R, bool)) ([]R, error) {
	kept, _, err := list(ctx, c, which.question(), validEvaluation, of(which, reduce))
	return kept, err
}

// Pages bounds how much is read of a list, so that the cost does not follow what is long closed.
type Pages struct {
	Size  int       // evaluations in a page
	Most  int       // pages
	Until time.Time // a page whose newest evaluation is older is the last
}

// NewestEvaluations is Evaluations of the newest ones. more says that there are older ones.
func NewestEvaluations[R any](ctx context.Context, c *Client, which Which, pages Pages, reduce func(*Evaluation) (R, bool)) (kept []R, more bool, err error) {
	token := ""
	for page := 1; ; page++ {
		q := which.question()
		q.query.Set("reverse", "true")
		q.query.Set("per_page", strconv.Itoa(pages.Size))
		if token != "" {
			q.query.Set("next_token", token)
		}
		var newest int64
		found, next, err := list(ctx, c, q, validEvaluation, of(which, func(e *Evaluation) (R, bool) {
			newest = max(newest, e.CreateTime)
			return reduce(e)
		}))
		if err != nil {
			return nil, false, err
		}
		kept = append(kept, found...)
		if next == "" || next == token || page == pages.Most || newest < pages.Until.UnixNano() {
			return kept, next != "", nil
		}
		token = next
	}
}

// JobEvaluations goes through all evaluations of a job, closed ones too, until each returns false. They may be many: none is
// kept here.
func (c *Client) JobEvaluations(ctx context.Context, namespace, job string, each func(*Evaluation) bool) error {
	q := question{op: "list evaluations of a job", path: "/v1/job/" + url.PathEscape(job) + "/evaluations", query: url.Values{"namespace": {namespace}},
		kind: "a list of evaluations", right: "read-job"}
	return walk(ctx, c, q, validEvaluation, each)
}

func (w Which) question() question {
	what, query := "evaluations", url.Values{"namespace": {w.Namespace}}
	if w.Status != "" {
		what = w.Status + " " + what
		query.Set("status", w.Status)
	}
	if w.Job != "" {
		what += " of a job"
		query.Set("job", w.Job)
	}
	return question{op: "list " + what, path: "/v1/evaluations", query: query, kind: "a list of " + what, right: "read-job"}
}

func validEvaluation(e *Evaluation) bool { return e.ID != "" && e.Status != "" }

// of drops what was not asked for: servers before 1.2.4 do not know the parameters.
func of[R any](which Which, reduce func(*Evaluation) (R, bool)) func(*Evaluation) (R, bool) {
	return func(e *Evaluation) (R, bool) {
		if which.Status != "" && e.Status != which.Status || which.Job != "" && e.JobID != which.Job {
			var none R
			return none, false
		}
		return reduce(e)
	}
}
