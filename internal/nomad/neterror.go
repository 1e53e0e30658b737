package nomad

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"overdue/internal/web"
)

// networkError puts into words why there is no answer. phase is what was going on, or "".
func (c *Client) networkError(ctx context.Context, to address, q question, phase string, err error) error {
	e := &Error{Op: q.op, Err: err}
	e.What, e.Remedy = silence(ctx, to, phase, err)
	return e
}

func silence(ctx context.Context, to address, phase string, err error) (what, remedy string) {
	var (
		unverified *tls.CertificateVerificationError
		unknown    x509.UnknownAuthorityError
		host       x509.HostnameError
		dns        *net.DNSError
		op         *net.OpError
		record     tls.RecordHeaderError
	)
	text := web.Clean(err.Error())
	during := ""
	if phase != "" {
		during = ": still " + phase
	}
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return "no answer from " + to.name + " in time" + during, "look at that server, its load, and the network between"
	case ctx.Err() != nil:
		return "interrupted while waiting for " + to.name, ""
	case errors.As(err, &unverified) && errors.As(err, &unknown):
		return "the certificate of " + to.name + " is from an unknown authority", "name the right one with " + to.option("ca-file")
	case errors.As(err, &unverified) && errors.As(err, &host):
		return "the certificate of " + to.name + " is not for that name: " + text, "give " + to.option("tls-server-name") + ", usually server.REGION.nomad"
	case errors.As(err, &unverified):
		return "the certificate of " + to.name + " is not valid: " + text, "renew it, or check the clock of this machine"
	case errors.As(err, &record):
		return to.name + " does not speak TLS", "is the address http://, not https://?"
	case strings.Contains(text, "remote error: tls:"):
		return to.name + " refused the TLS handshake: " + text, "give " + to.option("client-cert") + " and " + to.option("client-key") + ": the servers want mTLS"
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host: " + web.Clean(dns.Name), "check the address"
	case errors.As(err, &dns):
		return "cannot look up " + web.Clean(dns.Name) + ": " + web.Clean(dns.Err), "check the name server of this machine"
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return "the proxy does not answer: " + text, "check HTTP_PROXY, or set NO_PROXY for the servers"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return "connection refused by " + to.name, "is Nomad running there, and is the address right?"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to " + to.name, "check the network and the address"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		if phase != "" {
			phase = " while " + phase
		}
		return to.name + " broke the connection" + phase, "is that server being restarted? journalctl -u nomad there"
	}
	return "no answer from " + to.name + ": " + text, ""
}
