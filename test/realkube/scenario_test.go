package realkube

import (
	"encoding/json"
	"testing"
	"time"
)

// The pools' counts must be those that the operator's controller would have counted from the scenario's nodes: a scenario
// that contradicts itself would test nothing. Without its controller ("g") a status is allowed to be wrong.
func TestPoolsCountTheirNodes(t *testing.T) {
	const annotation = "machineconfiguration.openshift.io/"
	for _, name := range Scenarios() {
		t.Run(name, func(t *testing.T) {
			c, err := read(name, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.nodes) != 47 {
				t.Errorf("%d nodes, want 47", len(c.nodes))
			}
			for _, pool := range c.pools {
				poolName := nested(pool, "metadata")["name"].(string)
				target := nested(nested(pool, "spec"), "configuration")["name"]
				if c.stale {
					target = nested(nested(pool, "status"), "configuration")["name"]
				}
				var all, updated, ready float64
				for _, n := range c.nodes {
					if poolOf(n) != poolName {
						continue
					}
					all++
					annotations := nested(nested(n, "metadata"), "annotations")
					if annotations[annotation+"currentConfig"] != target || annotations[annotation+"desiredConfig"] != target || annotations[annotation+"state"] != "Done" {
						continue
					}
					updated++
					if nested(n, "spec")["unschedulable"] != true && isReady(n) {
						ready++
					}
				}
				status := nested(pool, "status")
				for field, want := range map[string]float64{"machineCount": all, "updatedMachineCount": updated, "readyMachineCount": ready} {
					if status[field] != want {
						t.Errorf("%s: %s is %v, but the nodes make %v", poolName, field, status[field], want)
					}
				}
			}
		})
	}
}

func poolOf(node object) string {
	labels := nested(nested(node, "metadata"), "labels")
	for _, role := range []string{"master", "gpu", "worker"} {
		if _, ok := labels["node-role.kubernetes.io/"+role]; ok {
			return role
		}
	}
	return ""
}

func isReady(node object) bool {
	for _, c := range nested(node, "status")["conditions"].([]any) {
		if c := c.(object); c["type"] == "Ready" {
			return c["status"] == "True"
		}
	}
	return false
}

func TestAgeMovesEveryTime(t *testing.T) {
	c, err := read("incident", 36*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(c.pools[1])
	if n := len(timestamp.FindAll(text, -1)); n != 6 {
		t.Errorf("%d times in the pool, want 6: %s", n, text)
	}
	want := scenarioTime.Add(36 * time.Hour).Format(time.RFC3339)
	for _, condition := range nested(c.pools[1], "status")["conditions"].([]any) {
		if c := condition.(object); c["type"] == "Updating" && c["lastTransitionTime"] != want {
			t.Errorf("Updating since %v, want %v", c["lastTransitionTime"], want)
		}
	}
}

func TestLargeNodeIsLarge(t *testing.T) {
	o, err := largeNode("node-00000")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(o)
	if len(text) < 16_000 || len(text) > 22_000 { // managedFields come on top
		t.Errorf("%d bytes", len(text))
	}
}

func TestUnknownScenario(t *testing.T) {
	if _, err := read("z", 0); err == nil {
		t.Error("no error")
	}
}
