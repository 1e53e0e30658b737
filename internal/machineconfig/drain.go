package machineconfig

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"overdue/internal/plugin"
)

// drainHolder finds what keeps a drain from ending: the eviction API refuses a pod whose PodDisruptionBudget allows no
// disruption, and one that two budgets select; a pod that was evicted may take its time to go.
func (j *judgement) drainHolder(n Node) (cause, remedy string) {
	pods, guards := j.snapshot.Pods[n.Name], guardsOf(j.snapshot.Budgets)
	for _, pod := range pods {
		if !pod.Deleted.IsZero() {
			continue // it was evicted: that its budget is at 0 now comes of that
		}
		if cause, remedy := guards.refuse(pod); cause != "" {
			return cause, remedy
		}
	}
	for _, pod := range pods {
		if !pod.Deleted.IsZero() {
			return pod.lingers(j.now)
		}
	}
	if len(pods) > 0 {
		return fmt.Sprintf("%s still there, %s/%s among them", plugin.Count(len(pods), "pod"), pods[0].Namespace, pods[0].Name), "oc get pods -A --field-selector spec.nodeName=" + n.Name
	}
	return "", "oc get pdb -A; oc get pods -A --field-selector spec.nodeName=" + n.Name
}

// lingers tells of a pod that was deleted and does not go.
func (p Pod) lingers(now time.Time) (cause, remedy string) {
	return fmt.Sprintf("pod %s/%s was told to go%s and is still there", p.Namespace, p.Name, ago(p.Deleted, now)),
		fmt.Sprintf("oc -n %s describe pod %s (grace period? finalizer?)", p.Namespace, p.Name)
}

// refuse says why the eviction API refuses to evict a pod, and what to do; nothing if it does not. A pod that is pending is
// evicted whatever budgets say, one that is not ready if its only budget is lenient.
func (g guards) refuse(pod Pod) (cause, remedy string) {
	if pod.Pending {
		return "", ""
	}
	budgets := g.of(pod)
	switch {
	case len(budgets) > 1:
		var names []string
		for _, b := range budgets {
			names = append(names, b.Name)
		}
		return fmt.Sprintf("pod %s/%s is selected by %d PodDisruptionBudgets (%s) and cannot be evicted", pod.Namespace, pod.Name, len(budgets), plugin.List(names)),
			fmt.Sprintf("leave it one PodDisruptionBudget: oc -n %s get pdb", pod.Namespace)
	case len(budgets) == 1 && budgets[0].Allowed < 1 && !budgets[0].ignores(pod):
		b := budgets[0]
		return fmt.Sprintf("PodDisruptionBudget %s/%s allows 0 disruptions and holds pod %s", b.Namespace, b.Name, pod.Name), b.remedy()
	}
	return "", ""
}

// ignores says that the budget has no say in the eviction of a pod that it selects.
func (b Budget) ignores(pod Pod) bool { return pod.Pending || pod.Unready && b.Lenient }

func (b Budget) remedy() string {
	return fmt.Sprintf("ask the owner of namespace %s for a further replica (oc -n %s get pdb %s); the drain then goes on by itself", b.Namespace, b.Namespace, b.Name)
}

// guards are the budgets by namespace, each with its selector compiled: a drain may meet thousands of pods and of budgets. Those of
// virtual machines are left out: KubeVirt has them allow nothing, and migrates what is to be evicted.
type guards map[string][]guard

type guard struct {
	Budget
	selects labels.Selector
}

func guardsOf(budgets []Budget) guards {
	g := guards{}
	for _, b := range budgets {
		if s, err := metav1.LabelSelectorAsSelector(b.Selector); err == nil && !b.Migrates {
			g[b.Namespace] = append(g[b.Namespace], guard{b, s})
		}
	}
	return g
}

// of are the budgets that select a pod.
func (g guards) of(pod Pod) []Budget {
	var out []Budget
	for _, guard := range g[pod.Namespace] {
		if guard.selects.Matches(labels.Set(pod.Labels)) {
			out = append(out, guard.Budget)
		}
	}
	return out
}
