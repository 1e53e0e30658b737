// Package poseidontest is a stand-in for Poseidon: it answers with recorded bodies (testdata), and its pools follow in time what was
// recorded while runners were claimed and deleted, Nomad was killed and its event stream stalled. It listens on 127.0.0.1 only.
//
// Its clock is its own, and moves only by Pause and by a PUT, so that tests need not sleep.
package poseidontest

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed testdata
var recorded embed.FS

// Body is a recorded body: Body("statistics-execution-environments-200-full.json").
func Body(name string) string {
	data, err := recorded.ReadFile("testdata/" + name)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// fillTime is how long a pool takes to fill after a PUT: 0.5 to 1.5 s without pulling an image (timelines.json).
const fillTime = 1500 * time.Millisecond

// registration is how long a PUT waits for each job whose events do not come.
const registration = 10 * time.Second

// Server is a running stand-in. Its methods may be called at any time from any goroutine.
type Server struct {
	http *httptest.Server

	mu       sync.Mutex
	token    string
	pools    map[int]*pool
	trouble  trouble
	handlers map[string]http.HandlerFunc
	requests []string
	clock    time.Duration
}

type pool struct {
	size, idle, used int
	full             time.Duration // when it is full again; 0: it is not being filled
	puts, killed     int
}

type trouble int

const (
	none    trouble = iota
	crashed         // the handlers of statistics and health die
	down            // Nomad does not answer
	stalled         // Nomad answers, its events do not come
	crowded         // Nomad has no room
)

// New starts a Poseidon with the two environments of the recordings, 10 and 29, each with four idle runners.
func New() *Server {
	s := NewUnstarted()
	s.http.Start()
	return s
}

// NewUnstarted leaves it to the caller to start HTTP().
func NewUnstarted() *Server {
	s := &Server{pools: map[int]*pool{10: {size: 4, idle: 4}, 29: {size: 4, idle: 4}}, handlers: map[string]http.HandlerFunc{}}
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

// Token makes the server want a token.
func (s *Server) Token(token string) { s.locked(func() { s.token = token }) }

// Set makes an environment with its counts, or changes them.
func (s *Server) Set(id, size, idle, used int) {
	s.locked(func() { s.pools[id] = &pool{size: size, idle: idle, used: used} })
}

// Lose makes Poseidon forget an environment, as a restart does whose template job is dead.
func (s *Server) Lose(id int) { s.locked(func() { delete(s.pools, id) }) }

// Crash makes the statistics answer 200 with nothing in it.
func (s *Server) Crash() { s.locked(func() { s.trouble = crashed }) }

// Crowd leaves Nomad without room: a PUT ends the runners, and places none.
func (s *Server) Crowd() { s.locked(func() { s.trouble = crowded }) }

// Stall stops the event stream: Poseidon sees no runner start or end any more, and a PUT waits for each in vain.
func (s *Server) Stall() { s.locked(func() { s.trouble = stalled }) }

// KillNomad empties all pools in Poseidon's memory, as was seen within a second.
func (s *Server) KillNomad() {
	s.locked(func() {
		s.trouble = down
		for _, p := range s.pools {
			p.idle, p.full = 0, 0
		}
	})
}

// Handle answers a path by a handler of the test's.
func (s *Server) Handle(path string, handler http.HandlerFunc) {
	s.locked(func() { s.handlers[path] = handler })
}

// Requests are those that came, as "GET /api/v1/…", with their query.
func (s *Server) Requests() (requests []string) {
	s.locked(func() { requests = append(requests, s.requests...) })
	return requests
}

// Puts counts the PUTs of an environment that had an effect.
func (s *Server) Puts(id int) (n int) {
	s.locked(func() { n = s.pool(id).puts })
	return n
}

// Killed counts the used runners that PUTs have ended.
func (s *Server) Killed(id int) (n int) {
	s.locked(func() { n = s.pool(id).killed })
	return n
}

// Pause moves the clock instead of waiting.
func (s *Server) Pause(ctx context.Context, d time.Duration) error {
	s.locked(func() { s.clock += d })
	return ctx.Err()
}

// Clock is how far the clock has moved since the start.
func (s *Server) Clock() (passed time.Duration) {
	s.locked(func() { passed = s.clock })
	return passed
}

func (s *Server) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *Server) pool(id int) *pool {
	if p := s.pools[id]; p != nil {
		return p
	}
	return &pool{}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+r.URL.RequestURI())
	handler, token := s.handlers[r.URL.Path], s.token
	s.mu.Unlock()
	path, ours := strings.CutPrefix(r.URL.Path, "/api/v1/")
	id, isID := strings.CutPrefix(path, "execution-environments/")
	switch {
	case handler != nil:
		handler(w, r)
	case ours && token != "" && r.Header.Get("Poseidon-Token") != token:
		w.WriteHeader(http.StatusUnauthorized)
	case r.URL.RawQuery != "": // fetch empties pools; nobody may send it
		panic(http.ErrAbortHandler)
	case r.Method == http.MethodGet && path == "statistics/execution-environments":
		s.statistics(w)
	case r.Method == http.MethodGet && ours && isID:
		s.environment(w, id)
	case r.Method == http.MethodPut && ours && isID:
		s.put(w, r, id)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *Server) statistics(w http.ResponseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trouble == crashed {
		return
	}
	entries := map[string]map[string]int{}
	for id, p := range s.pools {
		p.fill(s.clock)
		entries[strconv.Itoa(id)] = map[string]int{"id": id, "prewarmingPoolSize": p.size, "idleRunners": p.idle, "usedRunners": p.used}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(entries)
}

// fill lets runners start: half of them before the time, all at it.
func (p *pool) fill(now time.Duration) {
	switch {
	case p.full == 0:
	case now >= p.full:
		p.idle, p.full = max(p.idle, p.size), 0
	case now >= p.full-fillTime/3:
		p.idle = max(p.idle, p.size/2)
	}
}

func (s *Server) environment(w http.ResponseWriter, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, err := strconv.Atoi(text)
	p := s.pools[id]
	if err != nil || p == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	body := strings.Replace(Body("execution-environments-id-200.json"), `"id": 10`, fmt.Sprintf(`"id": %d`, id), 1)
	_, _ = io.WriteString(w, strings.Replace(body, `"prewarmingPoolSize": 4`, fmt.Sprintf(`"prewarmingPoolSize": %d`, p.size), 1))
}

// put does what Poseidon does to a known environment: it forgets and ends all its runners, and starts a full pool.
func (s *Server) put(w http.ResponseWriter, r *http.Request, text string) {
	var said struct{ PrewarmingPoolSize *int }
	id, err := strconv.Atoi(text)
	if json.NewDecoder(r.Body).Decode(&said) != nil || said.PrewarmingPoolSize == nil || err != nil {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, Body("execution-environments-id-put-400-json.json"))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, known := s.pools[id]
	if !known {
		p = &pool{size: *said.PrewarmingPoolSize}
		s.pools[id] = p
	}
	p.puts++
	p.idle, p.full = 0, 0
	switch s.trouble {
	case down: // before any runner was ended
		s.fail(w, "execution-environments-id-put-500-nomad-down.json")
		return
	case crowded:
		p.killed, p.used = p.killed+p.used, 0
		s.fail(w, "execution-environments-id-put-500-unplaceable.json")
		return
	case stalled: // the used runners are gone, and are still counted
		p.killed += p.used
		s.clock += registration * time.Duration(p.size+1)
	default:
		p.killed, p.used = p.killed+p.used, 0
		p.full = s.clock + fillTime
	}
	if known {
		w.WriteHeader(http.StatusNoContent)
	} else {
		w.WriteHeader(http.StatusCreated)
	}
}

func (s *Server) fail(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = io.WriteString(w, Body(body))
}
