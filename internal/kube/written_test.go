package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestWritten(t *testing.T) {
	at := func(hour int) *metav1.Time {
		v := metav1.Date(2026, 12, 1, hour, 0, 0, 0, time.UTC)
		return &v
	}
	entries := []metav1.ManagedFieldsEntry{
		{Manager: "older", Time: at(1), FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:taints":{}}}`)}},
		{Manager: "kubectl-taint", Time: at(2), FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{"f:taints":{}}}`)}},
		{Manager: "kubelet", Subresource: "status", Time: at(3), FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:taints":{}}`)}},
		{Manager: "other", Time: at(4), FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:taintsome":{}}`)}},
		{Manager: "timeless", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:taints":{}}`)}},
	}
	if when, by := Written(entries, "taints"); by != "kubectl-taint" || !when.Equal(at(2).Time) {
		t.Errorf("%v by %q", when, by)
	}
	if when, by := Written(entries, "labels"); by != "" || !when.IsZero() {
		t.Errorf("%v by %q", when, by)
	}
}

func TestOptional(t *testing.T) {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	for _, silent := range []error{nil, &Error{Status: 404, Reason: "NotFound"}, &Error{Status: 404, Reason: reasonNoGroup}} {
		if err := Optional(t.Context(), silent, note, "cost"); err != nil || len(notes) > 0 {
			t.Errorf("%v: %v, %q", silent, err, notes)
		}
	}
	if err := Optional(t.Context(), &Error{Status: 403, What: "no right"}, note, "cost"); err != nil || len(notes) != 1 || notes[0] != "cost: no right" {
		t.Errorf("%v, %q", err, notes)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Optional(ended, context.Canceled, note, "cost"); !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "cost: ") {
		t.Errorf("%v", err)
	}
}
