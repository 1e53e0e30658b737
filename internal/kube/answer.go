package kube

import (
	"bufio"
	"io"
	"net/http"
	"sync"
)

// answer is the body of a 200. It remembers how its connection ended, so that a broken connection is not taken for a broken
// document.
type answer struct {
	*bufio.Reader
	mediaType string

	body  io.Reader
	bytes int64
	err   error // of the connection, but io.EOF
}

// buffers are used again: a run asks for several short answers, one after the other.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 64<<10) }}

func newAnswer(res *http.Response) *answer {
	a := &answer{mediaType: mediaType(res), body: res.Body, Reader: buffers.Get().(*bufio.Reader)}
	a.Reader.Reset(reading{a})
	return a
}

// release gives the buffer back. Nothing that was read may point into it.
func (a *answer) release() {
	a.Reader.Reset(nil)
	buffers.Put(a.Reader)
	a.Reader = nil
}

type reading struct{ *answer }

func (r reading) Read(p []byte) (int, error) {
	n, err := r.body.Read(p)
	r.bytes += int64(n)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

func (a *answer) isProtobuf() bool { return a.mediaType == protobufType }

// isHTML looks at the answer too: some proxies call their pages anything.
func (a *answer) isHTML() bool {
	if a.mediaType == "text/html" || a.mediaType == "application/xhtml+xml" {
		return true
	}
	start, _ := a.Peek(1)
	return !a.isProtobuf() && len(start) == 1 && start[0] == '<'
}
