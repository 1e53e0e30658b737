// Package nomadtest is a stand-in for a region of Nomad servers: it answers with recorded bodies (testdata, of 1.6.3 and
// 2.0.5) as the servers did, and follows in time what was recorded while they were killed, hung and restarted. It listens on
// 127.0.0.1 only.
//
// Its clock is its own: holding an answer for 5 s moves it by 5 s at once, and Pause moves it too, so that tests need not
// sleep. Speed makes it hold answers in real time, at any scale.
package nomadtest

import (
	"context"
	"embed"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

//go:embed testdata
var recorded embed.FS

// Body is a recorded body: Body("1.6.3/evaluations-all.json").
func Body(name string) string {
	data, err := recorded.ReadFile("testdata/" + name)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// Object is an entry of a list, as it is on the wire.
type Object = map[string]any

// Server is a running stand-in. Its methods may be called at any time from any goroutine.
type Server struct {
	page atomic.Int64 // of the endless list that Many makes
	http *httptest.Server

	mu          sync.Mutex
	evaluations []Object
	allocations []Object
	jobs        []Object          // entries of the list
	whole       map[string]string // bodies of jobs, by namespace and ID
	namespaces  []string
	autopilot   string
	scheduler   string
	handlers    map[string]http.HandlerFunc
	rights      matrix
	fault       fault
	clock       time.Duration
	speed       float64
	requests    []string
	sent        int64
	killed      bool
	ahead       time.Duration
}

// New starts a healthy region of three servers without any job, with the namespaces that are named beside default.
func New(namespaces ...string) *Server {
	s := NewUnstarted(namespaces...)
	s.http.Start()
	return s
}

// NewTLS is New with TLS.
func NewTLS(namespaces ...string) *Server {
	s := NewUnstarted(namespaces...)
	s.http.StartTLS()
	return s
}

// NewUnstarted leaves it to the caller to start HTTP().
func NewUnstarted(namespaces ...string) *Server {
	s := &Server{
		whole:      map[string]string{},
		namespaces: append([]string{"default"}, namespaces...),
		autopilot:  Body("cluster/autopilot-health-healthy.json"),
		scheduler:  Body("1.6.3/scheduler-configuration.json"),
		handlers:   map[string]http.HandlerFunc{},
	}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

// HTTP is the server below.
func (s *Server) HTTP() *httptest.Server { return s.http }

// Close ends the server and all its connections.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL returns the address: "http://127.0.0.1:port".
func (s *Server) URL() string { return s.http.URL }

// Evaluations adds entries to the list; each argument is a JSON array.
func (s *Server) Evaluations(lists ...string) { s.add(&s.evaluations, lists) }

// Allocations adds entries to the list.
func (s *Server) Allocations(lists ...string) { s.add(&s.allocations, lists) }

// Jobs adds entries to the list.
func (s *Server) Jobs(lists ...string) { s.add(&s.jobs, lists) }

func (s *Server) add(to *[]Object, lists []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range lists {
		*to = append(*to, Parse(list)...)
	}
}

// Parse reads a JSON array of objects. Numbers stay as they are written: times have more digits than a float64.
func Parse(list string) []Object {
	var raw []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(list), &raw); err != nil {
		panic(err)
	}
	objects := make([]Object, len(raw))
	for i, fields := range raw {
		objects[i] = Object{}
		for name, value := range fields {
			objects[i][name] = value
			if text := ""; json.Unmarshal(value, &text) == nil && string(value) != "null" {
				objects[i][name] = text
			}
		}
	}
	return objects
}

// Job sets the body of a whole job; it is asked for as /v1/job/ID.
func (s *Server) Job(namespace, id, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole[namespace+"\x00"+id] = body
}

// Autopilot sets what the leader thinks of the servers. "Healthy": false in it makes the status 429.
func (s *Server) Autopilot(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.autopilot = body
}

// Scheduler sets the scheduler configuration.
func (s *Server) Scheduler(body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scheduler = body
}

// Handle answers a path ("/v1/jobs") with a handler of the test's; "" is for all paths.
func (s *Server) Handle(path string, handler http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[path] = handler
}

// Requests returns all requests so far, as "GET /v1/jobs?namespace=%2A".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Sent is how many bytes of bodies were sent so far.
func (s *Server) Sent() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// LeaderKilled says that a request came that kills the leader of a real region: a filter with "is empty" on a time.
func (s *Server) LeaderKilled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.killed
}

// Pause moves the clock. It stands in for a wait of the client's.
func (s *Server) Pause(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock += d
	return ctx.Err()
}

// Ahead sets the servers' clock ahead of this machine's, or behind it, as answers tell it (Date).
func (s *Server) Ahead(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead = d
}

// Speed makes the server hold answers in real time, times a factor; with 0 only its clock moves.
func (s *Server) Speed(factor float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.speed = factor
}
