package machineconfig

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"overdue/internal/plugin"
)

// degraded: a node's daemon could not do what it was told. The node's own annotation is the source: the pool's message may be
// empty, and its count is wrong in some releases (OCPBUGS-44290).
func (j *judgement) degraded() {
	r := j.rollout
	if len(r.failed) == 0 {
		return
	}
	first := r.failed[0]
	f := plugin.Finding{State: plugin.Critical, Since: first.StateWritten, AtLeast: true,
		Problem: fmt.Sprintf("%d of %s degraded", len(r.failed), plugin.Count(len(r.nodes), "node")),
		Cause:   first.Name + ": " + reason(first)}
	if cond := j.pool.Conditions[condNodeDegraded]; cond.True {
		f.Since, f.AtLeast = cond.Since, false
	}
	var holder string
	holder, f.Remedy = j.cure(first)
	f.Cause = joined(f.Cause, holder)
	if n := r.outdated(); n > 0 {
		_, since := j.pending()
		f.Consequence = fmt.Sprintf("the daemon tries again by itself; %s waiting%s", plugin.Count(n, "outdated node"), ago(since.Time, j.now))
	} else {
		f.Consequence = fmt.Sprintf("it uses up maxUnavailable %d: the next change will not start", r.pool.maxUnavailable(len(r.nodes)))
	}
	for _, n := range r.failed[1:] {
		f.Details = append(f.Details, n.Name+": "+reason(n))
	}
	if !j.pool.Paused {
		f.Details = append(f.Details, j.held("")...)
	}
	j.add(f)
}

func reason(n Node) string {
	if n.Reason == "" {
		return "state " + n.State + ", no reason given"
	}
	return strings.TrimSuffix(n.Reason, ". Please see machine-config-controller logs for more information")
}

// Patterns are compiled when they are first needed, which a run that finds all well never does.
var (
	diskMismatch  = pattern(`(?:content mismatch for file|mode mismatch for file:?) "?([^" ]+)"?`)
	missingConfig = pattern(`machineconfig\S* "?(rendered-[^" ]+)"? not found`)
)

func pattern(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

// cure knows the reasons that are reported most; for a drain it also says what holds it.
func (j *judgement) cure(n Node) (holder, remedy string) {
	switch text := n.Reason; {
	case strings.Contains(text, "failed to drain"):
		return j.drainHolder(n)
	case diskMismatch().MatchString(text):
		return "", fmt.Sprintf("undo the change of %s on %s, or bring it into a MachineConfig; the daemon looks again by itself", diskMismatch().FindStringSubmatch(text)[1], n.Name)
	case strings.Contains(text, "unexpected on-disk state"):
		return "", "undo what was changed by hand on " + n.Name + "; the daemon looks again by itself"
	case missingConfig().MatchString(text):
		return "", "restore MachineConfig " + missingConfig().FindStringSubmatch(text)[1] + ", it was deleted while nodes need it"
	case strings.Contains(text, "podman pull"), strings.Contains(text, "pulling image"), strings.Contains(text, "ErrImagePull"):
		return "", "see that " + n.Name + " reaches its registry or mirror with the cluster's pull secret; the daemon tries again by itself"
	}
	return "", "oc describe node " + n.Name
}

// cannotRender: a MachineConfig is broken, so the pool's target does not move; its nodes look fine.
func (j *judgement) cannotRender() {
	if c := j.pool.Conditions[condRenderDegraded]; c.True {
		j.add(plugin.Finding{State: plugin.Critical, Since: c.Since, Problem: "cannot render its configuration", Cause: c.Message,
			Consequence: "no change reaches its nodes, they stay at " + j.pool.Target,
			Remedy:      fmt.Sprintf("mend or delete the newest MachineConfig of this pool: oc get mc --sort-by=.metadata.creationTimestamp -l machineconfiguration.openshift.io/role=%s", j.pool.Name)})
	}
}

// degradedUntold: the pool says that it is degraded, and nothing that was read says why.
func (j *judgement) degradedUntold() {
	for _, name := range []string{condNodeDegraded, condDegraded} {
		if c := j.pool.Conditions[name]; c.True && len(j.findings) == 0 {
			j.add(plugin.Finding{State: plugin.Critical, Since: c.Since, Problem: "degraded, though none of its nodes is", Cause: c.Message,
				Remedy: "oc describe mcp " + j.pool.Name})
		}
	}
}

func (j *judgement) imageBuildFailed() {
	for _, name := range []string{condImageBuildDegraded, condBuildFailed, condBuildInterrupted} {
		c := j.pool.Conditions[name]
		if !c.True {
			continue
		}
		f := plugin.Finding{State: plugin.Critical, Since: c.Since, Problem: "the build of its OS image failed", Cause: c.Message,
			Consequence: "no node is updated until a build succeeds",
			Remedy:      "oc -n openshift-machine-config-operator get machineosbuilds,pods -l machineconfiguration.openshift.io/target-machine-config-pool=" + j.pool.Name}
		if name == condBuildInterrupted {
			f.Problem = "the build of its OS image was interrupted"
		}
		if build := j.snapshot.FailedBuilds[j.pool.Name]; build != "" {
			f.Problem += " (MachineOSBuild " + build + ")"
		}
		j.add(f)
		return
	}
}
