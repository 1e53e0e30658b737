package nomad

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
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
	if o.TokenFile != "" {
		s.waiting("the token in %s", web.Clean(o.TokenFile))
		token, err := readToken(o.TokenFile)
		if err != nil {
			return login{}, err
		}
		l.token = token
	}
	if strings.ContainsFunc(l.token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return login{}, &Error{Misuse: true, What: "the token is not one word", Remedy: "give only the token, in " + o.option("token-file") + " or NOMAD_TOKEN"}
	}
	l.user, l.password, _ = strings.Cut(s.getenv("NOMAD_HTTP_AUTH"), ":")
	return l, nil
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

// readToken reads the file anew in each run, as secret stores replace tokens. The token is in no error.
func readToken(file string) (string, error) {
	const most = 4 << 10 // a token has 36 bytes
	data, err := readFile(file, most)
	if err != nil {
		return "", fileError("the token", file, err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", &Error{Misuse: true, What: "the token file " + web.Clean(file) + " is empty", Remedy: "write the token to it (nomad acl token create)"}
	}
	return token, nil
}

const maxPEM = 1 << 20 // of a file with certificates or a key, in bytes

func readFile(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name) // first: a pipe that nobody writes to would hang while it is opened
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a directory, a device or a pipe; name a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is larger than %d KiB", name, most>>10)
	}
	return data, err
}

func fileError(what, file string, err error) *Error {
	e := &Error{Misuse: true, What: fmt.Sprintf("cannot read %s: %s", what, web.Clean(err.Error())), Err: err}
	if errors.Is(err, fs.ErrPermission) {
		e.Remedy = "make " + web.Clean(file) + " readable for the user that runs the check (often nagios or icinga)"
	}
	return e
}

// tlsConfig follows the options, then the variables that Nomad's own command line heeds.
func (o Options) tlsConfig(s Surroundings) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: either(o.TLSServerName, s.getenv("NOMAD_TLS_SERVER_NAME"))}
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
	cert, key := either(o.ClientCert, s.getenv("NOMAD_CLIENT_CERT")), either(o.ClientKey, s.getenv("NOMAD_CLIENT_KEY"))
	switch {
	case cert == "" && key == "":
		return config, nil
	case cert == "" || key == "":
		return nil, &Error{Misuse: true, What: "a client certificate needs its key",
			Remedy: "give both " + o.option("client-cert") + " (NOMAD_CLIENT_CERT) and " + o.option("client-key") + " (NOMAD_CLIENT_KEY)"}
	}
	s.waiting("the client certificate in %s and its key in %s", web.Clean(cert), web.Clean(key))
	certPEM, err := readFile(cert, maxPEM)
	if err != nil {
		return nil, fileError("the client certificate", cert, err)
	}
	keyPEM, err := readFile(key, maxPEM)
	if err != nil {
		return nil, fileError("the key of the client certificate", key, err)
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fileError("the client certificate", cert+" or "+key, err)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

// authorities are those that may have signed the server's certificate; nil means the system's.
func (o Options) authorities(s Surroundings) (*x509.CertPool, error) {
	var files []string
	if file := either(o.CAFile, s.getenv("NOMAD_CACERT")); file != "" {
		files = []string{file}
	} else if dir := s.getenv("NOMAD_CAPATH"); dir != "" {
		var err error
		if files, err = filepath.Glob(filepath.Join(dir, "*.pem")); err != nil || len(files) == 0 {
			return nil, &Error{Misuse: true, What: "there are no *.pem files in NOMAD_CAPATH " + web.Clean(dir)}
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	pool := x509.NewCertPool()
	for _, file := range files {
		s.waiting("the certificate authority in %s", web.Clean(file))
		data, err := readFile(file, maxPEM)
		if err != nil {
			return nil, fileError("the certificate authority", file, err)
		}
		if !pool.AppendCertsFromPEM(data) {
			return nil, &Error{Misuse: true, What: "there is no certificate in " + web.Clean(file), Remedy: "name a PEM file with the authority's certificate"}
		}
	}
	return pool, nil
}
