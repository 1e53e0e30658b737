package kube

import (
	"io"
	"net/http"

	"overdue/internal/web"
)

// MaxAnswer bounds one answer in bytes, decompressed. A page of 500 nodes is about 10 MiB.
const MaxAnswer = 64 << 20

// limit cuts the answers below the recording hook, which reads them whole.
type limit struct{ next http.RoundTripper }

func (l limit) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err == nil && res.Body != nil {
		res.Body = web.Limit(res.Body, MaxAnswer)
	}
	return res, err
}

// readFull reads until the buffer is full or the file ends.
func readFull(r io.Reader, buf []byte) (int, error) {
	n, err := io.ReadFull(r, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}
