package main

import (
	"context"
	"os"
	"time"

	"overdue/internal/nomad/nomadtest"
	"overdue/internal/poseidon/poseidontest"
)

// resync shows a pool that falls, the alarm, the event handler and the recovery. It changes something, so it runs on stand-ins for
// Poseidon and Nomad that follow what was recorded of real ones.
func resync() error {
	poseidon, nomad := poseidontest.New(), nomadtest.New()
	defer poseidon.Close()
	defer nomad.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for tick := time.NewTicker(100 * time.Millisecond); poseidon.Pause(ctx, 100*time.Millisecond) == nil; {
			<-tick.C
		}
	}()
	dir, err := os.MkdirTemp("", "overdue-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	servers := []string{"POSEIDON_ADDR=" + poseidon.URL(), "NOMAD_ADDR=" + nomad.URL()}
	runs := func(idle, used int) {
		poseidon.Set(29, 4, idle, used)
		nomad.Handle("/v1/jobs", poseidontest.Jobs(map[int]int{10: 4, 29: idle}))
	}
	check := []string{"check_prewarm_pool", "--environment", "29"}
	handle := func(more ...string) []string {
		return append([]string{"resync_prewarm_pool", "--environment", "29", "--recheck", "2s", "--no-journal", "--state-dir", dir,
			"--state", "CRITICAL", "--state-type", "SOFT", "--downtime-depth", "0", "--host-downtime-depth", "0"}, more...)
	}

	runs(1, 0)
	show("Live, on a stand-in for Poseidon: an agent was rebooted, and of a pool of four one runner is left:", check, servers)
	runs(0, 1)
	show("A learner takes it, and nothing replaces it:", check, servers)
	show("Icinga calls its event handler at every soft state. The first time it looks again:", handle("--attempt", "1"), servers)
	nomad.Handle("/v1/jobs", poseidontest.Jobs(map[int]int{10: 4, 29: 4}))
	show("Had Poseidon merely forgotten runners that Nomad runs, a resync would end them, so it would be refused:", handle("--attempt", "6"), servers)
	nomad.Handle("/v1/jobs", poseidontest.Jobs(map[int]int{10: 4, 29: 0}))
	show("They are really gone, and five minutes later it acts:", handle("--attempt", "6"), servers)
	nomad.Handle("/v1/jobs", poseidontest.Jobs(map[int]int{10: 4, 29: 4}))
	show("The pool is full again, and nobody was woken:", check, servers)
	return nil
}
