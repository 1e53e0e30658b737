package evaluation

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// parent is the job that a dispatched or periodic child belongs to, or the job itself.
func (j JobID) parent() JobID {
	for end := strings.LastIndexByte(j.Job, '/'); end > 0; end = strings.LastIndexByte(j.Job[:end], '/') {
		if isChildName(j.Job[end+1:]) {
			return JobID{j.Namespace, j.Job[:end]}
		}
	}
	return j
}

// isChildName knows the names that Nomad gives the children of a parameterized or periodic job: "dispatch-1796090259-5d561159",
// with a prefix before the time if whoever dispatches gives one, and "periodic-1796088840". It is asked for each of 200,000
// evaluations, of which a pattern would take a tenth of all time.
func isChildName(name string) bool {
	if at, ok := strings.CutPrefix(name, "periodic-"); ok {
		return only(at, "0123456789")
	}
	rest, ok := strings.CutPrefix(name, "dispatch-")
	end := strings.LastIndexByte(rest, '-')
	if !ok || end < 0 || !only(rest[end+1:], "0123456789abcdef") {
		return false
	}
	prefix := strings.LastIndexByte(rest[:end], '-')
	return prefix != 0 && only(rest[prefix+1:end], "0123456789")
}

// only says whether a text has characters of a set and no others.
func only(text, set string) bool { return text != "" && strings.Trim(text, set) == "" }

func (j JobID) isChild() bool { return j.parent() != j }

// String names a job, with its namespace where that is not the default one.
func (j JobID) String() string {
	if j.Namespace == "" || j.Namespace == "default" {
		return "job " + cut(j.Job)
	}
	return "job " + cut(j.Job) + " in namespace " + cut(j.Namespace)
}

// cut shortens a name that would leave no room for what is wrong.
func cut(name string) string {
	const most = 120
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

// command is a command of nomad's for something in the namespace of a job: "nomad job eval -namespace team-a runner/dispatch-1".
// Without -namespace and -region it would speak of another one, or of none.
func (j *judgement) command(verb string, of JobID, name string) string {
	text := "nomad " + verb
	if of.Namespace != "" && of.Namespace != "default" {
		text += " -namespace " + quote(of.Namespace)
	}
	if j.snapshot.Region != "" {
		text += " -region " + quote(j.snapshot.Region)
	}
	if strings.HasPrefix(name, "-") {
		text += " --" // it is no option
	}
	if name != "" {
		text += " " + quote(name)
	}
	return text
}

func (j *judgement) evalJob(job JobID) string { return j.command("job eval", job, job.Job) }

func (j *judgement) evalStatus(of JobID, id string) string {
	return j.command("eval status", of, short(id))
}

// overall is a command that is for the whole region.
func (j *judgement) overall(verb string) string { return j.command(verb, JobID{}, "") }

var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:@%+-]+$`) })

// quote makes a name safe to paste into a shell: whoever may submit a job chooses its name. What the output would not show as it
// is, and so a pasted command would not find, is written as an escape.
func quote(name string) string {
	altered := func(r rune) bool {
		return !unicode.IsPrint(r) || r == unicode.ReplacementChar || strings.ContainsRune("|<>", r)
	}
	switch {
	case plain().MatchString(name) && !strings.HasPrefix(name, "-"):
		return name
	case !strings.ContainsFunc(name, altered) && !strings.Contains(name, "  ") && strings.TrimSpace(name) == name:
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i, r := range name {
		switch _, size := utf8.DecodeRuneInString(name[i:]); {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1, r <= ' ', strings.ContainsRune("|<>", r):
			fmt.Fprintf(&b, `\x%02x`, name[i])
		case altered(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + "'"
}

// short is the first part of an ID, which Nomad's command line takes too.
func short(id string) string {
	if first, _, ok := strings.Cut(id, "-"); ok && len(first) == 8 {
		return first
	}
	return id
}
