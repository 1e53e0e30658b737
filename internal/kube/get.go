package kube

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Get returns one object, with namespace "" for one that is in none. With T = metav1.PartialObjectMetadata it asks for the
// metadata only. IsNotFound tells an object that does not exist from other errors, which are of type *Error.
func Get[T any](ctx context.Context, c *Client, r Resource, namespace, name string) (*T, error) {
	ask := request{op: fmt.Sprintf("get %s/%s", r.Name, clean(name)), resource: r, path: r.path(namespace, name), kind: "the object"}
	if name == "" || !validSegment(name) || !validSegment(namespace) {
		return nil, &Error{Op: ask.op, What: "not a name", Remedy: "correct the name"}
	}
	kind := ""
	if _, ok := any(new(T)).(*metav1.PartialObjectMetadata); ok {
		kind = "PartialObjectMetadata"
	}
	ask.accept = accept(isTyped[T](), c.by.JSON, kind)
	var object *T
	err := c.ask(ctx, ask, func(a *answer) (err error) {
		object, err = readObject[T](a, r, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return object, nil
}
