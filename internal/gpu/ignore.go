package gpu

import (
	"fmt"
	"slices"
	"strings"

	"overdue/internal/plugin"

	corev1 "k8s.io/api/core/v1"
)

// TaintPattern is a taint that is meant to keep GPUs from being offered: KEY, KEY=VALUE, either with :EFFECT.
type TaintPattern struct {
	text, key, value, effect string
	anyValue                 bool
}

var effects = []string{string(corev1.TaintEffectNoSchedule), string(corev1.TaintEffectPreferNoSchedule), string(corev1.TaintEffectNoExecute)}

// parseTaint reads a pattern. An error says which part of it no taint can have.
func parseTaint(text string) (TaintPattern, error) {
	p := TaintPattern{text: text}
	rest, effect, hasEffect := strings.Cut(text, ":")
	key, value, hasValue := strings.Cut(rest, "=")
	p.key, p.value, p.effect, p.anyValue = key, value, effect, !hasValue
	const write = "; write it as key, key=value or key=value:NoSchedule"
	switch {
	case !validKey(key):
		return p, fmt.Errorf("%s is no taint's key%s", quoted(key), write)
	case !validValue(value):
		return p, fmt.Errorf("%s is no taint's value%s", quoted(value), write)
	case hasEffect && !slices.Contains(effects, effect):
		if near := nearestEffect(effect); near != "" {
			return p, fmt.Errorf("%s is no effect; did you mean %s?", quoted(effect), near)
		}
		return p, fmt.Errorf("%s is no effect: there are %s", quoted(effect), plugin.List(effects))
	}
	return p, nil
}

// nearestEffect is the effect that a misspelt one probably means, whatever its case; empty: none.
func nearestEffect(text string) string {
	var lower []string
	for _, effect := range effects {
		lower = append(lower, strings.ToLower(effect))
	}
	if at := slices.Index(lower, plugin.Nearest(strings.ToLower(text), lower)); at >= 0 {
		return effects[at]
	}
	return ""
}

func (p TaintPattern) matches(t corev1.Taint) bool {
	return p.key == t.Key && (p.anyValue || p.value == t.Value) && (p.effect == "" || p.effect == string(t.Effect))
}

// taintsValue is the flag --ignore-taint.
type taintsValue struct{ list *[]TaintPattern }

func (v taintsValue) Set(s string) error {
	p, err := parseTaint(s)
	if err == nil {
		*v.list = append(*v.list, p)
	}
	return err
}

func (v taintsValue) String() string {
	var out []string
	if v.list != nil {
		for _, p := range *v.list {
			out = append(out, p.text)
		}
	}
	return strings.Join(out, ", ")
}

func (taintsValue) Type() string { return "taint" }
