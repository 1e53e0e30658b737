package nomad

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"overdue/internal/web"
)

const (
	maxItem  = 4 << 20 // of a list, in bytes: an evaluation of a job with many groups has some 10 KiB
	maxItems = 1_000_000
)

// answer is a body. It remembers how its connection ended, so that a broken connection is not taken for a broken document.
type answer struct {
	*bufio.Reader
	code      int // of the status
	mediaType string
	next      string // token of the page that follows, or ""

	body  io.Reader
	alive func() // called when something comes
	bytes int64
	left  int64 // of the present item; enough for what is read ahead
	err   error // of the connection, but io.EOF
}

func newAnswer(res *http.Response) *answer {
	a := &answer{code: res.StatusCode, mediaType: mediaType(res.Header), next: res.Header.Get("X-Nomad-NextToken"), body: res.Body, left: maxItem, alive: func() {}}
	a.Reader = bufio.NewReaderSize(reading{a}, 64<<10)
	return a
}

type reading struct{ *answer }

func (r reading) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, fmt.Errorf("%w: an item has more than %d MiB", web.ErrTooLarge, maxItem>>20)
	}
	n, err := r.body.Read(p)
	r.bytes += int64(n)
	r.left -= int64(n)
	r.alive()
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// isHTML looks at the body too: some proxies call their pages anything.
func (a *answer) isHTML() bool {
	if a.mediaType == "text/html" || a.mediaType == "application/xhtml+xml" {
		return true
	}
	start, _ := a.Peek(1)
	return len(start) == 1 && start[0] == '<'
}

// readList reads a JSON array item by item, so that never more than one is in memory besides what keep keeps.
func readList[T any](a *answer, keep func(*T) error) error {
	d := json.NewDecoder(a)
	start, err := d.Token()
	if err != nil {
		return err
	}
	if start != json.Delim('[') {
		return errors.New("it does not begin with [")
	}
	for n := 1; d.More(); n++ {
		if n > maxItems {
			return fmt.Errorf("%w: it has more than %d items", web.ErrTooLarge, maxItems)
		}
		a.left = maxItem
		var item T
		if err := d.Decode(&item); err != nil {
			return itemError(n, err)
		}
		if err := keep(&item); err != nil {
			return itemError(n, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	return end(d)
}

func itemError(n int, err error) error { return fmt.Errorf("item %d: %w", n, err) }

// readValue reads one JSON value that is not null.
func readValue[T any](a *answer) (*T, error) {
	d := json.NewDecoder(a)
	var value *T
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if value == nil {
		return nil, errors.New("it is null")
	}
	return value, end(d)
}

func end(d *json.Decoder) error {
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows its end")
	}
	return nil
}
