package resync

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
	"overdue/internal/poseidon"
	"overdue/internal/prewarm"
)

// server is Poseidon, as far as the handler needs it: *poseidon.Client.
type server interface {
	Pools(context.Context) ([]poseidon.Pool, error)
	Environment(ctx context.Context, id int) (poseidon.Environment, error)
	Replace(ctx context.Context, e poseidon.Environment, within time.Duration) error
}

// surroundings is what the handler takes from the machine.
type surroundings struct {
	moment  func() Moment
	written func(path string) time.Time
	pause   func(context.Context, time.Duration) error
	restart func(context.Context, []string) error
	log     func(context.Context, slog.Record) error
	host    string
	pid     int
}

// machine is the one that this process runs on.
func machine() surroundings {
	return surroundings{moment: thisMoment, written: whenWritten, pause: nomad.PauseFor, restart: runCommand, log: toJournal, host: hostName(), pid: os.Getpid()}
}

// handler is one run for one environment.
type handler struct {
	facts    Facts
	rules    Rules
	dry      bool          // change nothing
	replay   bool          // it is about another time: what this machine remembers does not count
	recheck  time.Duration // from the first look to the second
	settle   time.Duration
	command  []string // that restarts Poseidon
	store    store
	poseidon server
	nomad    func(context.Context) *prewarm.Nomad // nil: it is not to be asked
	unable   error                                // why nobody can be asked, by the options and their files, or nil
	waiting  func(format string, args ...any)
	object   string // the service in Icinga, "host!service", or ""
	began    Moment
	locked   Moment // when the first lock was taken; zero if none was
	looked   Moment // when the statistics were last asked for, just before acting

	otherwise func(plugin.Finding) // tells what holds if the run is ended
	surroundings
}

// result is what a run decided, and what came of it if it acted.
type result struct {
	Decision
	At      Moment
	Acted   bool
	Helped  bool
	Before  Pool
	After   Pool
	Took    time.Duration
	Failure error // of the PUT or the command, if it acted
	Unseen  error // why the pool could not be looked at in the end, if it acted
	Unkept  error // why what came of it could not be written down
	Note    string
}

// Times of a resync. Poseidon creates one runner after the other, and waits at most 10 s for each and for the template.
const (
	perRunner = 10 * time.Second
	putMargin = 10 * time.Second
	pollEvery = 2 * time.Second
	reserve   = 15 * time.Second // to report

	askPatience   = 30 * time.Second // for each question before it acts: who hangs must not keep the lock from the next call
	againPatience = 10 * time.Second // for all but the statistics at the second look, which is not to grow old
	lookPatience  = 5 * time.Second  // for each look at what came of it; Poseidon answers from memory
)

func putPatience(size int) time.Duration { return time.Duration(size+1)*perRunner + putMargin }

// run decides, acts if that is the decision, and tells what came of it. An error means that Poseidon could not be asked.
func (h *handler) run(ctx context.Context) (result, error) {
	h.began = h.moment()
	if d := h.decide(); d.Action != Ask {
		r := h.ends(d)
		r.Note = h.clearMarker()
		return r, nil
	}
	if h.unable != nil {
		return h.ends(Decision{}), h.unable
	}
	unlock := h.readState()
	defer unlock()
	if d := h.decide(); d.Action != Ask {
		return h.ends(d), nil
	}
	if err := h.readPools(ctx); err != nil {
		return h.ends(Decision{}), err
	}
	h.readOthers()
	d := h.decide()
	if d.Action == Ask {
		within, cancel := context.WithTimeout(ctx, askPatience)
		defer cancel()
		h.facts.Nomad = h.nomad(within)
		d = h.decide()
	}
	if h.replay || d.Action != Resync && d.Action != Restart {
		return h.ends(d), nil
	}
	return h.lookAgain(ctx, d)
}

func (h *handler) decide() Decision { return Decide(h.facts, h.rules, h.now()) }

func (h *handler) ends(d Decision) result {
	pool := h.facts.Pools[h.facts.Environment]
	return result{Decision: d, At: h.moment(), Before: pool, After: pool}
}

func (h *handler) readPools(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	pools, err := h.poseidon.Pools(ctx)
	if err != nil {
		return err
	}
	h.facts.Pools = make(map[int]Pool, len(pools))
	for _, p := range pools {
		h.facts.Pools[p.ID] = Pool{p.Idle, p.Used, p.Size}
	}
	return nil
}

