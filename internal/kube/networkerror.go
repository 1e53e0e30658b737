package kube

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

	"overdue/internal/web"
)

// networkError puts into words why there is no answer. phase is what was going on, or "".
func (c *Client) networkError(ctx context.Context, q request, phase string, err error) error {
	e := &Error{Op: q.op, Err: err}
	server := c.Server()
	var (
		unverified *tls.CertificateVerificationError
		dns        *net.DNSError
		op         *net.OpError
		alert      tls.AlertError
		record     tls.RecordHeaderError
	)
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.What, e.Err = "no answer from "+server+" in time", ctx.Err()
		if phase != "" {
			e.What += ": still " + phase
		}
		if phase == "" && c.login.plugin != "" {
			e.What += ": still waiting for the credential plugin " + clean(c.login.plugin)
		}
		e.Remedy = "check the network, a firewall or the load of the API server"
	case ctx.Err() != nil:
		e.What, e.Err = "interrupted while waiting for "+server, ctx.Err()
	case errors.As(err, &unverified):
		c.certificateError(e, unverified.Err)
	case errors.As(err, &record) && string(record.RecordHeader[:]) == "HTTP/":
		e.What = server + ": server gave HTTP response to HTTPS client"
		e.Remedy = "wrong port? the API server speaks TLS, usually on 6443"
	case errors.As(err, &alert), strings.Contains(err.Error(), "remote error: tls:"):
		e.What = server + " refused the TLS handshake: " + clean(err.Error())
		e.Remedy = c.login.remedy
	case errors.As(err, &record):
		e.What = server + " does not speak TLS: " + clean(err.Error())
		e.Remedy = "wrong port? the API server speaks TLS, usually on 6443"
	case errors.As(err, &dns) && dns.IsNotFound:
		e.What = "no such host: " + clean(dns.Name)
		e.Remedy = "check the name in the address " + server
	case errors.As(err, &dns):
		e.What = "cannot look up " + clean(dns.Name) + ": " + clean(dns.Err)
		e.Remedy = "check the name server of this machine"
	case strings.HasPrefix(err.Error(), "getting credentials:"):
		c.pluginError(e, err)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		e.What = "the proxy does not answer: " + clean(op.Error())
		e.Remedy = "check HTTPS_PROXY, or set NO_PROXY for " + clean(c.base.Hostname())
	case errors.Is(err, syscall.ECONNREFUSED):
		e.What = "connection refused by " + address(op, c)
		e.Remedy = "is the API server running, and is the address right?"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		e.What = "no route to " + address(op, c)
		e.Remedy = "check the network and the address"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.HasPrefix(err.Error(), "stream error:"), strings.HasPrefix(err.Error(), "http2:"):
		e.What = server + " broke the connection"
		if phase != "" {
			e.What += " while " + phase
		}
		e.Remedy = "look at the API server and the load balancer before it"
	case web.NotHTTP(err) != "":
		e.What = "the answer of " + server + " is not HTTP: " + web.NotHTTP(err)
		e.Remedy = "is this the address of a Kubernetes API server, and http or https right?"
	default:
		e.What = "no answer from " + server + ": " + clean(err.Error())
	}
	return e
}

func (c *Client) certificateError(e *Error, err error) {
	var (
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &unknown):
		e.What = "the certificate of " + c.Server() + " is from an unknown authority (checked against " + c.authority() + ")"
		e.Remedy = c.login.caFix
	case errors.As(err, &host):
		names := append([]string{}, host.Certificate.DNSNames...)
		for _, ip := range host.Certificate.IPAddresses {
			names = append(names, ip.String())
		}
		if len(names) == 0 {
			names = []string{"no name at all"}
		}
		e.What = "the certificate of " + c.Server() + " is valid for " + clean(strings.Join(names, ", ")) + ", not " + clean(host.Host)
		e.Remedy = "use a name it is valid for"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		e.What = "the certificate of " + c.Server() + " expired on " + invalid.Cert.NotAfter.UTC().Format(time.DateTime) + " UTC"
		e.Remedy = "renew it"
		if time.Now().Before(invalid.Cert.NotBefore) {
			e.What = "the certificate of " + c.Server() + " is valid only from " + invalid.Cert.NotBefore.UTC().Format(time.DateTime) + " UTC"
			e.Remedy = "check the clock of this machine"
		}
	default:
		e.What = "the certificate of " + c.Server() + " is not valid: " + clean(err.Error())
		e.Remedy = c.login.caFix
	}
}

func (c *Client) authority() string {
	switch {
	case c.login.caFile != "":
		return c.login.caFile
	case strings.HasPrefix(c.login.source, "kubeconfig"):
		return "the authority in " + c.login.source
	}
	return "the authorities of this system"
}

func (c *Client) pluginError(e *Error, err error) {
	e.What = "the credential plugin " + clean(c.login.plugin) + " gave no credentials: " +
		clean(strings.TrimPrefix(err.Error(), "getting credentials: "))
	e.Remedy = "run it by hand as the user of the check; one that asks questions cannot work here: " +
		"use a service account with --server and --token-file"
}

// address is what refused: the proxy or one of the server's addresses.
func address(op *net.OpError, c *Client) string {
	if op != nil && op.Addr != nil {
		if a := op.Addr.String(); a != c.base.Host {
			return clean(c.base.Host) + " (" + a + ")"
		}
	}
	return clean(c.base.Host)
}
