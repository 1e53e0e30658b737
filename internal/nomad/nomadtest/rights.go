package nomadtest

import (
	"net/http"
	"strconv"
	"strings"
)

// Tokens are the columns of the recorded matrix of rights; each is the token of that name, with or without "token-" before it. "none" is no token at all.
var Tokens = []string{"none", "bad", "malformed", "list-jobs", "read-job", "policy-read", "team-a-only", "node", "agent", "operator", "mgmt"}

// matrix holds for each recorded request and token the status, and how many entries a list had.
type matrix map[string]map[string]string

// ACLs makes the server answer each token with the rights that were recorded for it (1.6.3, ACLs on). The namespaces were
// default, team-a and team-b.
func (s *Server) ACLs() {
	m := matrix{}
	var columns []string
	for line := range strings.Lines(Body("acl-matrix.txt")) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "status["):
		case fields[0] == "route":
			columns = fields[1:]
		default:
			m[fields[0]] = map[string]string{}
			for i, cell := range fields[1:] {
				m[fields[0]][columns[i]] = cell
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rights = m
}

// refuse answers what the token may not ask; else it returns the namespaces that it sees. In the recording a token with rights
// in one namespace had them in team-a.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) (namespaces []string, refused bool) {
	s.mu.Lock()
	rights, all := s.rights, s.namespaces
	s.mu.Unlock()
	if rights == nil {
		return all, false
	}
	token := strings.TrimPrefix(r.Header.Get("X-Nomad-Token"), "token-") // the programs refuse one as short as "bad"
	if token == "" {
		token = "none"
	}
	if rights["/v1/evaluations"][token] == "" {
		token = "bad"
	}
	if cell := rights[route(r)][token]; !strings.HasPrefix(cell, "200") {
		s.write(w, 403, "Permission denied")
		return nil, true
	}
	_, n, _ := strings.Cut(rights["/v1/namespaces"][token], ":")
	switch seen, _ := strconv.Atoi(n); seen {
	case 0:
		return nil, false
	case 1:
		return []string{"team-a"}, false
	}
	return all, false
}

// route is the row of the matrix that a request belongs to.
func route(r *http.Request) string {
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, "/v1/job/") && strings.HasSuffix(path, "/evaluations"), strings.HasPrefix(path, "/v1/job/") && strings.HasSuffix(path, "/allocations"):
		return "/v1/job/ok-team-b/evaluations?namespace=team-b" // allocations of a job take read-job too
	case strings.HasPrefix(path, "/v1/job/"):
		return "/v1/job/ok-team-b?namespace=team-b"
	case path == "/v1/evaluations", path == "/v1/jobs":
		if r.URL.Query().Get("namespace") != "*" {
			return path + "?namespace=team-b"
		}
		return path + "?namespace=*"
	case path == "/v1/allocations":
		return path + "?namespace=*"
	}
	return path
}
