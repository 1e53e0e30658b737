package nomadtest

import (
	"net/http"
	"strings"
	"time"
)

// fault is what befell the servers at time 0 of the clock, as a timeline of what they answer.
type fault []phase

// phase begins at a time after the fault. Its answer is given to whatever needs the leader.
type phase struct {
	from      time.Duration
	hold      time.Duration // before the answer
	status    int           // 0: as if nothing had happened
	text      string
	autopilot string // while the status is 0: body of autopilot's 429
	emptied   bool   // stale reads answer [] and call the leader known
	leader    bool   // stale reads say that the leader is known
}

const (
	elected = `{"FailureTolerance":0,"Healthy":false,"Servers":null}` // autopilot after an election
	refused = "rpc error: failed to get conn: dial tcp 127.0.0.2:24647: connect: connection refused"
)

// The faults that were recorded, with their times (cluster/*.txt of the recordings).
func (s *Server) befall(f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.clock = f, 0
}

// KillLeader: kill -9 of the leader of three. Another is there after 2 to 3 s.
func (s *Server) KillLeader() {
	s.befall(fault{
		{status: 500, text: "rpc error: EOF", leader: true},
		{from: 200 * time.Millisecond, status: 500, text: refused, leader: true},
		{from: 2200 * time.Millisecond, autopilot: elected},
		{from: 8 * time.Second, autopilot: Body("cluster/autopilot-health-unhealthy-429.json"), leader: true},
	})
}

// Elect: the leader hands over and lives on. Derived from the recording of KillLeader: all servers are well in the end.
func (s *Server) Elect() {
	s.befall(fault{
		{status: 500, text: "rpc error: EOF", leader: true},
		{from: 2200 * time.Millisecond, autopilot: elected},
		{from: 8 * time.Second, leader: true},
	})
}

// HangLeader: SIGSTOP of the leader. A request through a follower hangs.
func (s *Server) HangLeader() {
	s.befall(fault{
		{hold: 15800 * time.Millisecond, status: 500, text: "rpc error: EOF", leader: true},
		{from: 15800 * time.Millisecond, autopilot: Body("cluster/autopilot-health-unhealthy-429.json"), leader: true},
	})
}

// LoseQuorum: two of three are gone. Requests are held for 5 s. The third comes back after a time; 0 is never.
func (s *Server) LoseQuorum(until time.Duration) {
	f := fault{{hold: 5 * time.Second, status: 500, text: "No cluster leader"}}
	if until > 0 {
		f = append(f, phase{from: until, hold: 1200 * time.Millisecond, autopilot: elected}, phase{from: until + 5*time.Second, leader: true})
	}
	s.befall(f)
}

// Restart: a follower that was just restarted. Stale reads are empty, and call the leader known.
func (s *Server) Restart() {
	s.befall(fault{{emptied: true, leader: true}, {from: 5500 * time.Millisecond, leader: true}})
}

// present is the phase that the servers are in; ok is false without a fault.
func (s *Server) present() (now phase, ok bool) {
	for _, p := range s.fault {
		if p.from <= s.clock {
			now, ok = p, true
		}
	}
	return now, ok
}

// suffer answers for the fault; false if the request is answered as ever.
func (s *Server) suffer(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	now, ok := s.present()
	speed := s.speed
	s.mu.Unlock()
	stale := r.URL.Query().Has("stale")
	switch {
	case !ok || strings.HasPrefix(r.URL.Path, "/v1/agent/members"):
		return false
	case stale && now.emptied, stale && now.status != 0:
		w.Header().Set("X-Nomad-Index", "29")
		w.Header().Set("X-Nomad-KnownLeader", map[bool]string{true: "true", false: "false"}[now.leader])
		w.Header().Set("X-Nomad-LastContact", "32070")
		s.write(w, 200, "[]")
		return true
	case now.status == 0 && now.autopilot == "":
		return false
	}
	if !s.held(r, now.hold, speed) {
		return true
	}
	switch {
	case r.URL.Path == "/v1/operator/autopilot/health" && now.autopilot != "":
		s.write(w, 429, now.autopilot)
	case now.status == 0:
		return false
	case r.URL.Path == "/v1/agent/health":
		s.write(w, 500, `{"server":{"ok":false,"message":"`+now.text+`"}}`)
	default:
		s.write(w, now.status, now.text)
	}
	return true
}

// held waits as the servers do; false if the client went away meanwhile.
func (s *Server) held(r *http.Request, hold time.Duration, speed float64) bool {
	if speed > 0 {
		select {
		case <-r.Context().Done():
			return false
		case <-time.After(time.Duration(float64(hold) * speed)):
		}
	}
	s.mu.Lock()
	s.clock += hold
	s.mu.Unlock()
	return true
}
