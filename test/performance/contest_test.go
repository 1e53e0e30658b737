//go:build performance

package performance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The kinds of commands in a contest.
const (
	kindPlugin = iota
	kindFloor  // the plugin's requests by a bare Go program
	kindShell  // kubectl or curl, and jq
	kindPython
)

// contender is a command. Its output must contain want, as what was refused is cheap.
type contender struct {
	kind    int
	name    string
	command func(endpoint) []string
	want    string
	memory  int // GiB it needs; it is left out where less is free
}

// contest is one job on one size of system, done by several commands.
type contest struct {
	name    string // "check_mcp, one pool not clean"
	size    int
	unit    string // of size: "nodes"
	healthy bool   // the plugin finds nothing
	like    string // title of one that judges as much from fewer bytes served
	others  []contender
}

// row is what a contest says of one command.
type row struct {
	contender
	cost
	rounds, requests int
	bytes            int64
	absent           string // why it was not measured
}

const (
	patience  = 25 * time.Second // for all rounds of a command after the first
	quick     = 3 * time.Second  // for the more rounds of a quick command
	fullOnce  = 60 * time.Second // a peer that takes as long when its bytes are counted is not run again
	planKeeps = 2 * time.Minute  // the API server forgets a page's token after five
)

// hold has plugin and the others do the job in turn, so that a slow minute of the machine touches each.
func (c contest) hold(t *testing.T, plugin contender, server endpoint) {
	t.Helper()
	through := newTap(t, server)
	plan := filepath.Join(t.TempDir(), "plan")
	var planned time.Time
	floor := contender{kind: kindFloor, name: "the same reads, bare", command: func(e endpoint) []string {
		return []string{floorProgram, e.url, e.authority, e.token, plan}
	}}
	contenders := append([]contender{plugin, floor}, c.others...)
	rows := make([]row, len(contenders))
	costs := make([][]cost, len(contenders))
	observe := func(i int) cost { // once through the tap: it counts, fills caches, and is not timed unless it takes long
		got := contenders[i].run(t, through.endpoint)
		asked, bytes := through.take()
		rows[i].requests, rows[i].bytes = strings.Count(asked, "\n"), bytes
		if i == 0 {
			planned = time.Now()
			if err := os.WriteFile(plan, []byte(asked), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return got
	}
	for i := range contenders {
		rows[i].contender = contenders[i]
		if rows[i].absent = contenders[i].impossible(); rows[i].absent != "" {
			continue
		}
		if got := observe(i); got.Wall > fullOnce && i >= len(contenders)-len(c.others) {
			costs[i] = []cost{got}
		}
	}
	for ran := true; ran; {
		ran = false
		if time.Since(planned) > planKeeps {
			observe(0)
		}
		for i := range contenders {
			if rows[i].absent == "" && due(costs[i]) {
				ran = true
				costs[i] = append(costs[i], contenders[i].run(t, server))
			}
		}
	}
	for i := range rows {
		if rows[i].rounds = len(costs[i]); rows[i].rounds > 0 {
			rows[i].cost = median(costs[i])
		}
	}
	report.add(c, rows)
}

// due says whether a command is to run again.
func due(costs []cost) bool {
	if len(costs) > 0 && costs[0].Wall > fullOnce {
		return false
	}
	var spent time.Duration
	for _, c := range costs {
		spent += c.Wall
	}
	if len(costs) < *rounds {
		return spent < patience
	}
	return len(costs) < 15**rounds && spent < quick
}

func (c contender) run(t *testing.T, e endpoint) cost {
	t.Helper()
	got := measured(t, c.command(e)...)
	if !strings.Contains(got.Output, c.want) || c.kind == kindFloor && got.Code != 0 {
		t.Fatalf("%s: exit code %d, output without %q: %.1000s", c.name, got.Code, c.want, got.Output)
	}
	return got
}
