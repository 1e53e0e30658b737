package kube

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// maxPages bounds a list against a server that never ends it. Kubernetes supports 150,000 pods: 300 pages.
	maxPages = 2000
	// maxObjects bounds what is kept in memory. Kubernetes supports 5,000 nodes and 150,000 pods.
	maxObjects = 200_000
	// maxObject bounds one object, in bytes. etcd takes 1.5 MiB.
	maxObject = 4 << 20
)

// List asks for all objects in pages of 500 and keeps of each only what reduce returns; false drops the object. reduce must
// not keep the pointer. T is a Kubernetes type (asked for as protobuf), an own struct with json tags, or
// metav1.PartialObjectMetadata, for which the metadata alone is asked for.
//
// An answer that is not the right kind of list is an error, never an empty list. If the list changes too much while it is
// read (410), it is read once more from the beginning; reduce then sees objects again. Errors are of type *Error.
func List[T, R any](ctx context.Context, c *Client, r Resource, q Query, reduce func(*T) (R, bool)) ([]R, error) {
	for try := 0; ; try++ {
		kept, err := listOnce(ctx, c, r, q, reduce)
		if !isExpired(err) || try == 1 {
			return kept, err
		}
	}
}

func listOnce[T, R any](ctx context.Context, c *Client, r Resource, q Query, reduce func(*T) (R, bool)) ([]R, error) {
	ask, err := listRequest[T](c, r, q)
	if err != nil {
		return nil, err
	}
	kept := []R{}
	keep := func(item *T) {
		if result, ok := reduce(item); ok {
			kept = append(kept, result)
		}
	}
	seen, token := 0, ""
	for ask.page = 1; ask.page <= maxPages; ask.page++ {
		ask.query = q.values(token)
		next := ""
		err := c.ask(ctx, ask, func(a *answer) error {
			page := pageReader[T]{want: r, omit: q.Omit, keep: keep, seen: seen}
			err := page.read(a)
			seen, next = page.seen, page.next
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case next == "":
			return kept, nil
		case next == token:
			return nil, unusable(ask, fmt.Sprintf("it never ends: page %d has the same continue token as the page before", ask.page), nil)
		}
		token = next
	}
	return nil, unusable(ask, fmt.Sprintf("it does not end after %d pages", maxPages), nil)
}

func listRequest[T any](c *Client, r Resource, q Query) (request, error) {
	ask := request{op: "list " + r.Name, resource: r, path: r.path(q.Namespace, ""), kind: "a list of " + r.Name}
	if !validSegment(q.Namespace) {
		return ask, &Error{Op: ask.op, What: "not a namespace: " + clean(q.Namespace), Remedy: "correct the name"}
	}
	kind := ""
	if _, ok := any(new(T)).(*metav1.PartialObjectMetadata); ok {
		kind = "PartialObjectMetadataList"
	}
	ask.accept = accept(isTyped[T](), c.by.JSON, kind)
	return ask, nil
}

func isTyped[T any]() bool {
	_, ok := any(new(T)).(protobufObject)
	return ok
}
