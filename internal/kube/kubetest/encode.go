package kubetest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// format is what a request's Accept header leads to.
type format struct{ protobuf, partial bool }

// formatFor takes the first media type that the kind has; ok is false if it has none of them (406).
func formatFor(accept string, hasProtobuf bool) (f format, ok bool) {
	for _, item := range strings.Split(accept, ",") {
		f := format{partial: strings.Contains(item, "as=PartialObjectMetadata")}
		media, _, _ := strings.Cut(strings.TrimSpace(item), ";")
		switch media {
		case protobufType:
			if f.protobuf = true; hasProtobuf || f.partial {
				return f, true
			}
		case "application/json", "*/*", "":
			return f, true
		}
	}
	return format{}, false
}

func (o *object) in(f format) []byte {
	form := o.full
	if f.partial {
		form = o.partial
	}
	if f.protobuf {
		return form.protobuf
	}
	return form.json
}

func writeObject(w http.ResponseWriter, r *http.Request, o *object) {
	f, ok := formatFor(r.Header.Get("Accept"), o.full.protobuf != nil)
	if !ok {
		writeNotAcceptable(w)
		return
	}
	if !f.protobuf {
		write(w, "application/json", o.in(f))
		return
	}
	head := runtime.TypeMeta{APIVersion: o.resource.apiVersion, Kind: o.kind}
	if f.partial {
		head = runtime.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}
	}
	write(w, protobufType, envelope(head, o.in(f)))
}

func writeObjects(w http.ResponseWriter, r *http.Request, t target, objects []*object, next string) {
	k := kind{t.resource.apiVersion, t.kind}
	f, ok := formatFor(r.Header.Get("Accept"), kinds[k] != nil)
	if !ok {
		writeNotAcceptable(w)
		return
	}
	head := runtime.TypeMeta{APIVersion: k.apiVersion, Kind: k.name + "List"}
	if f.partial {
		head = runtime.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}
	}
	meta := metav1.ListMeta{ResourceVersion: "4711", Continue: next}
	if f.protobuf {
		write(w, protobufType, protobufList(head, meta, objects, f))
		return
	}
	write(w, "application/json", jsonList(head, meta, objects, f))
}

func protobufList(head runtime.TypeMeta, meta metav1.ListMeta, objects []*object, f format) []byte {
	list := appendField(nil, 1, must(meta.Marshal()))
	for _, o := range objects {
		list = appendField(list, 2, o.in(f))
	}
	return envelope(head, list)
}

// envelope is what k8s.io/apimachinery/pkg/runtime/serializer/protobuf writes.
func envelope(head runtime.TypeMeta, raw []byte) []byte {
	unknown := runtime.Unknown{TypeMeta: head, Raw: raw}
	return append([]byte("k8s\x00"), must(unknown.Marshal())...)
}

func appendField(to []byte, field byte, value []byte) []byte {
	to = append(to, field<<3|2)
	to = binary.AppendUvarint(to, uint64(len(value)))
	return append(to, value...)
}

func jsonList(head runtime.TypeMeta, meta metav1.ListMeta, objects []*object, f format) []byte {
	items := make([][]byte, len(objects))
	for i, o := range objects {
		items[i] = o.in(f)
	}
	text := must(json.Marshal(map[string]any{"apiVersion": head.APIVersion, "kind": head.Kind, "metadata": meta}))
	text = append(text[:len(text)-1], `,"items":[`...)
	return append(append(text, bytes.Join(items, []byte(","))...), "]}\n"...)
}

func write(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-cache, private")
	w.Write(body)
}

// writeStatus answers with a Status object, as recorded from a real server.
func writeStatus(w http.ResponseWriter, code int, reason, message string, details map[string]any) {
	status := map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure",
		"message": message, "reason": reason, "code": code}
	if details != nil {
		status["details"] = details
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	w.Write(must(json.Marshal(status)))
}

func writeNotAcceptable(w http.ResponseWriter) {
	writeStatus(w, 406, "NotAcceptable", "only the following media types are accepted: application/json, application/yaml", nil)
}
