//go:build integration && linux

package integration

import (
	"fmt"
	"path/filepath"
	"testing"
)

// The servers' part of the second incident: what was lost while they were rebooted, from the recording, and its figures in the database.
func TestIcingaTellsTheLostEvaluations(t *testing.T) {
	n := icinga(t)
	recordings, err := filepath.Abs("../../demo/recordings")
	if err != nil {
		t.Fatal(err)
	}
	n.Write(t, "zones.d/localhost/hosts.conf", fmt.Sprintf(`object Host "nomad" {
  check_command = "dummy"
  enable_active_checks = false
  vars.nomad = {
    address = [ "http://10.0.0.1:4646", "http://10.0.0.2:4646", "http://10.0.0.3:4646" ]
    replay = %q
  }
}
`, filepath.Join(recordings, "nomad-incident.yaml")))
	sink := influx(t, n)
	n.Start(t)
	const evaluations = "nomad!evaluations"
	lost := "[CRITICAL] - 13 jobs lost: pending, no evaluation, for 12m 20s"
	follow(t, n, evaluations, step{"CRITICAL SOFT 2", lost}, step{"CRITICAL HARD", lost})
	sink.await(t, "nomad_evals,hostname=nomad,service=evaluations,metric=evaluations_pending_oldest ", "warn=300", "crit=600")
	sink.await(t, "nomad_evals,hostname=nomad,service=evaluations,metric=jobs_lost ", "value=")

	n.Set(t, evaluations, map[string]any{"vars.nomad_evals_replay": filepath.Join(recordings, "nomad-healthy.yaml"), "vars.nomad_evals_address": "http://127.0.0.1:4646"})
	follow(t, n, evaluations, step{"OK HARD", "[OK] - "})
	validPoints(t, n)
}
