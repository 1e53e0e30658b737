package resync

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"overdue/internal/plugin"
	"overdue/internal/web"
)

// icingaOptions say where people are told what was done.
type icingaOptions struct {
	url      string
	authFile string
	caFile   string
	host     string
	service  string
}

const (
	icingaPatience = 10 * time.Second
	logPatience    = 2 * time.Second
	lastMoment     = 200 * time.Millisecond // of a run that is being ended
	loginForm      = "write one line USER:PASSWORD to it, of an ApiUser with the permission actions/add-comment"
	commentLife    = 7 * 24 * time.Hour // Icinga deletes the comment then
)

func (o *icingaOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.url, "icinga-url", "", "`URL` of Icinga 2's API, such as https://icinga.example.org:5665: add a comment to the service when the handler acts or refuses")
	f.StringVar(&o.authFile, "icinga-auth-file", "", "`FILE` with one line USER:PASSWORD of an ApiUser with the permission actions/add-comment (default $ICINGA_AUTH)")
	f.StringVar(&o.caFile, "icinga-ca-file", "", "`FILE` (PEM) with Icinga's certificate authority, /var/lib/icinga2/certs/ca.crt (default the system's)")
	f.StringVar(&o.host, "icinga-host", "", "`NAME` of the service's host: $host.name$")
	f.StringVar(&o.service, "icinga-service", "", "`NAME` of the service: $service.name$")
}

// object is the service as Icinga names it: "host!service", or "".
func (o icingaOptions) object() string {
	if o.host == "" || o.service == "" {
		return ""
	}
	return o.host + "!" + o.service
}

// icinga adds comments through Icinga's API.
type icinga struct {
	client    *http.Client
	userAgent string
	endpoint  string
	user      string
	password  string
	object    string
}

// connect reads the files. It returns nil if no comments are wanted. An error is a plugin.Misuse, or a *web.FileError for what
// may only be so for a while, such as a secret that is being replaced.
func (o icingaOptions) connect(getenv func(string) string, userAgent string) (*icinga, error) {
	if o.url == "" {
		return nil, nil
	}
	base, err := url.Parse(o.url)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "https" || base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, plugin.Misuse("--icinga-url is not of the form https://HOST:5665")
	case o.object() == "":
		return nil, plugin.Misuse("--icinga-url needs --icinga-host and --icinga-service, the service to comment on")
	}
	auth, source := getenv("ICINGA_AUTH"), "ICINGA_AUTH"
	if o.authFile != "" {
		source = "--icinga-auth-file"
		if auth, err = web.Secret(source, o.authFile, loginForm); err != nil {
			return nil, err
		}
	}
	name, password, ok := strings.Cut(auth, ":")
	switch {
	case auth == "": // of the environment, which may lack it for a while as a file does
		return nil, &web.FileError{What: "--icinga-url needs a login, USER:PASSWORD in --icinga-auth-file or ICINGA_AUTH", Remedy: loginForm}
	case !ok || name == "" || strings.ContainsAny(auth, "\r\n"):
		return nil, &web.FileError{What: source + ": it is not one line USER:PASSWORD", Remedy: loginForm}
	}
	if err := web.Maskable(source, password); err != nil {
		return nil, err
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.caFile != "" {
		if trust.RootCAs, err = web.Authorities("--icinga-ca-file", o.caFile); err != nil {
			return nil, err
		}
	}
	client := &http.Client{
		Transport:     web.Mask(&http.Transport{Proxy: web.Proxy(getenv), TLSClientConfig: trust}),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	endpoint := strings.TrimRight(base.String(), "/") + "/v1/actions/add-comment"
	return &icinga{client, userAgent, endpoint, name, password, o.object()}, nil
}

// comment adds a comment that Icinga deletes after a week.
func (i *icinga) comment(ctx context.Context, text string, now time.Time) error {
	body, err := json.Marshal(map[string]any{
		"type": "Service", "service": i.object, "author": programName, "comment": clean(text), "expiry": now.Add(commentLife).Unix(),
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, i.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", i.userAgent)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	request.SetBasicAuth(i.user, i.password)
	response, err := i.client.Do(request)
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return errors.New(web.Clean(err.Error()))
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return errors.New(web.Clean(err.Error()))
	}
	return commented(response.StatusCode, answer)
}

// commented reads Icinga's answer to an action: a code for the whole, and one for each object.
func commented(status int, body []byte) error {
	var answer struct {
		Results []struct {
			Code   float64 `json:"code"`
			Status string  `json:"status"`
		} `json:"results"`
		Status string `json:"status"`
	}
	_ = json.Unmarshal(body, &answer)
	switch {
	case status == http.StatusUnauthorized:
		return errors.New("the login was refused (401): see --icinga-auth-file")
	case status == http.StatusForbidden:
		return errors.New(`it is not permitted (403): give the ApiUser permissions = [ "actions/add-comment" ]`)
	case status == http.StatusNotFound:
		return errors.New("there is no such service (404), or the ApiUser may not see it: see --icinga-host and --icinga-service")
	case status != http.StatusOK:
		return fmt.Errorf("answer %d %s", status, web.Clean(answer.Status))
	case len(answer.Results) == 0:
		return errors.New("the answer makes no sense: is --icinga-url the API of Icinga, with nothing in between?")
	}
	for _, result := range answer.Results {
		if result.Code != http.StatusOK {
			return fmt.Errorf("answer %.0f %s", result.Code, web.Clean(result.Status))
		}
	}
	return nil
}
