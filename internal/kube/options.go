package kube

import (
	"net/http"

	"github.com/spf13/pflag"
)

// Options says which cluster to ask and as whom.
type Options struct {
	Kubeconfig            string // file; default $KUBECONFIG, then ~/.kube/config, then the pod's service account
	Context               string // of the kubeconfig; default its current one
	Server                string // URL; instead of a kubeconfig
	TokenFile             string // with Server
	CAFile                string // with Server; default the system's authorities
	InsecureSkipTLSVerify bool
}

// AddFlags declares the options on a flag set.
func (o *Options) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig,
		"kubeconfig `FILE` (default $KUBECONFIG, then ~/.kube/config, then the service account of the pod)")
	fs.StringVar(&o.Context, "context", o.Context, "`NAME` of the context in the kubeconfig (default its current context)")
	fs.StringVar(&o.Server, "server", o.Server, "`URL` of the API server, instead of a kubeconfig; needs --token-file")
	fs.StringVar(&o.TokenFile, "token-file", o.TokenFile, "`FILE` with the bearer token for --server")
	fs.StringVar(&o.CAFile, "ca-file", o.CAFile,
		"`FILE` (PEM) with the certificate authority of --server (default the system's authorities)")
	fs.BoolVar(&o.InsecureSkipTLSVerify, "insecure-skip-tls-verify", o.InsecureSkipTLSVerify,
		"do not verify the certificate of the API server: anybody in between can read the token")
}

// Surroundings is what the client takes from the program it runs in.
type Surroundings struct {
	// Getenv reads the environment; nil means that it is empty.
	Getenv    func(string) string
	UserAgent string // "overdue/1.2.3 check_mcp"

	// Transport, which may be nil, wraps the client's transport to record or replay answers. It sees requests before the
	// credentials are added, and decompressed answers that are cut at MaxAnswer.
	Transport func(http.RoundTripper) http.RoundTripper

	// Waiting, which may be nil, is told before each request what it waits for: "nodes from https://host:6443 (page 3)".
	Waiting func(format string, args ...any)

	JSON     bool   // ask for JSON only, so that a recording can be read by a person
	Offline  bool   // replay: no kubeconfig, credentials or network needed
	RoleFile string // named in the hint of a 403: "icinga/rbac/check-mcp.yaml"
}

func (s Surroundings) getenv(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(name)
}

func (s Surroundings) waiting(format string, args ...any) {
	if s.Waiting != nil {
		s.Waiting(format, args...)
	}
}
