package nomad

import (
	"context"
	"errors"
)

// AllNamespaces is the wildcard for lists.
const AllNamespaces = "*"

var (
	errNoID   = errors.New("it has no ID")
	errEnough = errors.New("the rest is not needed")
)

// list asks for a list and keeps of each item only what reduce returns; false drops the item. reduce must not keep the pointer.
func list[T, R any](ctx context.Context, c *Client, q question, valid func(*T) bool, reduce func(*T) (R, bool)) (kept []R, next string, err error) {
	q.state = true
	err = c.ask(ctx, q, func(a *answer) error {
		kept, next = []R{}, a.next
		return readList(a, func(item *T) error {
			if !valid(item) {
				return errNoID
			}
			if result, ok := reduce(item); ok {
				kept = append(kept, result)
			}
			return nil
		})
	})
	if err != nil {
		return nil, "", err
	}
	return kept, next, nil
}

// walk asks for a list and shows each item until each returns false: the rest is not read then. If the list is asked for again,
// because the answer broke off, each sees it from the beginning.
func walk[T any](ctx context.Context, c *Client, q question, valid func(*T) bool, each func(*T) bool) error {
	q.state = true
	return c.ask(ctx, q, func(a *answer) error {
		err := readList(a, func(item *T) error {
			switch {
			case !valid(item):
				return errNoID
			case !each(item):
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
}

func whole[T any](item *T) (T, bool) { return *item, true }

// get asks for one value.
func get[T any](ctx context.Context, c *Client, q question, valid func(*T) bool) (value *T, err error) {
	err = c.ask(ctx, q, func(a *answer) (err error) {
		if value, err = readValue[T](a); err == nil && !valid(value) {
			err = errors.New("it lacks what it must have")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return value, nil
}
