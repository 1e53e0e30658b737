//go:build integration && linux

package integration

import (
	"fmt"
	"strings"
	"testing"

	"overdue/test/realicinga"
)

// Master, satellite and agent, with our files in the global zone of the master only. Icinga calls the handler of a satellite's
// service on the master as well (Icinga/icinga2 #8704); of a service that an agent checks, on the agent alone.
func TestIcingaOverZones(t *testing.T) {
	ca := realicinga.NewAuthority(t)
	here, there := startLearning(t), startLearning(t)
	master := realicinga.NewNode(t, ca, "master", "", plugins(t))
	satellite := realicinga.NewNode(t, ca, "satellite", "master", plugins(t))
	agent := realicinga.NewNode(t, ca, "agent", "satellite", plugins(t))
	realicinga.Cluster(t, master, satellite, agent)
	master.Install(t, wiring...)
	master.Write(t, "zones.d/satellite/hosts.conf",
		here.host(t, "by-satellite", nil, "")+there.host(t, "by-agent", nil, `vars.overdue_endpoint = "agent"`))
	for _, n := range []*realicinga.Node{agent, satellite, master} {
		n.Start(t)
	}
	for _, service := range []string{"by-satellite!pool 29", "by-agent!pool 29"} {
		realicinga.Await(t, service+" is known to the satellite", func() error { _, err := satellite.Lookup(service); return err })
	}
	realicinga.Await(t, "the agent is connected and has the commands", func() error {
		if !agent.Has("eventcommands", "resync_prewarm_pool") || !satellite.Connected("agent") {
			return realicinga.Not("yet")
		}
		return nil
	})

	for host, run := range map[string]struct {
		l  *learning
		by *realicinga.Node // runs the check, and the handler that acts
	}{"by-satellite": {here, satellite}, "by-agent": {there, agent}} {
		t.Run(host, func(t *testing.T) {
			service := host + "!pool 29"
			if got := follow(t, satellite, service, step{"OK HARD", idle4}); got.Result.Source != run.by.Name {
				t.Errorf("checked by %s", got.Result.Source)
			}
			run.l.drain()
			for attempt := 1; attempt <= 6; attempt++ {
				follow(t, satellite, service, step{fmt.Sprintf("CRITICAL SOFT %d", attempt), missing})
			}
			for _, line := range handled(t, run.by, service, 7) {
				if strings.Contains(line, "'--skip'") {
					t.Errorf("%s is told to skip: %s", run.by.Name, line)
				}
			}
			if puts := run.l.poseidon.Puts(29); puts != 1 {
				t.Errorf("%d PUTs", puts)
			}
			follow(t, satellite, service, step{"OK HARD", idle4})
			handled(t, run.by, service, 8)
			realicinga.Await(t, "the master knows of the recovery", func() error {
				if got := master.Service(t, service); got.String() != "OK HARD" || got.LastCheck != satellite.Service(t, service).LastCheck {
					return realicinga.Not("%s", got)
				}
				return nil
			})
			if run.by == agent {
				for _, n := range []*realicinga.Node{master, satellite} {
					handled(t, n, service, 0)
				}
				return
			}
			for _, line := range handled(t, master, service, 8) {
				if !strings.Contains(line, "'--skip'") {
					t.Errorf("the master is not told to skip: %s", line)
				}
			}
		})
	}
}
