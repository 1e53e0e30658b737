package kube

import (
	"bytes"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Written finds in managedFields when, and by which program, a field was last written. The time is that of the program's last
// write of any field of its entry, so the field cannot be younger. Status entries hold fields of the same name and are passed
// over. The field's path is looked for as text: decoding thousands of entries would cost more than all the rest.
func Written(entries []metav1.ManagedFieldsEntry, field string) (time.Time, string) {
	var at time.Time
	var by string
	key := []byte(`"f:` + field + `"`)
	for _, e := range entries {
		if e.Subresource == "" && e.Time != nil && e.FieldsV1 != nil && e.Time.After(at) && bytes.Contains(e.FieldsV1.GetRawBytes(), key) {
			at, by = e.Time.Time, e.Manager
		}
	}
	return at, by
}
