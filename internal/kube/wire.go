package kube

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"k8s.io/apimachinery/pkg/runtime"
)

// protobufMagic starts every protobuf answer; a runtime.Unknown follows
// (k8s.io/apimachinery/pkg/runtime/serializer/protobuf).
const protobufMagic = "k8s\x00"

// lengthDelimited is the wire type of strings and messages (protobuf.dev/programming-guides/encoding).
const lengthDelimited = 2

var (
	errCutOff  = errors.New("the protobuf is cut off")
	errGarbage = errors.New("not good protobuf")
)

// wire reads protobuf from a stream, without ever trusting a length: memory grows only with what has arrived.
type wire struct {
	r    *bufio.Reader
	left int64 // bytes until the end of the message being read
	buf  bytes.Buffer
	lean []byte // the present object, without what is not judged
}

func newWire(a *answer) *wire { return &wire{r: a.Reader, left: MaxAnswer} }

// envelope reads the runtime.Unknown around an answer: field 1 is the TypeMeta, which check judges before raw reads field 2,
// the object. Both must be there, in this order, as apiserver writes them.
func (w *wire) envelope(raw func() error, check func(runtime.TypeMeta) error) (head runtime.TypeMeta, err error) {
	magic := make([]byte, len(protobufMagic))
	if _, err := io.ReadFull(w.r, magic); err != nil || string(magic) != protobufMagic {
		return head, errGarbage
	}
	typed, done := false, false
	for {
		if _, err := w.r.Peek(1); err == io.EOF {
			break
		} else if err != nil {
			return head, err
		}
		field, kind, err := w.tag()
		if err != nil {
			return head, err
		}
		switch {
		case field == 1 && kind == lengthDelimited && !typed:
			typed = true
			var b []byte
			if b, err = w.bytes(); err == nil {
				err = head.Unmarshal(b)
			}
			if err == nil && check != nil {
				err = check(head)
			}
		case field == 2 && kind == lengthDelimited && typed && !done:
			done = true
			err = raw()
		case field <= 2:
			err = errGarbage
		default:
			err = w.skip(kind)
		}
		if err != nil {
			return head, err
		}
	}
	if !done {
		return head, errCutOff
	}
	return head, nil
}

// within reads a nested message of the given length with read, which must use it up.
func (w *wire) within(length int64, read func() error) error {
	outer := w.left - length
	w.left = length
	if err := read(); err != nil {
		return err
	}
	w.left = outer
	return nil
}

func (w *wire) ReadByte() (byte, error) {
	if w.left <= 0 {
		return 0, errGarbage
	}
	b, err := w.r.ReadByte()
	if err == io.EOF {
		err = errCutOff
	}
	w.left--
	return b, err
}

func (w *wire) varint() (uint64, error) {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		b, err := w.ReadByte()
		if err != nil {
			return 0, err
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
	return 0, errGarbage
}

func (w *wire) tag() (field uint64, kind int, err error) {
	v, err := w.varint()
	if err == nil && v>>3 == 0 {
		err = errGarbage
	}
	return v >> 3, int(v & 7), err
}

// length reads the length of what follows, which must fit into the message around it.
func (w *wire) length() (int64, error) {
	n, err := w.varint()
	if err == nil && n > uint64(w.left) {
		err = errGarbage
	}
	return int64(n), err
}

// bytes reads a length-delimited value. It is good until the next call.
func (w *wire) bytes() ([]byte, error) {
	n, err := w.length()
	if err != nil {
		return nil, err
	}
	if n > maxObject {
		return nil, errTooLargeObject
	}
	w.buf.Reset()
	got, err := io.CopyN(&w.buf, w.r, n)
	w.left -= got
	if err == io.EOF {
		err = errCutOff
	}
	return w.buf.Bytes(), err
}

// skip passes over a value of a field that is not needed.
func (w *wire) skip(kind int) (err error) {
	var n int64
	switch kind {
	case 0:
		_, err = w.varint()
		return err
	case 1:
		n = 8
	case lengthDelimited:
		n, err = w.length()
	case 5:
		n = 4
	default:
		return errGarbage
	}
	if err != nil {
		return err
	}
	if n > w.left {
		return errGarbage
	}
	got, err := io.CopyN(io.Discard, w.r, n)
	w.left -= got
	if err == io.EOF {
		err = errCutOff
	}
	return err
}
