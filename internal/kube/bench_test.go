package kube

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bigNode has the size and the shape of a real one: 18 KB in protobuf, half of it images, a fifth managedFields.
func bigNode(i int) *corev1.Node {
	random := rand.New(rand.NewPCG(uint64(i), 1))
	n := newNode(fmt.Sprintf("node-%05d", i))
	n.Annotations = map[string]string{"machineconfiguration.openshift.io/state": "Done"}
	for j := range 30 {
		n.Labels[fmt.Sprintf("label.example/%d", j)] = fmt.Sprintf("%x", random.Uint64())
	}
	for range 3 {
		fields := make([]byte, 0, 1200)
		for len(fields) < 1100 {
			fields = fmt.Appendf(fields, `"f:field%d":{},`, random.IntN(100))
		}
		n.ManagedFields = append(n.ManagedFields, metav1.ManagedFieldsEntry{Manager: "kubelet", Operation: "Update", APIVersion: "v1",
			FieldsV1: &metav1.FieldsV1{Raw: append([]byte(`{"f:x":{},"r":"`), append([]byte(fmt.Sprintf("%q", fields)[1:]), '}')...)}})
	}
	for range 50 {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{SizeBytes: random.Int64N(1e9), Names: []string{
			fmt.Sprintf("quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:%016x%016x%016x%016x", random.Uint64(), random.Uint64(), random.Uint64(), random.Uint64()),
			"<none>@<none>", fmt.Sprintf("quay.io/openshift-release-dev/image:%d", random.IntN(1000))}})
	}
	for _, condition := range []corev1.NodeConditionType{"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"} {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: condition, Status: "False",
			Reason: "KubeletHasSufficient", Message: "kubelet has sufficient resources available", LastHeartbeatTime: metav1.Now(), LastTransitionTime: metav1.Now()})
	}
	return n
}

// BenchmarkList lists 5,000 nodes; server and client share the process, so ns/op holds the server's part too.
func BenchmarkList(b *testing.B) {
	var objects []any
	size := 0
	for i := range 5000 {
		n := bigNode(i)
		size += n.Size()
		objects = append(objects, n)
	}
	b.Logf("%d bytes of protobuf each", size/5000)
	server := start(b, objects...)
	objects = nil
	runtime.GC()
	for _, jsonOnly := range []bool{false, true} {
		b.Run(fmt.Sprintf("json=%v", jsonOnly), func(b *testing.B) {
			client, _ := connected(b, server, Surroundings{JSON: jsonOnly})
			b.ReportAllocs()
			for b.Loop() {
				got, err := List(context.Background(), client, nodes, Query{}, nodeName)
				if err != nil || len(got) != 5000 {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}
