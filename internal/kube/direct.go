package kube

import (
	"crypto/x509"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
)

// direct is the way with --server, --token-file and --ca-file.
func (o Options) direct() (*rest.Config, login, error) {
	config := &rest.Config{Host: o.Server}
	from := login{source: "--server and --token-file", caFile: o.CAFile, caFix: "name the right one with --ca-file"}
	return finish(config, from, o.TokenFile, o.CAFile, o.InsecureSkipTLSVerify)
}

// inCluster is the way of a pod: address from the environment, token and authority from mounted files. client-go's own
// function reads the process's environment, which a test cannot replace.
func (o Options) inCluster(s Surroundings, dir string) (*rest.Config, login, error) {
	if o.Context != "" {
		return nil, login{}, &Error{What: "--context needs a kubeconfig, and there is none", Remedy: "give --kubeconfig FILE"}
	}
	port := s.getenv("KUBERNETES_SERVICE_PORT")
	if port == "" {
		port = "443"
	}
	config := &rest.Config{Host: "https://" + net.JoinHostPort(s.getenv("KUBERNETES_SERVICE_HOST"), port)}
	ca := filepath.Join(dir, "ca.crt")
	if o.InsecureSkipTLSVerify {
		ca = ""
	}
	from := login{source: "the service account of the pod", caFile: ca, caFix: "mount the right one into the pod"}
	return finish(config, from, filepath.Join(dir, "token"), ca, o.InsecureSkipTLSVerify)
}

func finish(config *rest.Config, from login, tokenFile, caFile string, insecure bool) (*rest.Config, login, error) {
	token, err := readToken(tokenFile)
	if err != nil {
		return nil, login{}, err
	}
	if err := authorityFile(caFile); err != nil {
		return nil, login{}, err
	}
	config.BearerToken = token
	config.TLSClientConfig = rest.TLSClientConfig{CAFile: caFile, Insecure: insecure}
	from.remedy = "write a new token to " + tokenFile + " (oc create token, kubectl create token)"
	return config, from, nil
}

// readToken reads a token file anew in each run: kubelet and secret stores replace tokens. The token is in no error.
func readToken(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", &Error{What: "cannot read the token: " + clean(err.Error()), Remedy: readable(file), Err: err}
	}
	defer f.Close()
	buf := make([]byte, 64<<10) // a token is a few KiB
	n, err := readFull(f, buf)
	if err != nil {
		return "", &Error{What: "cannot read the token: " + clean(err.Error()), Remedy: readable(file), Err: err}
	}
	token := strings.TrimSpace(string(buf[:n]))
	switch {
	case n == len(buf):
		return "", &Error{What: "the token file " + file + " is larger than 64 KiB", Remedy: "name a file that holds only the token"}
	case token == "":
		return "", &Error{What: "the token file " + file + " is empty", Remedy: "write the token to it (oc create token, kubectl create token)"}
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", &Error{What: "the token file " + file + " holds more than one word", Remedy: "write only the token to it"}
	}
	return token, nil
}

// authorityFile refuses a file without a certificate: client-go takes an empty one for none, and names no other in its error.
func authorityFile(file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && (info.Mode()&fs.ModeCharDevice != 0 || info.Size() > maxConfig) {
		return &Error{What: "the certificate authority " + file + " is a device, or larger than 4 MiB", Remedy: "name the right file"}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return &Error{What: "cannot read the certificate authority: " + clean(err.Error()), Remedy: readable(file), Err: err}
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		return &Error{What: "the file " + file + " holds no certificate authority (PEM)", Remedy: "write the API server's CA certificate to it"}
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func readable(file string) string {
	return "make " + file + " readable for the user that runs the check (often nagios or icinga)"
}
