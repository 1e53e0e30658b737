package kube

import (
	"fmt"
	"strings"
)

// pageReader reads one page of a list, item by item, so that never more than one object is in memory besides what is kept.
type pageReader[T any] struct {
	want Resource
	omit Omit
	keep func(*T)
	seen int    // objects so far, of all pages
	next string // continue token
}

func (p *pageReader[T]) read(a *answer) error {
	if a.isProtobuf() {
		return p.readProtobuf(a)
	}
	return p.readJSON(a)
}

// item takes one decoded object. Each has a name, so an object without one is not an object of the API.
func (p *pageReader[T]) item(object *T, name string) error {
	if name == "" {
		return fmt.Errorf("item %d has no metadata.name", p.seen)
	}
	if !validName(name) {
		return fmt.Errorf("item %d has a name that no object can have: %s", p.seen, clean(name))
	}
	if o, ok := any(object).(interface{ GetNamespace() string }); ok && !validName(o.GetNamespace()) {
		return fmt.Errorf("item %d is in a namespace that cannot be: %s", p.seen, clean(o.GetNamespace()))
	}
	if p.seen++; p.seen > maxObjects {
		return fmt.Errorf("it holds more than %d objects", maxObjects)
	}
	p.keep(object)
	return nil
}

// validName is the rule that the API server holds all names to (DNS-1123 subdomain; RBAC's may hold colons): what breaks it did
// not come from an API server, and would go into commands that people copy.
func validName(name string) bool {
	return len(name) <= 253 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' && r != ':'
	})
}

// checkKind refuses what is not the expected list or, with list false, object.
func checkKind(want Resource, apiVersion, kind string, list bool) error {
	single, isList := strings.CutSuffix(kind, "List")
	if list && !isList || !list && kind == "PartialObjectMetadataList" {
		return fmt.Errorf("its kind is %q", kind)
	}
	if !list {
		single = kind
	}
	if single == "PartialObjectMetadata" && apiVersion == metaGroup {
		return nil
	}
	if !want.isKind(single) || apiVersion != want.apiVersion() {
		return fmt.Errorf("its kind is %q of apiVersion %q, not of %s in %s", kind, apiVersion, want.Name, want.apiVersion())
	}
	return nil
}

// nameOf returns the name of a Kubernetes object; ok is false for our own structs.
func nameOf(object any) (name string, ok bool) {
	named, ok := object.(interface{ GetName() string })
	if !ok {
		return "", false
	}
	return named.GetName(), true
}
