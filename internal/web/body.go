package web

import (
	"errors"
	"io"
)

// ErrTooLarge ends the reading of a body that is larger than its limit.
var ErrTooLarge = errors.New("the answer is too large")

// Limit cuts a body after a number of bytes. What is cut reads as ErrTooLarge, never as the end.
func Limit(body io.ReadCloser, most int64) io.ReadCloser { return &limited{body, most} }

type limited struct {
	io.ReadCloser
	left int64
}

func (b *limited) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrTooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one byte more than allowed shows that there is more
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, ErrTooLarge
	}
	return n, err
}
