package gpu

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// People copy commands. A key, value or effect that no API server would take came from something else, and may do in a shell what it
// will: it stands in no command.

func validKey(key string) bool { return len(validation.IsQualifiedName(key)) == 0 }

func validValue(value string) bool { return len(validation.IsValidLabelValue(value)) == 0 }

func validTaint(t corev1.Taint) bool {
	effect := t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute || t.Effect == corev1.TaintEffectPreferNoSchedule
	return effect && validKey(t.Key)
}

// some are nodes as arguments of a command.
func some(nodes []string) string { return strings.Join(nodes, " ") }
