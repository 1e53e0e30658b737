package kube

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"overdue/internal/kube/kubetest"
)

var (
	nodes = Resource{"", "v1", "nodes"}
	pools = Resource{"machineconfiguration.openshift.io", "v1", "machineconfigpools"}
)

// pool is an own struct, as the rooms have them.
type pool struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		MachineCount int `json:"machineCount"`
	} `json:"status"`
}

func newPool(name string, machines int) *pool {
	p := &pool{APIVersion: "machineconfiguration.openshift.io/v1", Kind: "MachineConfigPool"}
	p.Metadata.Name, p.Status.MachineCount = name, machines
	return p
}

func newNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"of": name}}, Spec: corev1.NodeSpec{ProviderID: "id-" + name}}
}

func newNodes(count int) []any {
	var objects []any
	for i := range count {
		objects = append(objects, newNode(fmt.Sprintf("node-%05d", i)))
	}
	return objects
}

// start runs a stand-in that ends with the test.
func start(t testing.TB, objects ...any) *kubetest.Server {
	server := kubetest.New(objects...)
	t.Cleanup(server.Close)
	return server
}

// connected returns a client whose pauses between tries take no time but are written to waits.
func connected(t testing.TB, server *kubetest.Server, s Surroundings) (*Client, *waits) {
	t.Helper()
	client, err := Connect(Options{Kubeconfig: server.Kubeconfig(t.TempDir())}, s)
	if err != nil {
		t.Fatal(err)
	}
	w := new(waits)
	client.pause = w.pause
	return client, w
}

type waits struct {
	mu  sync.Mutex
	all []time.Duration
}

func (w *waits) pause(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, d)
	return ctx.Err()
}

func soon(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func nodeName(n *corev1.Node) (string, bool) { return n.Name + " " + n.Spec.ProviderID, true }

// wantError asserts the whole of what a person reads of an error, with URL for the server's address.
func wantError(t *testing.T, server *kubetest.Server, err error, text, hint string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an *Error", err)
	}
	filled := strings.NewReplacer()
	if server != nil {
		filled = strings.NewReplacer("URL", server.URL())
	}
	if want := filled.Replace(text); err.Error() != want {
		t.Errorf("error\n got %s\nwant %s", err, want)
	}
	if want := filled.Replace(hint); e.Hint() != want {
		t.Errorf("hint\n got %s\nwant %s", e.Hint(), want)
	}
}

// gzipOn is the way to a server of a client that asks for gzip, which it does not on this machine.
func gzipOn(t *testing.T, server *kubetest.Server) http.RoundTripper {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}
