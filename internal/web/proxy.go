package web

import (
	"net/http"
	"net/url"

	"golang.org/x/net/http/httpproxy"
)

// Proxy reads the usual variables in the given environment; net/http reads the process's, once.
func Proxy(getenv func(string) string) func(*http.Request) (*url.URL, error) {
	either := func(names ...string) string {
		for _, name := range names {
			if value := getenv(name); value != "" {
				return value
			}
		}
		return ""
	}
	proxy := (&httpproxy.Config{
		HTTPProxy:  either("HTTP_PROXY", "http_proxy"),
		HTTPSProxy: either("HTTPS_PROXY", "https_proxy"),
		NoProxy:    either("NO_PROXY", "no_proxy"),
	}).ProxyFunc()
	return func(r *http.Request) (*url.URL, error) { return proxy(r.URL) }
}
