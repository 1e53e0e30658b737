package web

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// FileError is a file of the options that cannot be used: wrong use, whatever the server would say.
type FileError struct {
	What   string
	Remedy string
	Err    error // or nil
}

func (e *FileError) Error() string { return e.What }

// Hint returns what to do, or "".
func (e *FileError) Hint() string { return e.Remedy }

// Usage says that the options are wrong.
func (e *FileError) Usage() bool { return true }

func (e *FileError) Unwrap() error { return e.Err }

const (
	maxToken       = 4 << 10 // bytes; tokens have some hundred
	maxCertificate = 1 << 20
)

// Token reads the one word in a file. It reads the file anew in each run, as secret stores replace tokens. source names the option;
// howto says what to write into an empty file. The token is in no error.
func Token(source, file, howto string) (string, error) {
	token, err := Secret(source, file, howto)
	if err != nil {
		return "", err
	}
	return token, OneWord(source, token)
}

// Secret reads all that is in a file but the blanks around it, in the same way.
func Secret(source, file, howto string) (string, error) {
	data, err := readFile(source, file, maxToken)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		return "", &FileError{What: source + ": " + Clean(file) + " is empty", Remedy: howto}
	}
	return text, nil
}

// OneWord refuses a token that cannot stand in a header, or be masked.
func OneWord(source, token string) error {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &FileError{What: source + ": the token is not one word", Remedy: "give the token and nothing else"}
	}
	return Maskable(source, token)
}

// Maskable refuses a secret that is too short for Mask: a server that echoes it would have it told to everybody. An empty one is none.
func Maskable(source, secret string) error {
	if secret != "" && len(secret) < leastSecret {
		return &FileError{What: fmt.Sprintf("%s: it is shorter than %d characters", source, leastSecret),
			Remedy: "let the server have a longer one: so short a secret cannot be masked where a server or a proxy repeats it"}
	}
	return nil
}

// Authorities reads the certificates that may have signed the server's.
func Authorities(source string, files ...string) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	for _, file := range files {
		data, err := readFile(source, file, maxCertificate)
		if err != nil {
			return nil, err
		}
		if !pool.AppendCertsFromPEM(data) {
			return nil, &FileError{What: source + ": there is no certificate in " + Clean(file), Remedy: "name a PEM file with the authority's certificate"}
		}
	}
	return pool, nil
}

// ClientCertificate reads a certificate and its key.
func ClientCertificate(source, certificate, key string) (tls.Certificate, error) {
	if certificate == "" || key == "" {
		return tls.Certificate{}, &FileError{What: source + ": a client certificate needs its key", Remedy: "give both, the certificate and the key"}
	}
	var pem [2][]byte
	for i, file := range []string{certificate, key} {
		var err error
		if pem[i], err = readFile(source, file, maxCertificate); err != nil {
			return tls.Certificate{}, err
		}
	}
	pair, err := tls.X509KeyPair(pem[0], pem[1])
	if err != nil {
		return tls.Certificate{}, &FileError{What: fmt.Sprintf("%s: %s and %s are not a certificate and its key: %s", source, Clean(certificate), Clean(key), Clean(err.Error())), Err: err}
	}
	return pair, nil
}

// readFile reads a regular file: a pipe may never end, and a device never does.
func readFile(source, name string, most int64) ([]byte, error) {
	fail := func(err error, remedy string) error {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return &FileError{What: fmt.Sprintf("%s: cannot read %s: %s", source, Clean(name), Clean(err.Error())), Remedy: remedy, Err: err}
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fail(err, "let the user that runs the check (often nagios or icinga) enter its directory")
	case err != nil:
		return nil, fail(err, "")
	case !info.Mode().IsRegular():
		return nil, fail(errors.New("it is not a regular file"), "")
	case info.Size() > most:
		return nil, fail(fmt.Errorf("it is larger than %d KiB", most>>10), "")
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fail(err, "make it readable for the user that runs the check (often nagios or icinga)")
	}
	if err != nil {
		return nil, fail(err, "")
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return nil, fail(err, "")
	case int64(len(data)) > most:
		return nil, fail(fmt.Errorf("it is larger than %d KiB", most>>10), "")
	}
	return data, nil
}
