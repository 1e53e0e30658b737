// Package poseidon asks Poseidon's API for its pre-warming pools, and has one refilled. It knows three of its routes, and never
// sends `fetch`, which empties pools.
package poseidon

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"overdue/internal/web"
)

// Options says which Poseidon to ask and as whom. What is empty is looked for in the environment.
type Options struct {
	Address       string // URL; default $POSEIDON_ADDR, then http://127.0.0.1:7200
	TokenFile     string // default $POSEIDON_TOKEN
	CAFile        string // default the system's authorities
	ClientCert    string
	ClientKey     string
	TLSServerName string
}

// AddFlags declares the options on a flag set.
func (o *Options) AddFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Address, "address", "", "`URL` of Poseidon, without /api/v1: https://HOST:7200 (default $POSEIDON_ADDR, then http://127.0.0.1:7200)")
	fs.StringVar(&o.TokenFile, "token-file", "", "`FILE` with the token, server.token of Poseidon's configuration (default $POSEIDON_TOKEN)")
	fs.StringVar(&o.CAFile, "ca-file", "", "`FILE` (PEM) with the certificate authority (default the system's)")
	fs.StringVar(&o.ClientCert, "client-cert", "", "`FILE` (PEM) with the client certificate, for a proxy that wants one")
	fs.StringVar(&o.ClientKey, "client-key", "", "`FILE` (PEM) with its key")
	fs.StringVar(&o.TLSServerName, "tls-server-name", "", "`NAME` to find in the server's certificate (default the host of the address)")
}

// Surroundings is what the client takes from the program it runs in.
type Surroundings struct {
	Getenv    func(string) string // reads the environment
	UserAgent string              // "overdue/1.2.3 check_prewarm_pool"

	// Transport wraps the client's transport to record or replay answers. It sees requests before the token is added, and answers
	// that are cut at MaxAnswer.
	Transport func(http.RoundTripper) http.RoundTripper

	// Waiting is told before each request what it waits for.
	Waiting func(format string, args ...any)

	Offline bool // replay: no token, certificates or network needed
}

func (o Options) address(s Surroundings) (*url.URL, error) {
	text, source := o.Address, "--address"
	if text == "" {
		if text, source = s.Getenv("POSEIDON_ADDR"), "POSEIDON_ADDR"; text == "" {
			text = "http://127.0.0.1:7200"
		}
	}
	const form = "give it as http://HOST:7200 or https://HOST:7200"
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, &Error{What: source + " is not a URL", Remedy: form, misuse: true}
	case u.User != nil:
		return nil, &Error{What: source + " holds a user's name or password", Remedy: "give Poseidon's token in --token-file", misuse: true}
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, &Error{What: source + ": " + web.Clean(text) + " is not an address of Poseidon", Remedy: form, misuse: true}
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

func (o Options) token(s Surroundings) (string, error) {
	if o.TokenFile != "" {
		s.Waiting("the file %s", o.TokenFile)
		return web.Token("--token-file", o.TokenFile, "write the token to it (server.token of Poseidon's configuration)")
	}
	token := s.Getenv("POSEIDON_TOKEN")
	return token, web.OneWord("POSEIDON_TOKEN", token)
}

// tlsConfig offers TLS 1.2 for a proxy; Poseidon itself takes 1.3 only (internal/config/config.go).
func (o Options) tlsConfig(s Surroundings) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: o.TLSServerName}
	if o.CAFile != "" {
		s.Waiting("the file %s", o.CAFile)
		pool, err := web.Authorities("--ca-file", o.CAFile)
		if err != nil {
			return nil, err
		}
		config.RootCAs = pool
	}
	if o.ClientCert != "" || o.ClientKey != "" {
		s.Waiting("the file %s", o.ClientCert)
		pair, err := web.ClientCertificate("--client-cert", o.ClientCert, o.ClientKey)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
