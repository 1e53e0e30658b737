package evaluation

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"overdue/internal/plugin"
)

// selection says which jobs are judged. It is applied here and not by the servers: a filter made from a user's text can kill
// the leader.
type selection struct{ include, exclude []string }

func (s selection) validate() error {
	for _, pattern := range slices.Concat(s.include, s.exclude) {
		if strings.TrimSpace(pattern) == "" {
			return plugin.Misuse("--job and --exclude-job need a glob: an empty one matches no job (is a variable of the check's command not set?)")
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return plugin.Misuse(fmt.Sprintf("%q is no glob: a [ needs its ]", pattern))
		}
	}
	return nil
}

// String tells which jobs are judged; "" for all.
func (s selection) String() string {
	var parts []string
	if len(s.include) > 0 {
		parts = append(parts, "only jobs "+plugin.List(s.include))
	}
	if len(s.exclude) > 0 {
		parts = append(parts, "without jobs "+plugin.List(s.exclude))
	}
	return strings.Join(parts, ", ")
}

// named are the jobs that are named, not meant by a glob.
func (s selection) named() (jobs []string) {
	for _, pattern := range s.include {
		if !strings.ContainsAny(pattern, `*?[\`) {
			jobs = append(jobs, pattern)
		}
	}
	return jobs
}

// selects a job by its ID or by that of its parent.
func (s selection) selects(job JobID) bool {
	matches := func(pattern string) bool { return glob(pattern, job.Job) || glob(pattern, job.parent().Job) }
	return (len(s.include) == 0 || slices.ContainsFunc(s.include, matches)) && !slices.ContainsFunc(s.exclude, matches)
}

// glob is path.Match with a * that matches slashes too: they are ordinary characters in the ID of a job.
func glob(pattern, name string) bool {
	const slash = "\x00"
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(name, "/", slash))
	return ok
}
