//go:build performance

package performance

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// cost is what one run of a command took.
type cost struct {
	Wall, CPU time.Duration // CPU: user and system, of all its processes
	RSS       int64         // KiB: of the largest process, if there are several
	Code      int
	Output    string
}

func (c cost) mib() float64 { return float64(c.RSS) / 1024 }

// measured runs a command with nothing of this process's environment.
func measured(t *testing.T, command ...string) cost {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), meter, command...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v", command, err)
	}
	var c cost
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func median(costs []cost) cost {
	return cost{
		Wall: middle(costs, func(c cost) time.Duration { return c.Wall }),
		CPU:  middle(costs, func(c cost) time.Duration { return c.CPU }),
		RSS:  middle(costs, func(c cost) int64 { return c.RSS }),
	}
}

func middle[N int64 | time.Duration](costs []cost, of func(cost) N) N {
	var values []N
	for _, c := range costs {
		values = append(values, of(c))
	}
	slices.Sort(values)
	return values[len(values)/2]
}
