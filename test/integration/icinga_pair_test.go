//go:build integration && linux

package integration

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"overdue/internal/poseidon/poseidontest"
	"overdue/test/realicinga"
)

// Two nodes in one zone. Icinga calls the handler on the one that has the service; on both when they have lost each other, as each
// takes all services then. The directory that they share lets one of them act.
func TestIcingaOnTwoNodesOfOneZone(t *testing.T) {
	ca := realicinga.NewAuthority(t)
	together, apart := startLearning(t), startLearning(t)
	first := realicinga.NewNode(t, ca, "first", "", plugins(t))
	second := realicinga.NewNode(t, ca, "second", "", plugins(t))
	wire := realicinga.NewWire(t, second.Port)
	first.Zone, second.Zone, second.Through = "masters", "masters", wire.Port
	nodes := []*realicinga.Node{second, first}
	realicinga.Cluster(t, first, second)
	first.Install(t, wiring...)
	first.Write(t, "zones.d/masters/hosts.conf", together.host(t, "together", nil, "")+apart.host(t, "apart", nil, ""))
	for _, n := range nodes {
		n.Start(t)
	}
	for _, host := range []string{"together", "apart"} {
		realicinga.Await(t, "one node has the service, and the other knows it", func() error {
			paused := 0
			for _, n := range nodes {
				service, err := n.Lookup(host + "!pool 29")
				if err != nil {
					return err
				}
				if service.Paused {
					paused++
				}
			}
			if paused != 1 || !first.Connected("second") || !second.Connected("first") {
				return realicinga.Not("%d of them leave it to the other", paused)
			}
			return nil
		})
	}

	const service = "together!pool 29"
	follow(t, first, service, step{"OK HARD", idle4})
	together.drain()
	for attempt := 1; attempt <= 6; attempt++ {
		follow(t, first, service, step{fmt.Sprintf("CRITICAL SOFT %d", attempt), missing})
	}
	realicinga.Await(t, "the handler has acted", func() error {
		if together.poseidon.Puts(29) == 0 {
			return realicinga.Not("yet")
		}
		return nil
	})
	follow(t, first, service, step{"OK HARD", idle4})
	has, other := first, second
	if first.Service(t, service).Paused {
		has, other = second, first
	}
	handled(t, has, service, 8)
	handled(t, other, service, 0)
	if puts := together.poseidon.Puts(29); puts != 1 {
		t.Errorf("%d PUTs", puts)
	}

	const torn = "apart!pool 29"
	follow(t, first, torn, step{"OK HARD", idle4})
	realicinga.Await(t, "both know that", func() error {
		if got := second.Service(t, torn); got.String() != "OK HARD" || got.LastCheck == 0 {
			return realicinga.Not("%s", got)
		}
		return nil
	})
	wire.Cut()
	for _, n := range nodes {
		realicinga.Await(t, n.Name+" has the service for itself", func() error {
			if n.Service(t, torn).Paused {
				return realicinga.Not("yet")
			}
			return nil
		})
	}
	puts, release := apart.hold()
	apart.drain()
	before := map[*realicinga.Node]int{first: len(first.Handled(t, torn)), second: len(second.Handled(t, torn))}
	for attempt := 1; attempt <= 5; attempt++ {
		for _, n := range nodes {
			follow(t, n, torn, step{fmt.Sprintf("CRITICAL SOFT %d", attempt), missing})
		}
	}
	follow(t, first, torn, step{"CRITICAL SOFT 6", missing})
	realicinga.Await(t, "the first node acts", func() error {
		if puts.Load() == 0 {
			return realicinga.Not("yet")
		}
		return nil
	})
	follow(t, second, torn, step{"CRITICAL SOFT 6", missing})
	realicinga.Await(t, "the second node's handler has ended", func() error {
		if puts := puts.Load(); puts != 1 {
			t.Fatalf("%d PUTs while the first node acts", puts)
		}
		if runs := len(second.Handled(t, torn)); runs != before[second]+6 {
			return realicinga.Not("%d runs", runs)
		}
		return nil
	})
	release()
	handled(t, first, torn, before[first]+6)
	for _, n := range nodes {
		follow(t, n, torn, step{"OK HARD", idle4})
		handled(t, n, torn, before[n]+7)
	}
	if puts := puts.Load(); puts != 1 {
		t.Errorf("%d PUTs", puts)
	}
}

// hold lets PUTs of environment 29 wait, and counts them. When they are released, the pool is full.
func (l *learning) hold() (puts *atomic.Int64, release func()) {
	puts = new(atomic.Int64)
	released := make(chan struct{})
	l.poseidon.Handle("/api/v1/execution-environments/29", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			_, _ = io.WriteString(w, strings.Replace(poseidontest.Body("execution-environments-id-200.json"), `"id": 10`, `"id": 29`, 1))
			return
		}
		puts.Add(1)
		select {
		case <-released:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return puts, func() {
		l.poseidon.Set(29, 4, 4, 0)
		l.idle.Store(4)
		close(released)
	}
}
