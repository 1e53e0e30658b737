package machineconfig

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// crowded is a node that is held, with many pods in several namespaces, each with one budget that it meets and many that it does not.
func crowded(pods, budgets, namespaces int) Prospect {
	p := foreseen(fleet(3, on("w-01", outdated, cordoned(time.Hour, "oc"))))
	for i := range pods {
		runs("w-01", pod(fmt.Sprintf("ns-%d", i%namespaces), fmt.Sprintf("app-%d", i), "Job j"))(&p)
	}
	for i := range budgets {
		p.Budgets = append(p.Budgets, Budget{Namespace: fmt.Sprintf("ns-%d", i%namespaces), Name: fmt.Sprintf("b-%d", i),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprintf("app-%d", i)}}})
	}
	return p
}

// What is prepared for a budget is prepared once, and not for each pod: allocations tell it without a clock.
func TestBudgetsArePreparedOnce(t *testing.T) {
	const pods, budgets = 100, 100
	p := crowded(pods, budgets, 1)
	foresee := func() { Foresee(p, []Target{{targetNode, "w-01"}}, defaults(), noon) }
	with := testing.AllocsPerRun(3, foresee)
	p.Budgets = nil
	without := testing.AllocsPerRun(3, foresee)
	if spent := with - without; spent > 30*(pods+budgets) {
		t.Errorf("%d pods and %d budgets cost %.0f allocations", pods, budgets, spent)
	}
}

func BenchmarkForesee(b *testing.B) {
	for _, namespaces := range []int{1, 100} {
		b.Run(fmt.Sprintf("2500 pods, 2000 budgets, %d namespaces", namespaces), func(b *testing.B) {
			p := crowded(2500, 2000, namespaces)
			for b.Loop() {
				Foresee(p, []Target{{targetNode, "w-01"}}, defaults(), noon)
			}
		})
	}
}
