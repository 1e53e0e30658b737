package kube

import (
	"encoding/json"
	"fmt"
	"io"
)

// readObject reads one object and makes sure that it is the one asked for.
func readObject[T any](a *answer, want Resource, name string) (*T, error) {
	object := new(T)
	var apiVersion, kind, got string
	var err error
	if a.isProtobuf() {
		apiVersion, kind, err = readProtobufObject(a, object)
		got, _ = nameOf(object)
	} else {
		apiVersion, kind, got, err = readJSONObject(a, object)
	}
	if err != nil {
		return nil, err
	}
	if err := checkKind(want, apiVersion, kind, false); err != nil {
		return nil, err
	}
	if got != name {
		return nil, fmt.Errorf("it is the object %q, not %q", got, name)
	}
	return object, nil
}

func readJSONObject[T any](a *answer, object *T) (apiVersion, kind, name string, err error) {
	raw, err := io.ReadAll(a)
	if err != nil {
		return "", "", "", err
	}
	var head struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return "", "", "", plain(err)
	}
	if err := json.Unmarshal(raw, object); err != nil {
		return "", "", "", plain(err)
	}
	return head.APIVersion, head.Kind, head.Metadata.Name, nil
}

func readProtobufObject[T any](a *answer, object *T) (apiVersion, kind string, err error) {
	into, ok := any(object).(protobufObject)
	if !ok {
		return "", "", errNotAsked
	}
	w := newWire(a)
	head, err := w.envelope(func() error {
		raw, err := w.bytes()
		if err != nil {
			return err
		}
		return into.Unmarshal(raw)
	}, nil)
	return head.APIVersion, head.Kind, err
}
