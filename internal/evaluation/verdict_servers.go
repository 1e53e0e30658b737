package evaluation

import (
	"fmt"
	"strings"
	"time"

	"overdue/internal/plugin"
)

// leader: without one nothing can be asked, and nothing is scheduled.
func (j *judgement) leader() {
	if j.snapshot.Leaderless == "" {
		return
	}
	f := plugin.Finding{State: plugin.Critical, Subject: "servers", Problem: "no leader", Cause: "they answer: " + j.snapshot.Leaderless,
		Consequence: "nothing is scheduled, and what is sent may be lost", Remedy: "bring a majority of the servers back: " + j.overall("server members")}
	if j.snapshot.Leaderless != "No cluster leader" {
		f.Problem = "the leader does not answer, an election may be in progress"
		f.Remedy = "if it stays so: " + j.overall("server members") + ", and the log of each server"
	}
	j.add(f)
}

// clocksDiffer is from when on a difference of clocks is told. Servers in step differ by well under a second; the smallest limits
// that make sense are minutes.
const clocksDiffer = time.Minute

// clock compares this machine's clock, by which all is judged, with that of the servers, who write the times.
func (j *judgement) clock() {
	ahead := j.snapshot.Ahead
	if ahead.Abs() <= clocksDiffer {
		return
	}
	f := plugin.Finding{State: plugin.Warning, Subject: "clock", Cause: "by the time that their answers tell",
		Consequence: "what waits looks newer than it is, and is told too late or never",
		Remedy:      "set the clock that is wrong; see timedatectl here and on the servers"}
	direction := "behind"
	if ahead < 0 {
		direction, f.Consequence = "ahead of", "what waits looks older than it is, and is told too early"
	}
	f.Problem = fmt.Sprintf("this machine is %s %s Nomad's servers; ages are wrong", plugin.Age(ahead.Abs().Round(time.Minute)), direction)
	j.add(f)
}

// servers judges whether one more of them may fail. A dead server is called healthy by the others for 40 s, then is taken from
// their list, and all is called healthy again: only the tolerance, their number and a ping of each tell.
func (j *judgement) servers() {
	var problems, causes []string
	f := plugin.Finding{State: plugin.Warning, Subject: "servers", Remedy: "look at them: " + j.overall("operator autopilot health") + ", journalctl -u nomad on each"}
	silent, leaderless := 0, 0
	for _, p := range j.snapshot.Pings {
		switch {
		case p.Silent != "":
			silent++
			causes = append(causes, p.Silent)
		case p.Leaderless != "" && j.snapshot.Leaderless == "":
			leaderless++
			causes = append(causes, fmt.Sprintf("%s says: %s", p.Address, p.Leaderless))
		}
	}
	if j.snapshot.Leaderless == "" || len(j.snapshot.Pings) > 0 {
		j.points[serversSilent] = float64(silent) // a single address is not pinged: that it answers is known by then
	}
	if pings := len(j.snapshot.Pings); pings > 0 {
		if silent > 0 {
			problems = append(problems, fmt.Sprintf("%d of %d %s", silent, pings, plugin.Verb(silent, "does not answer", "do not answer")))
		}
		if leaderless > 0 {
			problems = append(problems, fmt.Sprintf("%d of %d %s", leaderless, pings, plugin.Verb(leaderless, "knows no leader", "know no leader")))
		}
	}
	if s := j.snapshot.Servers; s != nil {
		j.points[serversCount] = float64(s.Count)
		if s.Count < j.limits.ExpectServers {
			problems = append(problems, fmt.Sprintf("%d of %d expected", s.Count, j.limits.ExpectServers))
		}
		if s.Unread != "" {
			problems = append(problems, "autopilot cannot be asked")
			causes = append(causes, s.Unread)
		}
		if s.Mute {
			problems = append(problems, "autopilot tells nothing of them")
			causes = append(causes, "so it is for some seconds after an election")
		}
		if s.Unwell {
			problems = append(problems, "autopilot calls them unhealthy")
			causes = append(causes, fmt.Sprintf("it answers 429 and does not say which of %d", s.Count))
		}
		about := "at most "
		if s.Known {
			j.points[failureTolerance] = float64(s.Tolerance)
			about = ""
			f.Since = s.Since
			causes = append(causes, s.Unhealthy...)
		}
		if s.Tolerance < j.limits.MinFailureTolerance {
			problems = append(problems, fmt.Sprintf("failure tolerance %s%d", about, s.Tolerance))
			f.Consequence = "if one more fails there may be no leader, and nothing is scheduled"
			f.Remedy += "; --min-failure-tolerance 0 if there is meant to be only one"
		}
	}
	if len(problems) == 0 {
		return
	}
	f.Problem, f.Cause = strings.Join(problems, ", "), plugin.List(causes)
	j.mention(f)
	j.add(f)
}

// mention tells the servers' trouble along with the worst finding, which it may explain.
func (j *judgement) mention(servers plugin.Finding) {
	worst := -1
	for i, f := range j.findings {
		if f.State > plugin.OK && (worst < 0 || f.State > j.findings[worst].State) {
			worst = i
		}
	}
	if worst < 0 {
		return
	}
	f := &j.findings[worst]
	if f.Cause != "" {
		f.Cause += "; "
	}
	f.Cause += "servers: " + servers.Problem
	if len(servers.Cause) > 0 {
		f.Cause += " (" + servers.Cause + ")"
	}
}
