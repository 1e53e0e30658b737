package kube

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"overdue/internal/web"
)

// maxHeader bounds the header of an answer, in bytes. An API server sends well under 4 KiB.
const maxHeader = 256 << 10

// transport builds the chain hook → size limit → credentials → mask → network. client-go's own transport has no limit for
// headers and reads the proxies from the process's environment.
func transport(config *rest.Config, s Surroundings) (http.RoundTripper, error) {
	stderr.Lock() // of the credential plugin
	defer stderr.Unlock()
	restore, err := muteStderr(config.ExecProvider != nil)
	if err != nil {
		return nil, err
	}
	defer restore()

	tls, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	network := &http.Transport{
		Proxy:                  config.Proxy,
		DialContext:            (&net.Dialer{}).DialContext,
		TLSClientConfig:        tls,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeader,
		// Measured with 5,000 nodes (74 MiB): gzip takes 0.5 s of CPU more (0.6 to 1.1 s) and saves three quarters of the
		// bytes, which is a minute at 10 Mbit/s. A run that ends at its deadline is worse than a slower one, so gzip stays
		// on, except where the network cannot be slow.
		DisableCompression: config.DisableCompression || isLoopback(hostname(config.Host)),
	}
	if network.Proxy == nil {
		network.Proxy = web.Proxy(s.getenv)
	}
	config.UserAgent = s.UserAgent
	authenticated, err := rest.HTTPWrappersForConfig(config, web.Mask(network))
	if err != nil {
		return nil, err
	}
	return hooked(limit{authenticated}, s), nil
}

func hooked(rt http.RoundTripper, s Surroundings) http.RoundTripper {
	if s.Transport != nil {
		return s.Transport(rt)
	}
	return rt
}

// offlineClient has no server: its answers come from the hook.
func offlineClient(s Surroundings) *Client {
	base := &url.URL{Scheme: "https", Host: "replay"}
	return &Client{send: hooked(offline{}, s), base: base, by: s, pause: noPause, login: login{source: "a recording"}}
}

type offline struct{}

func (offline) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("the recording holds no answer to this request")
}

func noPause(context.Context, time.Duration) error { return nil }

func hostname(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

var stderr sync.Mutex

// muteStderr makes a credential plugin write its stderr to nowhere: client-go hands it the process's own, which it reads
// once, while the transport is built.
func muteStderr(needed bool) (restore func(), err error) {
	if !needed {
		return func() {}, nil
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	old := os.Stderr
	os.Stderr = null
	return func() { os.Stderr = old }, nil
}
