package nomad

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"overdue/internal/web"
)

const (
	// MaxAnswer bounds one answer, in bytes: half a million open evaluations.
	MaxAnswer = 512 << 20

	maxHeader = 256 << 10 // of an answer, in bytes; Nomad sends well under 4 KiB
)

// Connect reads the options, the environment and the files they name, and returns a client. It sends nothing. Errors are of
// type *Error or *web.FileError.
func Connect(o Options, s Surroundings) (*Client, error) {
	addresses, err := o.addresses(s)
	if err != nil {
		return nil, err
	}
	o.Region = cmp.Or(o.Region, s.getenv("NOMAD_REGION"))
	c := &Client{addresses: addresses, region: o.Region, by: s}
	if s.Offline {
		c.by.Pause = func(context.Context, time.Duration) error { return nil }
		c.send = hooked(offline{}, s)
		return c, nil
	}
	login, err := o.login(s)
	if err != nil {
		return nil, err
	}
	c.hasToken = login.token != ""
	tls, err := o.tlsConfig(s)
	if err != nil {
		return nil, err
	}
	sockets := socketsOf(addresses)
	network := &http.Transport{
		Proxy:                  proxy(s, sockets),
		DialContext:            dialer(sockets),
		TLSClientConfig:        tls,
		MaxResponseHeaderBytes: maxHeader,
		// A server in trouble should not compress: it doubles the time that a long list takes it.
		DisableCompression: true,
	}
	c.send = hooked(limited{authenticated{web.Mask(network), login}}, s)
	return c, nil
}

func hooked(rt http.RoundTripper, s Surroundings) http.RoundTripper {
	if s.Transport != nil {
		return s.Transport(rt)
	}
	return rt
}

// limited cuts the answers below the recording hook, which reads them whole.
type limited struct{ next http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err == nil {
		res.Body = web.Limit(res.Body, MaxAnswer)
	}
	return res, err
}

// offline has no server: the answers come from the hook.
type offline struct{}

func (offline) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("the recording holds no answer to this request")
}

// socketsOf are the paths of unix sockets, by the stand-in host names that parseAddress gives them.
func socketsOf(addresses []address) map[string]string {
	sockets := map[string]string{}
	for _, a := range addresses {
		if a.socket != "" {
			sockets[a.base.Host] = a.socket
		}
	}
	return sockets
}

func proxy(s Surroundings, sockets map[string]string) func(*http.Request) (*url.URL, error) {
	usual := web.Proxy(s.getenv)
	return func(r *http.Request) (*url.URL, error) {
		if sockets[r.URL.Host] != "" {
			return nil, nil
		}
		return usual(r)
	}
}

func dialer(sockets map[string]string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		if host, _, err := net.SplitHostPort(addr); err == nil && sockets[host] != "" {
			return d.DialContext(ctx, "unix", sockets[host])
		}
		return d.DialContext(ctx, network, addr)
	}
}

// address is one server.
type address struct {
	number int                 // among those that were given, from 0
	option func(string) string // names an option in a remedy
	base   *url.URL
	name   string // as it appears in texts
	socket string // path of a unix socket, or ""
}

// addresses are those of the options or of the environment.
func (o Options) addresses(s Surroundings) ([]address, error) {
	given, source := o.Addresses, o.option("address")
	if len(given) == 0 {
		given, source = []string{cmp.Or(s.getenv("NOMAD_ADDR"), "http://127.0.0.1:4646")}, "NOMAD_ADDR"
	}
	var addresses []address
	for i, text := range given {
		a, err := parseAddress(text, source, i)
		if err != nil {
			return nil, err
		}
		a.number, a.option = i, o.option
		addresses = append(addresses, a)
	}
	return addresses, nil
}

func parseAddress(text, source string, number int) (address, error) {
	const form = "give it as http://HOST:4646, https://HOST:4646 or unix:///PATH"
	u, err := url.Parse(text)
	switch {
	case text == "":
		return address{}, &Error{Misuse: true, What: source + " is empty", Remedy: form + "; is a variable of the check's command not set?"}
	case err != nil || u.Scheme == "":
		return address{}, &Error{Misuse: true, What: "an address in " + source + " is not a URL", Remedy: form}
	case u.User != nil:
		return address{}, &Error{Misuse: true, What: "an address in " + source + " holds a user's name or password", Remedy: "set NOMAD_HTTP_AUTH instead"}
	case u.RawQuery != "" || u.Fragment != "":
		return address{}, &Error{Misuse: true, What: source + " " + web.Clean(text) + " has a query", Remedy: form}
	case u.Scheme == "unix" && u.Host == "" && u.Path != "":
		host := "unix-" + strconv.Itoa(number)
		return address{base: &url.URL{Scheme: "http", Host: host}, name: web.Clean(text), socket: u.Path}, nil
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return address{}, &Error{Misuse: true, What: source + " " + web.Clean(text) + " is not one of Nomad's", Remedy: form}
	}
	for len(u.Path) > 0 && u.Path[len(u.Path)-1] == '/' {
		u.Path = u.Path[:len(u.Path)-1]
	}
	u.RawPath = ""
	return address{base: u, name: web.Clean(u.String())}, nil
}
