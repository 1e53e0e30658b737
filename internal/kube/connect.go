package kube

import (
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
)

// serviceAccountDir is where a pod finds its service account.
const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// Connect finds the cluster and the credentials and returns a client. It sends nothing.
//
// It takes the first of: --server with --token-file, --kubeconfig, $KUBECONFIG, ~/.kube/config, the service account of
// the pod. Errors are of type *Error.
func Connect(o Options, s Surroundings) (*Client, error) {
	return connect(o, s, serviceAccountDir)
}

func connect(o Options, s Surroundings, serviceAccount string) (*Client, error) {
	silence()
	if s.Offline {
		return offlineClient(s), nil
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	config, login, err := o.find(s, serviceAccount)
	if err != nil {
		return nil, err
	}
	base, err := serverURL(config.Host, carriesCredentials(config))
	if err != nil {
		return nil, err
	}
	config.Host = base.String()
	send, err := transport(config, s)
	if err != nil {
		return nil, &Error{What: "cannot use the credentials or certificates of " + login.source + ": " + clean(err.Error()),
			Remedy: "correct the file it names", Err: err}
	}
	return &Client{send: send, base: base, login: login, by: s, pause: pauseFor}, nil
}

// check refuses options that contradict each other.
func (o Options) check() error {
	bad := func(what, remedy string) error { return &Error{What: what, Remedy: remedy, Misuse: true} }
	switch {
	case o.Server != "" && (o.Kubeconfig != "" || o.Context != ""):
		return bad("--server goes without --kubeconfig and --context", "give either --server with --token-file, or a kubeconfig")
	case o.Server != "" && o.TokenFile == "":
		return bad("--server needs --token-file", "write a service account's token to a file and name it with --token-file")
	case o.Server == "" && o.TokenFile != "":
		return bad("--token-file goes only with --server", "add --server URL, or set tokenFile in the kubeconfig")
	case o.Server == "" && o.CAFile != "":
		return bad("--ca-file goes only with --server", "add --server URL, or set certificate-authority in the kubeconfig")
	case o.CAFile != "" && o.InsecureSkipTLSVerify:
		return bad("--ca-file and --insecure-skip-tls-verify contradict each other", "leave out --insecure-skip-tls-verify")
	}
	return nil
}

func (o Options) find(s Surroundings, serviceAccount string) (*rest.Config, login, error) {
	if o.Server != "" {
		return o.direct()
	}
	files, err := o.kubeconfigFiles(s)
	if err != nil {
		return nil, login{}, err
	}
	if len(files) > 0 {
		return o.fromKubeconfig(files)
	}
	if s.getenv("KUBERNETES_SERVICE_HOST") != "" {
		return o.inCluster(s, serviceAccount)
	}
	return nil, login{}, &Error{
		What: "no cluster given: there is no --server, no --kubeconfig, no $KUBECONFIG, " + absentHomeConfig(s) +
			", and this is not a pod (no $KUBERNETES_SERVICE_HOST)",
		Remedy: "give --kubeconfig FILE, or --server URL with --token-file FILE",
		Misuse: true,
	}
}

// serverURL parses the address of an API server. Without a scheme it means https: client-go would send credentials in the
// clear. Credentials go over http only to this machine, where "kubectl proxy" listens.
func serverURL(host string, credentials bool) (*url.URL, error) {
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return nil, &Error{What: "the address of the API server is not a URL", Remedy: "give it as https://HOST:PORT"}
	}
	if u.User != nil {
		return nil, &Error{What: "the address of the API server holds a password", Remedy: "give https://HOST:PORT and a token file"}
	}
	if u.Scheme == "http" && credentials && !isLoopback(u.Hostname()) {
		return nil, &Error{What: "credentials are not sent to " + clean(u.Host) + " over plain http", Remedy: "use https://" + clean(u.Host)}
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.RawQuery, u.Fragment, u.RawPath = "", "", ""
	return u, nil
}

func carriesCredentials(c *rest.Config) bool {
	return c.BearerToken != "" || c.BearerTokenFile != "" || c.Password != "" || c.ExecProvider != nil
}
