// Package kube asks a Kubernetes API server for a few kinds of objects and keeps of each only what is judged.
//
// It uses client-go for what is hard to get right (kubeconfig, credentials, TLS) and sends its own requests, because a
// monitoring plugin needs what a general client does not give: answers that are bounded in size, never-empty-by-mistake
// lists, no redirects, no waiting past the deadline, and error texts that say what to do. The typed clientset is not
// linked: it doubles the start-up time and the size of the binary.
package kube

import (
	"net/http"
	"net/url"
	"strings"
)

// Client asks one API server as one user. It may be used from several goroutines.
type Client struct {
	send  http.RoundTripper // not an http.Client, which would follow redirects and take credentials elsewhere
	base  *url.URL          // of the API server, with the path prefix of a gateway such as Rancher
	login login
	by    Surroundings
	pause pauseFunc // between tries
}

// login says where the credentials came from, for the remedies in error texts.
type login struct {
	source string // "kubeconfig /etc/icinga2/kube/config, context prod"
	remedy string // what to do when the server does not know the user
	caFile string // the file of the certificate authority, or ""
	caFix  string // what to do when the server's certificate is from another authority
	plugin string // command of the credential plugin, or ""
}

// Server returns the address of the API server as it appears in texts: "https://host:6443".
func (c *Client) Server() string {
	return clean(c.base.Scheme + "://" + c.base.Host + strings.TrimSuffix(c.base.Path, "/"))
}
