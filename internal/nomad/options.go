package nomad

import (
	"context"
	"net/http"
	"time"

	"github.com/spf13/pflag"
)

// Options says which servers to ask and as whom. What is empty is looked for in the environment.
type Options struct {
	Addresses     []string // URLs; default $NOMAD_ADDR, then http://127.0.0.1:4646
	Region        string   // default $NOMAD_REGION, then that of the server
	TokenFile     string   // default $NOMAD_TOKEN
	CAFile        string   // default $NOMAD_CACERT and $NOMAD_CAPATH, then the system's authorities
	ClientCert    string   // default $NOMAD_CLIENT_CERT
	ClientKey     string   // default $NOMAD_CLIENT_KEY
	TLSServerName string   // default $NOMAD_TLS_SERVER_NAME

	prefix string // of the options' names
}

// AddFlags declares the options on a flag set, their names with a prefix, which may be "".
func (o *Options) AddFlags(fs *pflag.FlagSet, prefix string) {
	o.prefix = prefix
	fs.StringArrayVar(&o.Addresses, prefix+"address", nil,
		"`URL` of a server: http://HOST:4646, https://…, unix:///path; repeatable: each is pinged, and the first that is well is asked (default $NOMAD_ADDR, then http://127.0.0.1:4646)")
	fs.StringVar(&o.Region, prefix+"region", "", "`NAME` of the region (default $NOMAD_REGION, then the server's own)")
	fs.StringVar(&o.TokenFile, prefix+"token-file", "", "`FILE` with the ACL token (default $NOMAD_TOKEN)")
	fs.StringVar(&o.CAFile, prefix+"ca-file", "", "`FILE` (PEM) with the certificate authority (default $NOMAD_CACERT, $NOMAD_CAPATH, then the system's)")
	fs.StringVar(&o.ClientCert, prefix+"client-cert", "", "`FILE` (PEM) with the client certificate, for mTLS (default $NOMAD_CLIENT_CERT)")
	fs.StringVar(&o.ClientKey, prefix+"client-key", "", "`FILE` (PEM) with its key (default $NOMAD_CLIENT_KEY)")
	fs.StringVar(&o.TLSServerName, prefix+"tls-server-name", "", "`NAME` to find in the server's certificate, such as server.global.nomad (default $NOMAD_TLS_SERVER_NAME)")
}

// option is an option as the user gives it: "--nomad-token-file".
func (o Options) option(name string) string { return "--" + o.prefix + name }

// Surroundings is what the client takes from the program it runs in.
type Surroundings struct {
	// Getenv reads the environment; nil means that it is empty.
	Getenv    func(string) string
	UserAgent string // "overdue/1.2.3 check_nomad_evals"

	// Transport, which may be nil, wraps the client's transport to record or replay answers. It sees requests before the
	// token is added, and answers that are cut at MaxAnswer.
	Transport func(http.RoundTripper) http.RoundTripper

	// Waiting, which may be nil, is told before each request what it waits for.
	Waiting func(format string, args ...any)

	// Pause waits before the one repetition during an election.
	Pause func(context.Context, time.Duration) error

	Recorded   bool   // answers are recorded or replayed
	Offline    bool   // replay: no token, certificates or network needed
	PolicyFile string // named in the hint of a 403: "icinga/nomad-policy.hcl"
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

// PauseFor waits, or until the context is done.
func PauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