// readState takes the lock and reads the records. A dry run takes none: it must not keep a real one from acting.
func (h *handler) readState() (unlock func()) {
	unlock = func() {}
	state := new(State)
	h.facts.State = state
	if h.replay {
		return unlock
	}
	var err error
	key := environmentKey(h.facts.Environment)
	if h.dry {
		if err = h.store.usable(); err == nil {
			state.LockedBy = h.store.locked(key, h.holder())
		}
	} else {
		unlock, err = h.lockAll(key)
	}
	if err == nil {
		state.Last, err = h.read(h.store, key)
	}
	if err == nil {
		state.Restart, err = h.read(h.store, restartKey)
	}
	if err == nil {
		err = h.readElsewhere()
	}
	var locked errLocked
	switch {
	case errors.As(err, &locked):
		state.LockedBy, state.Remedy = locked.by, locked.remedy
	case err != nil:
		state.Trouble, state.Remedy = err.Error(), plugin.Hint(err)
	}
	return unlock
}

func (h *handler) holder() holder { return holder{h.host, h.pid, h.moment().Wall} }

func (h *handler) lock(s store, key string) (func(), error) {
	unlock, err := s.lock(key, h.holder())
	if err != nil {
		return func() {}, err
	}
	if h.locked.Directory.IsZero() {
		h.locked = h.moment()
		h.locked.Directory = h.written(s.path(key, "lock"))
	}
	return unlock, nil
}

// now is this moment, by the directory's clock too once a lock's file has told what that shows.
func (h *handler) now() Moment {
	now := h.moment()
	if !h.locked.Directory.IsZero() {
		now.Directory = h.locked.Directory.Add(h.since(h.locked))
	}
	return now
}

// read reads a record. That one is from the future is written down: it forbids for one cooldown from now, not until the
// clock has caught up, and is not forgotten either.
func (h *handler) read(s store, key string) (Record, error) {
	r, err := s.read(key)
	if err != nil || h.dry || !r.exists() {
		return r, err
	}
	if _, future := r.age(h.now()); !future {
		return r, nil
	}
	if key != environmentKey(h.facts.Environment) { // whose lock is held
		unlock, err := h.lock(s, key)
		if err != nil {
			return r, nil // whoever holds it writes a newer one
		}
		defer unlock()
		if r, err = s.read(key); err != nil || !r.exists() {
			return r, err
		}
	}
	seen := r
	seen.see(h.now())
	return r, s.write(key, seen)
}

// clearMarker lets the handler act again once the service has recovered. It returns what it did, for the log.
func (h *handler) clearMarker() string {
	key := environmentKey(h.facts.Environment)
	r, err := h.store.read(key)
	c := h.facts.Call
	atWork := r.Outcome == Begun && c.State == plugin.OK && !c.ByHand && !c.Skip // or was killed
	if err != nil || h.dry || !h.isOver(r) && !atWork {
		return ""
	}
	unlock, err := h.lock(h.store, key)
	switch {
	case err != nil && atWork:
		return fmt.Sprintf("if what is being done does not help, its marker stays although the service is OK, and --force by hand passes over it: %s", err)
	case err != nil:
		return "the marker cannot be cleared: " + err.Error()
	}
	defer unlock()
	if r, err = h.store.read(key); err != nil || !h.isOver(r) {
		return ""
	}
	r.Outcome, r.Remedy = Cleared, ""
	if err := h.store.write(key, r); err != nil {
		return "the marker cannot be cleared: " + err.Error()
	}
	return fmt.Sprintf("the marker of %s is cleared", clock(r))
}

// isOver says that a record is a marker, and that the service has recovered since: it is OK, or SOFT at an attempt at which the handler
// does not act yet, so that the marker is of an earlier incident. One that is younger than --cooldown may have been made by hand in this one.
func (h *handler) isOver(r Record) bool {
	c := h.facts.Call
	switch {
	case r.Outcome != DidNotHelp || c.ByHand || c.Skip:
		return false
	case c.State == plugin.OK:
		return true
	}
	age, _ := r.age(h.now())
	early := !c.Hard && (h.rules.On.Soft == 0 || c.Attempt < h.rules.On.Soft)
	return early && age >= h.rules.Cooldown
}
