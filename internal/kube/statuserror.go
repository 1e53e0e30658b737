package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"overdue/internal/web"
)

// maxErrorBody bounds what is read of an error answer, in bytes; a Status object has a few hundred.
const maxErrorBody = 64 << 10

// statusError puts any answer but 200 into words.
func (c *Client) statusError(ctx context.Context, q request, res *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if err != nil && ctx.Err() != nil {
		return c.networkError(ctx, q, "reading the answer", err)
	}
	e := &Error{Op: q.op, Status: res.StatusCode}
	status := apiStatus(mediaType(res), body)
	message := clean(string(body))
	if status != nil {
		e.Reason, message = string(status.Reason), clean(status.Message)
	}
	switch code := res.StatusCode; {
	case code >= 300 && code < 400:
		e.What = fmt.Sprintf("%s redirected to %s (%d)", c.Server(), web.RedirectTarget(res.Header), code)
		e.Remedy = "give the address of the API server itself, not of a proxy or a console"
	case mediaType(res) == "text/html":
		return htmlError(q, res)
	case code == http.StatusUnauthorized:
		e.What = "the API server refused the login (401): token expired or unknown"
		e.Remedy = c.login.remedy
	case code == http.StatusForbidden:
		c.forbidden(e, q, message)
	case code == http.StatusNotFound && status == nil && strings.HasPrefix(message, "404 page not found"):
		e.Reason = reasonNoGroup
		e.What, e.Remedy = noSuchGroup(q.resource)
	case code == http.StatusNotFound && status != nil:
		e.What = message + " (404)"
		e.Remedy = "correct the name"
	case code == http.StatusGone:
		e.What = "the list changed too much while it was read (410)"
		e.Remedy = "is the API server or the network very slow?"
	case code < 300:
		e.What = fmt.Sprintf("the API server answered %d instead of %s", code, q.kind)
		e.Remedy = "is this the address of a Kubernetes API server, with no proxy in between?"
	default:
		e.What = fmt.Sprintf("the API server answered %d %s", code, http.StatusText(code))
		if message != "" {
			e.What += ": " + message
		}
		if code >= 500 || code == http.StatusTooManyRequests {
			e.Remedy = "look at the API server and etcd: oc get --raw /readyz?verbose"
		}
	}
	return e
}

// htmlError is for any status: API servers send no HTML.
func htmlError(q request, res *http.Response) *Error {
	return &Error{Op: q.op, Status: res.StatusCode, Reason: reasonHTML,
		What:   fmt.Sprintf("answered with an HTML page (%d): a proxy or a login page?", res.StatusCode),
		Remedy: "give the address of the API server itself, and set NO_PROXY for it"}
}

// apiStatus returns the Status object of an error answer, or nil.
func apiStatus(mediaType string, body []byte) *metav1.Status {
	status := new(metav1.Status)
	if mediaType != protobufType {
		if json.Unmarshal(body, status) != nil || status.Kind != "Status" {
			return nil
		}
		return status
	}
	body, ok := bytes.CutPrefix(body, []byte(protobufMagic))
	var envelope runtime.Unknown
	if !ok || envelope.Unmarshal(body) != nil || envelope.Kind != "Status" || status.Unmarshal(envelope.Raw) != nil {
		return nil
	}
	return status
}

// forbiddenText is what the API server's RBAC says; other authorizers may say anything.
var forbiddenText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`User "([^"]*)" cannot (\w+) resource "([^"]*)" in API group "([^"]*)"(?: (?:in|at) the (?:namespace "([^"]*)"|cluster scope))?(.*)`)
})

func (c *Client) forbidden(e *Error, q request, message string) {
	m := forbiddenText().FindStringSubmatch(message)
	if m == nil {
		e.What = "the API server refused it (403): " + message
		e.Remedy = c.grant("the right to " + q.op)
		return
	}
	user, verb, resource, group, namespace := m[1], m[2], m[3], m[4], m[5]
	if user == "system:anonymous" {
		e.What = "the API server saw no login (403 for system:anonymous)"
		e.Remedy = "give credentials"
		if c.login.remedy != "" {
			e.Remedy = c.login.remedy
		}
		return
	}
	what := verb + " " + resource
	if group != "" {
		what += " in API group " + group
	}
	if namespace != "" {
		what += " in namespace " + namespace
	}
	e.What = fmt.Sprintf("user %s may not %s (403)%s", user, what, m[6])
	e.Remedy = c.grant("user " + user + " the right to " + what)
	if isCustom(group) {
		e.Remedy += "; if it is applied, this cluster may not have " + group
	}
}

func (c *Client) grant(what string) string {
	if c.by.RoleFile != "" {
		return "apply " + c.by.RoleFile
	}
	return "give " + what
}

func noSuchGroup(r Resource) (what, remedy string) {
	what = fmt.Sprintf("the cluster has no %s in API group %s (404)", r.Name, r.apiVersion())
	switch {
	case strings.HasSuffix(r.Group, ".openshift.io"):
		return what, "not an OpenShift cluster? check the address"
	case isCustom(r.Group):
		return what, "is the operator that brings " + r.Group + " installed?"
	}
	return what, "is this the address of a Kubernetes API server of a supported version?"
}

// isCustom says whether a group comes from a custom resource: Kubernetes' own have no dot or end in .k8s.io.
func isCustom(group string) bool {
	return strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io")
}
