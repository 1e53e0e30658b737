package kube

import "encoding/binary"

// A node's status (field 3) names its images (8), and the volumes in use (9) and attached (10): half of its size and most of its
// strings, and nothing that is judged (k8s.io/api/core/v1/generated.proto). In answers in protobuf they are left out before decoding.
const (
	nodeStatus                = 3
	firstUnjudged, noUnjudged = 8, 11
)

var nodesResource = Resource{Version: "v1", Name: "nodes"}

// lean appends to dst what a node has besides. What is not good protobuf is appended as it is, for the decoder to say why.
func lean(dst, node []byte) []byte {
	start := len(dst)
	for rest := node; len(rest) > 0; {
		field, size, value := protobufField(rest)
		if size == 0 {
			return append(dst[:start], node...)
		}
		if field != nodeStatus || value == nil {
			dst, rest = append(dst, rest[:size]...), rest[size:]
			continue
		}
		length := 0
		good := judged(value, func(field []byte) { length += len(field) })
		if !good {
			return append(dst[:start], node...)
		}
		dst = binary.AppendUvarint(append(dst, nodeStatus<<3|lengthDelimited), uint64(length))
		judged(value, func(field []byte) { dst = append(dst, field...) })
		rest = rest[size:]
	}
	return dst
}

// judged yields the fields of a status that are kept. It returns false when it comes to what is not good protobuf.
func judged(status []byte, yield func(field []byte)) bool {
	for len(status) > 0 {
		field, size, _ := protobufField(status)
		if size == 0 {
			return false
		}
		if field < firstUnjudged || field >= noUnjudged {
			yield(status[:size])
		}
		status = status[size:]
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
