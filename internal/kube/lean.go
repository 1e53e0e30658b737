package kube

import (
	"encoding/binary"
	"slices"
)

// Omit names what need not be decoded of an object: fields by the message within it that holds them, all by their numbers
// (k8s.io/api/core/v1/generated.proto). In answers in protobuf they are left out before decoding.
type Omit map[uint64][]uint64

// NodeVolumes are, in the status of a node, its images and the volumes in use and attached: half of its size and most of its strings.
var NodeVolumes = Omit{3: {8, 9, 10}}

// lean appends to dst what an object has besides. What is not good protobuf is appended as it is, for the decoder to say why.
func (o Omit) lean(dst, object []byte) []byte {
	start := len(dst)
	for rest := object; len(rest) > 0; {
		field, size, value := protobufField(rest)
		if size == 0 {
			return append(dst[:start], object...)
		}
		omitted := o[field]
		if omitted == nil || value == nil {
			dst, rest = append(dst, rest[:size]...), rest[size:]
			continue
		}
		length := 0
		good := kept(value, omitted, func(field []byte) { length += len(field) })
		if !good {
			return append(dst[:start], object...)
		}
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, field<<3|lengthDelimited), uint64(length))
		kept(value, omitted, func(field []byte) { dst = append(dst, field...) })
		rest = rest[size:]
	}
	return dst
}

// kept yields the fields of a message that are not omitted. It returns false when it comes to what is not good protobuf.
func kept(message []byte, omitted []uint64, yield func(field []byte)) bool {
	for len(message) > 0 {
		field, size, _ := protobufField(message)
		if size == 0 {
			return false
		}
		if !slices.Contains(omitted, field) {
			yield(message[:size])
		}
		message = message[size:]
	}
	return true
}

// protobufField splits off the first field of a message: its whole size and, of a length-delimited one, its value, which is not nil
// then. A size of 0 says that it is not good protobuf, or has groups.
func protobufField(message []byte) (field uint64, size int, value []byte) {
	key, n := binary.Uvarint(message)
	if n <= 0 {
		return 0, 0, nil
	}
	field = key >> 3
	switch key & 7 {
	case 0:
		_, length := binary.Uvarint(message[n:])
		if length <= 0 {
			return 0, 0, nil
		}
		return field, n + length, nil
	case 1:
		size = n + 8
	case lengthDelimited:
		length, more := binary.Uvarint(message[n:])
		n += max(more, 0)
		if more <= 0 || length > uint64(len(message)-n) {
			return 0, 0, nil
		}
		return field, n + int(length), message[n : n+int(length)]
	case 5:
		size = n + 4
	}
	if size > len(message) {
		return 0, 0, nil
	}
	return field, size, nil
}
