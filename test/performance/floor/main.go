// Command floor sends the requests of a plugin, over TLS and with a token, and throws the answers away: what nothing in Go can do for
// less without leaving questions out. PLAN-FILE holds lines of ACCEPT, a tab and PATH.
// usage: floor SERVER CA-FILE TOKEN-FILE PLAN-FILE
package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	authority, err := os.ReadFile(os.Args[2])
	fail(err)
	token, err := os.ReadFile(os.Args[3])
	fail(err)
	plan, err := os.ReadFile(os.Args[4])
	fail(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	client := http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true, DisableCompression: true, // as the plugins on loopback
	}}
	for line := range strings.Lines(string(plan)) {
		accept, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		request, err := http.NewRequest(http.MethodGet, os.Args[1]+path, nil)
		fail(err)
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		request.Header.Set("Accept", accept)
		answer, err := client.Do(request)
		fail(err)
		_, err = io.Copy(io.Discard, answer.Body)
		fail(err)
		answer.Body.Close()
	}
}

func fail(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
