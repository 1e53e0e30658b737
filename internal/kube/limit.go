package kube

import (
	"errors"
	"io"
	"net/http"
)

// MaxAnswer bounds one answer in bytes, decompressed. A page of 500 nodes is about 10 MiB.
const MaxAnswer = 64 << 20

var errTooLarge = errors.New("answer larger than 64 MiB")

// limit cuts the answers below the recording hook, which reads them whole.
type limit struct{ next http.RoundTripper }

func (l limit) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err == nil && res.Body != nil {
		res.Body = &limitedBody{res.Body, MaxAnswer}
	}
	return res, err
}

type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one byte more than allowed shows that there is more
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n - 1, errTooLarge
	}
	return n, err
}

// readFull reads until the buffer is full or the file ends.
func readFull(r io.Reader, buf []byte) (int, error) {
	n, err := io.ReadFull(r, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}
