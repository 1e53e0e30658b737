package kube

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var errNotAsked = errors.New("it is protobuf, which was not asked for")

// readProtobuf reads the list item by item. Every Kubernetes list has its ListMeta in field 1 and its items in field 2
// (k8s.io/api, */generated.proto), so one reader serves all.
func (p *pageReader[T]) readProtobuf(a *answer) error {
	if !isTyped[T]() {
		return errNotAsked
	}
	w := newWire(a)
	check := func(head runtime.TypeMeta) error { return checkKind(p.want, head.APIVersion, head.Kind, true) }
	_, err := w.envelope(func() error { return p.protobufList(w) }, check)
	return err
}

func (p *pageReader[T]) protobufList(w *wire) error {
	length, err := w.length()
	if err != nil {
		return err
	}
	return w.within(length, func() error {
		for w.left > 0 {
			if err := p.protobufField(w); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *pageReader[T]) protobufField(w *wire) error {
	field, kind, err := w.tag()
	switch {
	case err != nil:
		return err
	case field == 1 && kind == lengthDelimited:
		return p.listMeta(w)
	case field == 2 && kind == lengthDelimited:
		return p.protobufItem(w)
	}
	return w.skip(kind)
}

func (p *pageReader[T]) listMeta(w *wire) error {
	raw, err := w.bytes()
	if err != nil {
		return err
	}
	var meta metav1.ListMeta
	if err := meta.Unmarshal(raw); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	p.next = meta.Continue
	return nil
}

func (p *pageReader[T]) protobufItem(w *wire) error {
	raw, err := w.bytes()
	if err != nil {
		return err
	}
	if len(p.omit) > 0 {
		w.lean = p.omit.lean(w.lean[:0], raw)
		raw = w.lean
	}
	object := new(T)
	if err := any(object).(protobufObject).Unmarshal(raw); err != nil { // copies every string out of raw
		return fmt.Errorf("item %d: %w", p.seen, err)
	}
	name, _ := nameOf(object)
	return p.item(object, name)
}
