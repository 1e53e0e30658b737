//go:build performance

package performance

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// results are the rows of all contests, and the starts.
type results struct {
	contests []contested
	starts   []startTable
}

type contested struct {
	contest
	rows []row // the plugin's first, then the floor's
}

type startTable struct {
	name   string
	rounds int
	rows   []startRow // the first is the floor
}

type startRow struct {
	name    string
	fastest time.Duration
	cost
}

func (r *results) add(c contest, rows []row) {
	r.contests = append(r.contests, contested{c, rows})
	fmt.Println(c.title())
	for _, row := range rows {
		fmt.Printf("  %s: %s\n", row.name, row.cells())
	}
}

func (r *results) addStart(name string, all []starter, costs [][]cost) {
	table := startTable{name: name, rounds: len(costs[0])}
	for i, s := range all {
		fastest := slices.MinFunc(costs[i], func(a, b cost) int { return int(a.Wall - b.Wall) }).Wall
		table.rows = append(table.rows, startRow{s.name, fastest, median(costs[i])})
	}
	r.starts = append(r.starts, table)
}

func (c contest) title() string { return fmt.Sprintf("%s: %s %s", c.name, thousands(c.size), c.unit) }

// of is the row of a kind that was measured.
func (c contested) of(kind int) (row, bool) {
	for _, r := range c.rows {
		if r.kind == kind && r.rounds > 0 {
			return r, true
		}
	}
	return row{}, false
}

// markdown is everything as tables, with what became of the goals.
func (r *results) markdown() string {
	var b strings.Builder
	for _, s := range r.starts {
		s.markdown(&b)
	}
	contests := r.sorted()
	for i, c := range contests {
		if i == 0 || contests[i-1].section() != c.section() {
			fmt.Fprintf(&b, "\n### %s\n\n| median | rounds | seconds | CPU seconds | peak MiB | requests | MB read | CPU to the floor | CPU to jq | peak to jq |\n|---|%s\n",
				c.section(), strings.Repeat("---:|", 9))
		}
		floor, _ := c.of(kindFloor)
		shell, _ := c.of(kindShell)
		fmt.Fprintf(&b, "| **%s** |%s\n", strings.TrimLeft(strings.TrimPrefix(c.title(), c.section()), ":, "), strings.Repeat(" |", 9))
		for _, row := range c.rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", row.name, row.cells(), row.to(floor, cpu), row.to(shell, cpu), row.to(shell, cost.mib))
		}
	}
	r.growth(&b)
	r.goals(&b)
	return b.String()
}

// sorted has the sizes of a job together, and the jobs of a plugin, else in the order in which they came.
func (r *results) sorted() []contested {
	var order []string
	for _, c := range r.contests {
		order = append(order, c.section(), c.name)
	}
	return slices.SortedStableFunc(slices.Values(r.contests), func(a, b contested) int {
		return cmp.Or(slices.Index(order, a.section())-slices.Index(order, b.section()), slices.Index(order, a.name)-slices.Index(order, b.name))
	})
}

// section is the plugin.
func (c contest) section() string {
	name, _, _ := strings.Cut(c.name, ",")
	name, _, _ = strings.Cut(name, " ")
	return name
}

func (r row) cells() string {
	if r.absent != "" {
		return "0 | " + r.absent + " | | | | "
	}
	return fmt.Sprintf("%d | %.3f | %.3f | %.0f | %d | %.3f", r.rounds, r.Wall.Seconds(), cpu(r.cost), r.mib(), r.requests, float64(r.bytes)/1e6)
}

func cpu(c cost) float64 { return c.CPU.Seconds() }

func (r row) to(other row, of func(cost) float64) string {
	if r.rounds == 0 || other.rounds == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g", of(r.cost)/of(other.cost))
}

func (s startTable) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### Start: %s, each %d times\n\n| | fastest, ms | median, ms | CPU, ms | peak MiB | median to the floor |\n|---|---:|---:|---:|---:|---:|\n", s.name, s.rounds)
	for _, r := range s.rows {
		fmt.Fprintf(b, "| %s | %.2f | %.2f | %.2f | %.0f | %.2f |\n", r.name, ms(r.fastest), ms(r.Wall), ms(r.CPU), r.mib(), s.ratio(r))
	}
}

func (s startTable) ratio(r startRow) float64 { return r.Wall.Seconds() / s.rows[0].Wall.Seconds() }

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

// growth tells what the largest size costs, in terms of the smallest.
func (r *results) growth(b *strings.Builder) {
	b.WriteString("\n### How cost grows\n\n| | size | plugin: CPU | peak | MB read | the floor: CPU | jq: CPU | peak |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	first := map[string]contested{}
	last := map[string]contested{}
	var names []string
	for _, c := range r.contests {
		if _, seen := first[c.name]; !seen {
			first[c.name] = c
			names = append(names, c.name)
		}
		last[c.name] = c
	}
	for _, name := range names {
		from, to := first[name], last[name]
		if from.size == to.size {
			continue
		}
		times := func(kind int, of func(row) float64) string {
			small, ok := from.of(kind)
			large, too := to.of(kind)
			if !ok || !too || of(small) == 0 {
				return ""
			}
			return fmt.Sprintf("× %.3g", of(large)/of(small))
		}
		cpu := func(r row) float64 { return cpu(r.cost) }
		peak := func(r row) float64 { return r.mib() }
		fmt.Fprintf(b, "| %s, %s to %s %s | × %.3g | %s | %s | %s | %s | %s | %s |\n", name, thousands(from.size), thousands(to.size), to.unit, float64(to.size)/float64(from.size),
			times(kindPlugin, cpu), times(kindPlugin, peak), times(kindPlugin, func(r row) float64 { return float64(r.bytes) }),
			times(kindFloor, cpu), times(kindShell, cpu), times(kindShell, peak))
	}
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
