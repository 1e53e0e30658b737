// Package kubetest is a stand-in for a Kubernetes API server: it serves given objects as lists and single objects the way a
// real one does (pages, selectors, protobuf and JSON, metadata only, login, rights), and faults on demand. It checks nothing
// that it is given. It listens on 127.0.0.1 only.
package kubetest

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// Token is the only bearer token that a server accepts, and User is whom it stands for.
const (
	Token = "kubetest.not-a-secret"
	User  = "icinga"
)

// Server is a running stand-in. Its methods may be called at any time from any goroutine.
type Server struct {
	http *httptest.Server

	mu        sync.Mutex
	objects   []*object           // in the order of their keys
	resources map[resource]string // their kinds
	handlers  map[string]http.HandlerFunc
	forbidden map[string]bool
	requests  []string
}

// New starts a server with TLS that serves the objects: pointers to Kubernetes types, own structs with apiVersion and kind, or
// what Load returns. It panics over an object that it cannot serve.
func New(objects ...any) *Server {
	s := &Server{
		resources: map[resource]string{},
		handlers:  map[string]http.HandlerFunc{},
		forbidden: map[string]bool{},
	}
	for r := range kinds {
		s.resources[r.resource()] = r.name
	}
	s.Put(objects...)
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.http.EnableHTTP2 = true
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.http.StartTLS()
	return s
}

// Close ends the server and all its connections.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL returns the address: "https://127.0.0.1:port".
func (s *Server) URL() string { return s.http.URL }

// Put adds objects, or replaces those with the same kind, namespace and name.
func (s *Server) Put(objects ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, given := range objects {
		o := newObject(given)
		s.resources[o.resource] = o.kind
		at, found := slices.BinarySearchFunc(s.objects, o, (*object).compare)
		if found {
			s.objects[at] = o
		} else {
			s.objects = slices.Insert(s.objects, at, o)
		}
	}
}

// Remove takes objects away: kind is "Node", namespace may be "".
func (s *Server) Remove(kind, namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects = slices.DeleteFunc(s.objects, func(o *object) bool {
		return o.kind == kind && o.namespace == namespace && o.name == name
	})
}

// Declare makes the server know a kind of which it may have no object: Declare("machineconfiguration.openshift.io/v1",
// "MachineConfigPool"). Other kinds are answered with 404 "page not found".
func (s *Server) Declare(apiVersion, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resources[kindOf(apiVersion, kind).resource()] = kind
}

// Forbid takes the right away to ask for a resource: Forbid("list", "nodes"), Forbid("get", "machineconfigs.machineconfiguration.openshift.io").
func (s *Server) Forbid(verb, resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forbidden[verb+" "+resource] = true
}

// Handle answers a path ("/api/v1/nodes") with a handler of the test's; nil takes it back. No login is needed for it.
func (s *Server) Handle(path string, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if handler == nil {
		delete(s.handlers, path)
		return
	}
	s.handlers[path] = handler
}

// Requests returns all requests so far, as "GET /api/v1/nodes?limit=500".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Count returns how many requests came for a path, with any query.
func (s *Server) Count(path string) (n int) {
	for _, request := range s.Requests() {
		_, rest, _ := strings.Cut(request, " ")
		if got, _, _ := strings.Cut(rest, "?"); got == path {
			n++
		}
	}
	return n
}
