package kubetest

import (
	"net/http"
	"slices"
	"strings"
)

// target is what a path asks for.
type target struct {
	resource        resource
	kind            string // "" if the server does not know it
	namespace, name string
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	handler := s.handlers[r.URL.Path]
	s.mu.Unlock()
	if handler != nil {
		handler(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Token {
		writeStatus(w, 401, "Unauthorized", "Unauthorized", nil)
		return
	}
	s.mu.Lock()
	t := s.parse(r.URL.Path)
	forbidden := s.forbidden[t.verb()+" "+t.qualified()]
	objects := s.find(t)
	s.mu.Unlock()
	switch {
	case forbidden:
		writeStatus(w, 403, "Forbidden", t.forbiddenText(), t.details())
	case t.kind == "":
		http.Error(w, "404 page not found", 404)
	case r.Method != http.MethodGet:
		writeStatus(w, 405, "MethodNotAllowed", "the server does not allow this method on the requested resource", t.details())
	case t.name != "" && len(objects) == 0:
		writeStatus(w, 404, "NotFound", t.qualified()+` "`+t.name+`" not found`, t.details())
	case t.name != "":
		writeObject(w, r, objects[0])
	default:
		writeList(w, r, t, objects)
	}
}

func (s *Server) parse(path string) (t target) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) >= 3:
		t.resource.apiVersion, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) >= 4:
		t.resource.apiVersion, parts = parts[1]+"/"+parts[2], parts[3:]
	default:
		return t
	}
	if parts[0] == "namespaces" && len(parts) >= 3 {
		t.namespace, parts = parts[1], parts[2:]
	}
	t.resource.name = parts[0]
	if len(parts) > 1 {
		t.name = parts[1]
	}
	if len(parts) <= 2 {
		t.kind = s.resources[t.resource]
	}
	return t
}

func (s *Server) find(t target) []*object {
	var found []*object
	for _, o := range s.objects {
		if o.resource == t.resource && (t.namespace == "" || o.namespace == t.namespace) && (t.name == "" || o.name == t.name) {
			found = append(found, o)
		}
	}
	return slices.Clip(found)
}

func (t target) verb() string {
	if t.name != "" {
		return "get"
	}
	return "list"
}

// qualified is the name as in messages: "machineconfigpools.machineconfiguration.openshift.io".
func (t target) qualified() string {
	if group := t.resource.group(); group != "" {
		return t.resource.name + "." + group
	}
	return t.resource.name
}

func (t target) details() map[string]any {
	return map[string]any{"name": t.name, "group": t.resource.group(), "kind": t.resource.name}
}

func (t target) forbiddenText() string {
	subject, where := t.qualified(), "at the cluster scope"
	if t.name != "" {
		subject += ` "` + t.name + `"`
	}
	if t.namespace != "" {
		where = `in the namespace "` + t.namespace + `"`
	}
	return subject + ` is forbidden: User "` + User + `" cannot ` + t.verb() + ` resource "` + t.resource.name +
		`" in API group "` + t.resource.group() + `" ` + where
}
