package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// Peer is a server as errors speak of it.
type Peer struct {
	Name    string // as the user gave it
	Program string // "Nomad"
	Unit    string // of systemd: "nomad"
	TLSName string // for a certificate of another name: "usually server.REGION.nomad"

	Option func(name string) string // an option as the user gives it: "--nomad-ca-file"
}

// Silence puts into words why there is no answer. phase is what was going on, or "".
func (p Peer) Silence(ctx context.Context, phase string, err error) (what, remedy string) {
	if what, remedy = p.untrusted(err); what != "" {
		return what, remedy
	}
	text, during := Clean(err.Error()), ""
	if phase != "" {
		during = ": still " + phase
	}
	var (
		dns *net.DNSError
		op  *net.OpError
	)
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return "no answer from " + p.Name + " in time" + during, "look at that server, its load, and the network between"
	case ctx.Err() != nil:
		return "interrupted while waiting for " + p.Name, ""
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host: " + Clean(dns.Name), "check the address"
	case errors.As(err, &dns):
		return "cannot look up " + Clean(dns.Name) + ": " + Clean(dns.Err), "check the name server of this machine"
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return "the proxy does not answer: " + text, "check HTTP_PROXY, or set NO_PROXY for the servers"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return "connection refused by " + p.Name, "is " + p.Program + " running there, and is the address right?"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to " + p.Name, "check the network and the address"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		if phase != "" {
			phase = " while " + phase
		}
		return p.Name + " broke the connection" + phase, "is that server being restarted? journalctl -u " + p.Unit + " there"
	case NotHTTP(err) != "":
		return "the answer of " + p.Name + " is not HTTP: " + NotHTTP(err), "is that the address of " + p.Program + " itself, and http or https right?"
	}
	return "no answer from " + p.Name + ": " + text, ""
}

// NotHTTP tells what shows that the other side speaks another protocol, or "". net/http has no type for either error; of a server that
// speaks before it is asked its text is "readLoopPeekFailLocked: %!w(<nil>)" (Go 1.26, net/http/transport.go).
func NotHTTP(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "readLoopPeekFailLocked: %!w(<nil>)"):
		return "it speaks before it is asked"
	case strings.Contains(text, "malformed"):
		return Clean(text)
	}
	return ""
}

// untrusted tells why TLS did not come about, or "".
func (p Peer) untrusted(err error) (what, remedy string) {
	var (
		unverified *tls.CertificateVerificationError
		unknown    x509.UnknownAuthorityError
		host       x509.HostnameError
		invalid    x509.CertificateInvalidError
		record     tls.RecordHeaderError
	)
	text := Clean(err.Error())
	switch {
	case errors.As(err, &unverified) && errors.As(err, &unknown):
		return "the certificate of " + p.Name + " is from an unknown authority", "name the right one with " + p.Option("ca-file")
	case errors.As(err, &unverified) && errors.As(err, &host):
		return "the certificate of " + p.Name + " is not for that name: " + text, "give " + p.Option("tls-server-name") + ", " + p.TLSName
	case errors.As(err, &unverified) && errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		return p.outOfTime(invalid.Cert)
	case errors.As(err, &unverified):
		return "the certificate of " + p.Name + " is not valid: " + text, "renew it"
	case errors.As(err, &record):
		return p.Name + " does not speak TLS", "is the address http://, not https://?"
	case strings.Contains(text, "remote error: tls:"):
		return p.Name + " refused the TLS handshake: " + text, "give " + p.Option("client-cert") + " and " + p.Option("client-key") + ": the server wants a client's certificate"
	}
	return "", ""
}

func (p Peer) outOfTime(c *x509.Certificate) (what, remedy string) {
	if time.Now().Before(c.NotBefore) {
		return "the certificate of " + p.Name + " is valid only from " + c.NotBefore.UTC().Format(time.DateTime) + " UTC", "check the clock of this machine"
	}
	return "the certificate of " + p.Name + " expired on " + c.NotAfter.UTC().Format(time.DateTime) + " UTC", "renew it"
}
