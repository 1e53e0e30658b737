package nomadtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w = counting{w, s}
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	handler := s.handlers[r.URL.Path]
	if handler == nil {
		handler = s.handlers[""]
	}
	ahead := s.ahead
	s.mu.Unlock()
	if ahead != 0 {
		w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
	}
	query := r.URL.Query()
	switch {
	case handler != nil:
		handler(w, r)
		return
	case r.Method != http.MethodGet:
		s.write(w, 405, "Invalid method")
		return
	case s.suffer(w, r):
		return
	case query.Get("region") != "" && query.Get("region") != "global":
		s.write(w, 500, "No path to region")
		return
	case s.deadly(w, query.Get("filter")):
		return
	}
	visible, refused := s.refuse(w, r)
	if !refused {
		s.answer(w, r, query, visible)
	}
}

// deadly does what 1.6.3 does with "is empty" on a time: the server that evaluates it panics.
func (s *Server) deadly(w http.ResponseWriter, filter string) bool {
	if !strings.Contains(filter, "is empty") {
		return false
	}
	s.mu.Lock()
	s.killed = true
	s.mu.Unlock()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		conn.Close()
	}
	return true
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, query url.Values, visible []string) {
	s.mu.Lock()
	evaluations, allocations, jobs, whole := s.evaluations, s.allocations, s.jobs, s.whole
	autopilot, scheduler := s.autopilot, s.scheduler
	s.mu.Unlock()
	switch path := r.URL.Path; path {
	case "/v1/evaluations":
		s.list(w, r, visible, evaluations, func(o Object) bool {
			return (query.Get("status") == "" || o["Status"] == query.Get("status")) && (query.Get("job") == "" || o["JobID"] == query.Get("job"))
		})
	case "/v1/allocations":
		keep, known := filters[query.Get("filter")]
		if !known {
			s.write(w, 400, "failed to create result paginator: failed to create filter: unknown filter")
			return
		}
		s.list(w, r, visible, allocations, func(o Object) bool { return keep(o) && strings.HasPrefix(text(o["ID"]), query.Get("prefix")) })
	case "/v1/jobs":
		keep, known := filters[query.Get("filter")]
		if !known {
			s.write(w, 400, "failed to create result paginator: failed to create filter: unknown filter")
			return
		}
		s.list(w, r, visible, jobs, keep)
	case "/v1/namespaces":
		var list []Object
		for _, name := range visible {
			list = append(list, Object{"Name": name, "Description": "", "Meta": nil, "Quota": "", "CreateIndex": 1, "ModifyIndex": 1})
		}
		s.state(w, list)
	case "/v1/operator/autopilot/health":
		code := 200
		if strings.Contains(strings.ReplaceAll(autopilot, " ", ""), `"Healthy":false,"Servers"`) {
			code = 429
		}
		s.write(w, code, autopilot)
	case "/v1/operator/scheduler/configuration":
		s.write(w, 200, scheduler)
	case "/v1/agent/health":
		s.write(w, 200, `{"server":{"message":"ok","ok":true}}`)
	case "/v1/status/peers":
		s.write(w, 200, `["127.0.0.1:4647","127.0.0.2:4647","127.0.0.3:4647"]`)
	default:
		s.job(w, r, query, visible, evaluations, allocations, whole)
	}
}

// job answers /v1/job/ID and what is below it; the ID has its slashes escaped.
func (s *Server) job(w http.ResponseWriter, r *http.Request, query url.Values, visible []string, evaluations, allocations []Object, whole map[string]string) {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/v1/job/"), "/")
	id, err := url.PathUnescape(parts[0])
	if err != nil || !strings.HasPrefix(r.URL.Path, "/v1/job/") || len(parts) > 2 {
		s.write(w, 404, "Invalid path")
		return
	}
	of := func(o Object) bool { return o["JobID"] == id }
	switch {
	case len(parts) == 1:
		body, known := whole[query.Get("namespace")+"\x00"+id]
		if !known {
			s.write(w, 404, "job not found")
			return
		}
		stateHeader(w)
		s.write(w, 200, body)
	case parts[1] == "evaluations":
		s.list(w, r, visible, evaluations, of)
	case parts[1] == "allocations":
		s.list(w, r, visible, allocations, of)
	default:
		s.write(w, 404, "Invalid path")
	}
}

// filters are those that the plugins send. A real server knows more, and one that a user made could kill it.
var filters = map[string]func(Object) bool{
	"": func(Object) bool { return true },
	`ClientStatus == "pending" and DesiredStatus == "run"`: func(o Object) bool {
		return o["ClientStatus"] == "pending" && o["DesiredStatus"] == "run"
	},
	`Status == "pending"`: func(o Object) bool { return o["Status"] == "pending" },
	`Status == "pending" or (Type == "service" and Status == "dead" and Stop == false)`: func(o Object) bool {
		stop, _ := o["Stop"].(json.RawMessage)
		return o["Status"] == "pending" || o["Type"] == "service" && o["Status"] == "dead" && string(stop) == "false"
	},
}

// list answers with those of a namespace, or of all that are visible; an unknown namespace has none, which is no error.
func (s *Server) list(w http.ResponseWriter, r *http.Request, visible []string, all []Object, keep func(Object) bool) {
	query := r.URL.Query()
	namespace := query.Get("namespace")
	found := []Object{}
	for _, o := range all {
		in := text(o["Namespace"])
		if (namespace == "*" && slices.Contains(visible, in) || in == namespace) && keep(o) {
			found = append(found, short(o, query))
		}
	}
	if query.Get("reverse") == "true" {
		slices.Reverse(found)
	}
	if _, from, ok := strings.Cut(query.Get("next_token"), "."); ok {
		for len(found) > 0 && found[0]["ID"] != from {
			found = found[1:]
		}
	}
	if n, err := strconv.Atoi(query.Get("per_page")); err == nil && n > 0 && n < len(found) {
		w.Header().Set("X-Nomad-NextToken", "19."+text(found[n]["ID"]))
		found = found[:n]
	}
	s.state(w, found)
}

// short leaves out the states of tasks unless they are asked for.
func short(o Object, query url.Values) Object {
	if query.Get("task_states") != "false" || o["TaskStates"] == nil {
		return o
	}
	copied := Object{}
	for name, value := range o {
		copied[name] = value
	}
	copied["TaskStates"] = nil
	return copied
}

func (s *Server) state(w http.ResponseWriter, list []Object) {
	if list == nil {
		list = []Object{}
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	stateHeader(w)
	s.write(w, 200, string(body))
}

func stateHeader(w http.ResponseWriter) {
	w.Header().Set("X-Nomad-Index", "220")
	w.Header().Set("X-Nomad-KnownLeader", "true")
	w.Header().Set("X-Nomad-LastContact", "0")
}

func (s *Server) write(w http.ResponseWriter, code int, body string) {
	if strings.HasPrefix(body, "[") || strings.HasPrefix(body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body))
}

// counting counts what is sent.
type counting struct {
	http.ResponseWriter
	server *Server
}

func (c counting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.server.mu.Lock()
	c.server.sent += int64(n)
	c.server.mu.Unlock()
	return n, err
}

func (c counting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func text(value any) string {
	s, _ := value.(string)
	return s
}
