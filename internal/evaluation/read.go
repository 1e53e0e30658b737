package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
)

// reader asks the servers. What it may not see but could do without becomes a note.
type reader struct {
	client    *nomad.Client
	note      func(format string, args ...any)
	jobs      selection
	namespace string // or ""
	limits    Limits
	now       time.Time
	live      bool // now is what this machine's clock tells
}

// read takes the snapshot: seven small requests where all is well. With an error it returns what was known until then.
func (r reader) read(ctx context.Context) (Snapshot, error) {
	s := Snapshot{Region: r.client.Region(), Namespace: r.namespace, Selection: r.jobs.String()}
	err := r.readAll(ctx, &s)
	for _, p := range r.client.Pings() {
		s.Pings = append(s.Pings, Ping(p))
	}
	if r.live {
		s.Ahead = r.client.Ahead()
	}
	if why := nomad.Leaderless(err); why != "" {
		s.Leaderless = why
		return s, nil
	}
	return s, err
}

func (r reader) readAll(ctx context.Context, s *Snapshot) (err error) {
	if r.client.Addresses() > 1 {
		if err := r.client.Ping(ctx); err != nil {
			return err
		}
	}
	if s.Namespaces, err = r.client.Namespaces(ctx); err != nil {
		return err
	}
	if err := r.visible(s.Namespaces); err != nil {
		return err
	}
	s.Token = r.client.HasToken()
	r.note("the token sees %s: %s", plugin.Count(len(s.Namespaces), "namespace"), plugin.List(s.Namespaces))
	if err := r.readEvaluations(ctx, s); err != nil {
		return err
	}
	if err := r.readAllocations(ctx, s); err != nil {
		return err
	}
	if err := r.readJobs(ctx, s); err != nil {
		return err
	}
	if err := r.readServers(ctx, s); err != nil {
		return err
	}
	return r.readBroker(ctx, s)
}

// visible refuses what Nomad answers with empty lists: a namespace that does not exist, and a token that sees none.
func (r reader) visible(namespaces []string) error {
	switch {
	case r.namespace != "" && !slices.Contains(namespaces, r.namespace):
		return plugin.Misuse(fmt.Sprintf("there is no namespace %s, or the token may not see it; it sees %s", r.namespace, cmp.Or(plugin.List(namespaces), "none")))
	case len(namespaces) == 0:
		return &nomad.Error{Op: "see any namespace", What: "the servers show none to this token",
			Remedy: "give --token-file or NOMAD_TOKEN with the policy icinga/nomad-policy.hcl"}
	}
	return nil
}

// where is the namespace to ask for.
func (r reader) where() string { return cmp.Or(r.namespace, nomad.AllNamespaces) }

// optional turns the failure to read what the verdict can do without into a note that says what it costs. The end of the run's
// time and a lost leader stand.
func (r reader) optional(ctx context.Context, err error, cost string) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil, nomad.Leaderless(err) != "":
		return err
	}
	r.note("%s: %v", cost, err)
	return nil
}

// after says, from now on, whether a part of the time that the run has left is used: what is looked at more closely must leave time
// for what is still to be asked.
func after(ctx context.Context, part float64) (late func() bool) {
	deadline, ok := ctx.Deadline()
	began := time.Now()
	end := began.Add(time.Duration(float64(deadline.Sub(began)) * part))
	return func() bool { return ok && time.Now().After(end) }
}

// late says that something is older than the limits allow, and so worth a closer look.
func (r reader) late(since time.Time, warning, critical plugin.Range) bool {
	return grade(max(r.now.Sub(since), 0), warning, critical) != plugin.OK
}

// moment is a time in ns since 1970; 0, and what makes no sense, is unknown.
func moment(ns int64) time.Time {
	if ns <= 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}
