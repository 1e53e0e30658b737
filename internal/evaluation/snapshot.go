// Package evaluation watches Nomad's evaluations: those that never closed, allocations that never started, jobs whose
// evaluation was lost, and whether the servers could lose one more. Data walks one way: read.go asks the servers for a
// Snapshot, judge.go turns it into findings.
//
// The rules are those of Nomad's source, and were watched on servers of 1.6.3 and 2.0.5 while they were killed, hung and
// restarted.
package evaluation

import "time"

// Snapshot is what was read of a region at one time. It holds only what is judged. What was not read is nil.
type Snapshot struct {
	Namespaces []string      // that the token may see
	Token      bool          // it has one, so it may have other rights in each of them
	Region     string        // that was asked for, or "" for the servers' own
	Namespace  string        // the only one that was asked for, or ""
	Selection  string        // which jobs were asked for, in words; "" for all
	Ahead      time.Duration // how far the servers' clock is ahead of this machine's; negative if it is behind
	Leaderless string        // what the servers said of the leader that they miss; then nothing else was read

	Pending, Blocked *[]Evaluation
	Failed           *Failed
	Allocations      *[]Allocation
	Jobs             *Jobs
	Servers          *Servers
	Pings            []Ping // only where several addresses were given

	Broker Broker

	// Remains tells, of jobs whose delayed evaluation is due, that they were stopped or purged: "stopped", "purged".
	Remains map[JobID]string
}

// Broker is the leader's queue of evaluations, as far as it is known.
type Broker int

// An operator can pause the broker: nothing is scheduled then, and every gauge of it reads 0.
const (
	BrokerUnknown Broker = iota
	BrokerRunning
	BrokerPaused
)

// JobID is a job in its namespace.
type JobID struct{ Namespace, Job string }

// Evaluation is an open one.
type Evaluation struct {
	JobID
	ID      string
	Trigger string // TriggeredBy: job-register, node-update, …; unknown ones are text
	Reason  string // why its allocations cannot be placed, or ""

	Created time.Time // zero if unknown
	Due     time.Time // when it may be worked on; zero if unknown
	Delayed bool      // Due is later than Created by design: reschedule, disconnected client
}

// Failed are the newest failed evaluations.
type Failed struct {
	Evaluations []FailedEvaluation
	More        bool // there are older ones
}

// FailedEvaluation is one that the servers gave up.
type FailedEvaluation struct {
	JobID
	ID          string
	Trigger     string
	Description string // "maximum attempts reached (5)"
	Index       uint64 // of its creation: a later one has a larger index
	Created     time.Time
	FollowUp    string // ID of the evaluation that takes its place, or ""

	// What a closer look at the job showed.
	Looked     bool // there was one
	Stopped    bool // the job was stopped
	Superseded bool // a later evaluation of the job was closed well, or is open
	Purged     bool // there is no such job
}

// Allocation is one that should run and has not begun.
type Allocation struct {
	JobID
	ID          string
	Group, Node string
	Description string // "No tasks have started"
	Tasks       string // how far its tasks are, if that was looked at: "t: Downloading image"
	Created     time.Time
}

// Jobs are those that wait without any open evaluation.
type Jobs struct {
	Waiting []Job

	Unverified      int       // pending longer than the limit, but too many to look at each
	UnverifiedSince time.Time // when the oldest of them was submitted; zero if unknown
	Slow            bool      // it is for want of time that they were not looked at
	UnverifiedAlone int       // pending longer than the limit, all evaluations closed, but too many to look at the allocations of each
	UnverifiedDead  int       // the same of services without allocations, which were most often scaled to 0
}

// Job waits for allocations, or is a service that was closed without any.
type Job struct {
	JobID
	Submitted time.Time
	Dead      bool   // a service whose status is dead though nobody stopped it; else its status is pending
	Queued    int    // allocations that its last evaluation could not place
	modified  uint64 // index of its last registration

	brief bool // a closer look is for its evaluations only

	// What a closer look showed.
	Verified bool
	Count    int  // allocations that it wants; of dead services only
	Open     bool // an evaluation of it is open after all; then nothing more was looked at
	Live     bool // an allocation of it is not terminal
	Closed   bool // an evaluation of it, as it was registered last, is closed
}

// lost: it is pending, and has nothing that could end that.
func (j Job) lost() bool { return j.Verified && !j.Dead && !j.Open && !j.Live && !j.Closed }

// Servers is the leader's view of them.
type Servers struct {
	Known     bool   // the leader tells of their health; else they were only counted
	Unwell    bool   // it calls them unhealthy, and does not say which
	Unread    string // why that could not be read, or "", also where it is for want of a right
	Mute      bool   // it could, but tells of none: so after an election, for some seconds
	Count     int
	Tolerance int       // how many may fail; if their health is not known, how many at most
	Unhealthy []string  // "s3.global (127.0.0.3:24647, failed)"
	Since     time.Time // since when the first of them is not healthy
}

// Ping is how a server answered directly.
type Ping struct {
	Address    string
	Silent     string // why it gave no answer, or ""
	Leaderless string // what it said of a leader that it misses, or ""
}
