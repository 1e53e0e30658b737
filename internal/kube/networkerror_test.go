package kube

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
)

// TestNetworkErrors feeds errors that cannot be had on this machine alone.
func TestNetworkErrors(t *testing.T) {
	dial := func(err error) error {
		return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 6443}, Err: os.NewSyscallError("connect", err)}
	}
	for _, test := range []struct {
		err        error
		text, hint string
	}{
		{dial(syscall.EHOSTUNREACH), "no route to replay (192.0.2.1:6443)", "check the network and the address"},
		{dial(syscall.ENETUNREACH), "no route to replay (192.0.2.1:6443)", "check the network and the address"},
		{dial(syscall.ECONNREFUSED), "connection refused by replay (192.0.2.1:6443)", "is the API server running, and is the address right?"},
		{syscall.ECONNRESET, "https://replay broke the connection", "look at the API server and the load balancer before it"},
		{&net.DNSError{Err: "no such host", Name: "api.example", IsNotFound: true}, "no such host: api.example", "check the name in the address https://replay"},
		{&net.DNSError{Err: "server misbehaving", Name: "api.example"}, "cannot look up api.example: server misbehaving", "check the name server of this machine"},
		{&net.OpError{Op: "proxyconnect", Net: "tcp", Err: syscall.ECONNREFUSED}, "the proxy does not answer: proxyconnect tcp: connection refused",
			"check HTTPS_PROXY, or set NO_PROXY for replay"},
		{errors.New(`net/http: HTTP/1.x transport connection broken: malformed MIME header line: "a b"`), `the answer of https://replay is not HTTP: net/http: HTTP/1.x transport connection broken: malformed MIME header line: "a b"`,
			"is this the address of a Kubernetes API server, and http or https right?"},
	} {
		client, err := Connect(Options{}, Surroundings{Offline: true, Transport: func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(*http.Request) (*http.Response, error) { return nil, test.err })
		}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = List(context.Background(), client, nodes, Query{}, nodeName)
		wantError(t, nil, err, "cannot list nodes: "+test.text, test.hint)
	}
}

func TestOfflineNeedsNothing(t *testing.T) {
	client, err := Connect(Options{Kubeconfig: "/does/not/exist"}, Surroundings{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = List(context.Background(), client, nodes, Query{}, nodeName)
	wantError(t, nil, err, "cannot list nodes: no answer from https://replay: the recording holds no answer to this request", "")
}
