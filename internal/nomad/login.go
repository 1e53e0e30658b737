package nomad

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"overdue/internal/web"
)

// login is who asks.
type login struct {
	token          string
	user, password string // for a proxy before Nomad
}

func (o Options) login(s Surroundings) (login, error) {
	l := login{token: s.getenv("NOMAD_TOKEN")}
	err := web.OneWord("NOMAD_TOKEN", l.token)
	if o.TokenFile != "" {
		s.waiting("the token in %s", web.Clean(o.TokenFile))
		l.token, err = web.Token(o.option("token-file"), o.TokenFile, "write the token to it (nomad acl token create)")
	}
	l.user, l.password, _ = strings.Cut(s.getenv("NOMAD_HTTP_AUTH"), ":")
	return l, cmp.Or(err, web.Maskable("NOMAD_HTTP_AUTH", l.password))
}

// authenticated adds the credentials below the recording hook.
type authenticated struct {
	next http.RoundTripper
	login
}

func (a authenticated) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if a.token != "" {
		r.Header.Set("X-Nomad-Token", a.token)
	}
	if a.user != "" || a.password != "" {
		r.SetBasicAuth(a.user, a.password)
	}
	return a.next.RoundTrip(r)
}

// tlsConfig follows the options, then the variables that Nomad's own command line heeds.
func (o Options) tlsConfig(s Surroundings) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: cmp.Or(o.TLSServerName, s.getenv("NOMAD_TLS_SERVER_NAME"))}
	if skip := s.getenv("NOMAD_SKIP_VERIFY"); skip != "" {
		var err error
		if config.InsecureSkipVerify, err = strconv.ParseBool(skip); err != nil {
			return nil, &Error{Misuse: true, What: "NOMAD_SKIP_VERIFY is neither true nor false"}
		}
	}
	var err error
	if config.RootCAs, err = o.authorities(s); err != nil {
		return nil, err
	}
	certFrom, cert := o.either(s, o.ClientCert, "client-cert", "NOMAD_CLIENT_CERT")
	_, key := o.either(s, o.ClientKey, "client-key", "NOMAD_CLIENT_KEY")
	if cert == "" && key == "" {
		return config, nil
	}
	s.waiting("the client certificate in %s and its key in %s", web.Clean(cert), web.Clean(key))
	pair, err := web.ClientCertificate(certFrom, cert, key)
	if err != nil {
		return nil, err
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// either is what an option gives or, if it is empty, a variable; and which of them it was.
func (o Options) either(s Surroundings, value, option, variable string) (source, chosen string) {
	if value != "" {
		return o.option(option), value
	}
	return variable, s.getenv(variable)
}

// authorities are those that may have signed the server's certificate; nil means the system's.
func (o Options) authorities(s Surroundings) (*x509.CertPool, error) {
	source, file := o.either(s, o.CAFile, "ca-file", "NOMAD_CACERT")
	files := []string{file}
	if dir := s.getenv("NOMAD_CAPATH"); file == "" && dir != "" {
		var err error
		source = "NOMAD_CAPATH"
		if files, err = filepath.Glob(filepath.Join(dir, "*.pem")); err != nil || len(files) == 0 {
			return nil, &Error{Misuse: true, What: "there are no *.pem files in NOMAD_CAPATH " + web.Clean(dir)}
		}
	} else if file == "" {
		return nil, nil
	}
	s.waiting("the certificate authority in %s", web.Clean(strings.Join(files, ", ")))
	return web.Authorities(source, files...)
}
