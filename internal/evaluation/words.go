package evaluation

import (
	"regexp"
	"strings"
	"sync"
)

// verb is the form of a verb that goes with a number.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// children are the jobs that Nomad makes from a parameterized or periodic one. Who dispatches may put a prefix before the time.
var children = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+)/(dispatch-(?:.+-)?\d+-[0-9a-f]+|periodic-\d+)$`)
})

// parent is the job that a dispatched or periodic child belongs to, or the job itself.
func (j JobID) parent() JobID {
	if m := children().FindStringSubmatch(j.Job); m != nil {
		return JobID{j.Namespace, m[1]}
	}
	return j
}

func (j JobID) isChild() bool { return j.parent() != j }

// String names a job, with its namespace where that is not the default one.
func (j JobID) String() string {
	if j.Namespace == "" || j.Namespace == "default" {
		return "job " + j.Job
	}
	return "job " + j.Job + " in namespace " + j.Namespace
}

// command is a command of nomad's for a job: "nomad job eval -namespace team-a runner/dispatch-1".
func (j JobID) command(verb string) string {
	text := "nomad job " + verb
	if j.Namespace != "" && j.Namespace != "default" {
		text += " -namespace " + quote(j.Namespace)
	}
	return text + " " + quote(j.Job)
}

var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:@%+-]+$`) })

// quote makes a name safe to paste into a shell: whoever may submit a job chooses its name.
func quote(name string) string {
	if plain().MatchString(name) && !strings.HasPrefix(name, "-") {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// short is the first part of an ID, which Nomad's command line takes too.
func short(id string) string {
	if first, _, ok := strings.Cut(id, "-"); ok && len(first) == 8 {
		return first
	}
	return id
}
