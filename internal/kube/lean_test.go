package kube

import (
	"bytes"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// A node that was left out of is the same but for what is not judged.
func TestLean(t *testing.T) {
	full := bigNode(1)
	full.Spec = corev1.NodeSpec{Unschedulable: true, Taints: []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}}
	full.Status.VolumesInUse = []corev1.UniqueVolumeName{"v"}
	full.Status.VolumesAttached = []corev1.AttachedVolume{{Name: "v"}}
	full.Status.RuntimeHandlers = []corev1.NodeRuntimeHandler{{Name: "runc"}}
	raw, err := full.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	kept := NodeVolumes.lean([]byte("before"), raw)
	var got corev1.Node
	if err := got.Unmarshal(kept[len("before"):]); err != nil || len(kept) > len(raw)/2 {
		t.Fatalf("%d of %d bytes: %v", len(kept), len(raw), err)
	}
	var want corev1.Node
	if err := want.Unmarshal(raw); err != nil {
		t.Fatal(err)
	}
	want.Status.Images, want.Status.VolumesInUse, want.Status.VolumesAttached = nil, nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n%+v, want\n%+v", got, want)
	}
}

// Whatever the decoder refuses it gets whole.
func TestLeanBroken(t *testing.T) {
	for name, raw := range map[string]string{
		"a cut key": "\x80", "a cut length": "\x1a\x80", "longer than the message": "\x1a\x05a", "a cut number": "\x08\x80", "four bytes, cut": "\x0d123",
		"eight bytes, cut": "\x091234567", "a group": "\x0b\x0c", "broken within the status": "\x1a\x02\x42\x05", "a length beyond all": "\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"a good field before": "\x12\x00\x1a\x05a", "a status that is a number": "\x18\x01",
	} {
		if got := NodeVolumes.lean(nil, []byte(raw)); !bytes.Equal(got, []byte(raw)) {
			t.Errorf("%s: %q became %q", name, raw, got)
		}
	}
}
