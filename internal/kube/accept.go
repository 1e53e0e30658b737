package kube

import "strings"

const (
	protobufType = "application/vnd.kubernetes.protobuf"
	jsonType     = "application/json"
	metaGroup    = "meta.k8s.io/v1"
)

// protobufObject is what the generated Kubernetes types have and our own structs have not.
type protobufObject interface{ Unmarshal([]byte) error }

// accept returns the media types to ask for. Protobuf costs a third of JSON's time; custom resources have none unless only
// their metadata is asked for, so JSON is always offered too (else the server answers 406).
func accept(typed, jsonOnly bool, metadataKind string) string {
	suffix := ""
	if metadataKind != "" {
		suffix = ";as=" + metadataKind + ";g=meta.k8s.io;v=v1"
	}
	types := []string{jsonType + suffix}
	if typed && !jsonOnly {
		types = []string{protobufType + suffix, jsonType + suffix}
	}
	return strings.Join(types, ",")
}
