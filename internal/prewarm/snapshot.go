// Package prewarm watches Poseidon's pre-warming pools: environments whose idle runners have run out, and why.
package prewarm

import (
	"time"

	"overdue/internal/poseidon"
)

// Snapshot is what is judged.
type Snapshot struct {
	Pools []poseidon.Pool // of all environments that Poseidon knows, by ID
	Nomad *Nomad          // nil: it was not to be asked

	Argument string // which has another program ask the same Poseidon, see Sources
}

// Nomad is what Nomad itself says of Poseidon's runners.
type Nomad struct {
	Trouble      string // why it could not be asked, or ""; nothing else is known then
	Remedy       string // what to do about that
	Outage       bool   // it does not answer, or has no leader: no runner can be started
	Environments map[int]Runners
}

// Runners counts the runners of one environment that no learner has claimed.
type Runners struct {
	Running  int       // idle
	Starting int       // placed or to be placed, and not running yet
	Fresh    int       // of these, those that were submitted a short while ago
	Newest   time.Time // when the youngest of them was submitted; zero if there is none
	Template string    // status of the environment's own job: "running", "pending", "dead", or "" if there is none
}

// HasTemplate says that the environment's own job is there, from which Poseidon knows it after a restart.
func (r Runners) HasTemplate() bool { return r.Template == "running" || r.Template == "pending" }

// WhenStuck is what to do about runners that do not start.
func (r Runners) WhenStuck() string {
	const room = "add capacity (nomad node status); a resync will not help"
	if r.Fresh > 0 {
		return "wait some minutes; if they do not start, " + room
	}
	return room + "; or they wait for an evaluation that was lost: check_nomad_evals"
}

// IsAWS takes a pool for one of AWS's, which Nomad does not know: Poseidon tells 1 of 1 of them, always
// (internal/environment/aws_environment.go).
func (n *Nomad) IsAWS(p poseidon.Pool) bool {
	r, known := n.of(p.ID)
	return known && r == Runners{} && p.Size == 1 && p.Idle == 1
}

// of returns the runners of an environment. known is false if Nomad was not asked or could not answer.
func (n *Nomad) of(id int) (r Runners, known bool) {
	if n == nil || n.Trouble != "" {
		return Runners{}, false
	}
	return n.Environments[id], true
}
