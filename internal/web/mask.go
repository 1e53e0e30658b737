package web

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// leastSecret is the length from which on a text is taken for a secret, in bytes: shorter ones stand in answers by chance, and are
// not taken for a login.
const leastSecret = 6

// Mask overwrites with asterisks, in the answers of next, the credentials that a request carries: some servers and many proxies
// echo them. Lengths stay as they are, as a binary answer depends on them. It stands below what adds the credentials.
func Mask(next http.RoundTripper) http.RoundTripper { return masker{next} }

type masker struct{ next http.RoundTripper }

func (m masker) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := m.next.RoundTrip(r)
	secrets := carried(r.Header)
	if err != nil || len(secrets) == 0 {
		return res, err
	}
	res.Body = &masked{ReadCloser: res.Body, secrets: secrets}
	for _, values := range res.Header {
		for i := range values {
			text := []byte(values[i])
			mask(text, secrets)
			values[i] = string(text)
		}
	}
	return res, nil
}

// carried are the secrets of a request, in the forms in which they may come back.
func carried(header http.Header) (secrets [][]byte) {
	add := func(text string) {
		if len(text) < leastSecret {
			return
		}
		for _, form := range forms(text) {
			if !slices.ContainsFunc(secrets, func(s []byte) bool { return string(s) == form }) {
				secrets = append(secrets, []byte(form))
			}
		}
	}
	for _, name := range []string{"X-Nomad-Token", "Poseidon-Token"} {
		add(header.Get(name))
	}
	scheme, value, _ := strings.Cut(header.Get("Authorization"), " ")
	add(value)
	if plain, err := base64.StdEncoding.DecodeString(value); err == nil && strings.EqualFold(scheme, "basic") {
		_, password, _ := strings.Cut(string(plain), ":")
		add(password)
	}
	return secrets
}

// forms are a text as it is, and as JSON, URLs and HTML write it.
func forms(text string) []string {
	all := []string{text, url.QueryEscape(text), url.PathEscape(text), html.EscapeString(text)}
	for _, escapeHTML := range []bool{true, false} {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(escapeHTML)
		if encoder.Encode(text) == nil {
			all = append(all, strings.Trim(b.String(), "\"\n"))
		}
	}
	return all
}

func mask(text []byte, secrets [][]byte) {
	for _, secret := range secrets {
		for rest := text; ; {
			at := bytes.Index(rest, secret)
			if at < 0 {
				break
			}
			for i := range secret {
				rest[at+i] = '*'
			}
			rest = rest[at+len(secret):]
		}
	}
}

// masked is a body without secrets. It holds back the end of what was read if that may be the beginning of one.
type masked struct {
	io.ReadCloser
	secrets [][]byte
	held    []byte
	ready   int // bytes of held that are free of secrets
	err     error
}

func (m *masked) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for m.ready == 0 && m.err == nil {
		had, size := len(m.held), 16<<10
		if m.held == nil {
			size = 2 << 10 // most answers are short
		}
		m.held = slices.Grow(m.held, size)
		var n int
		n, m.err = m.ReadCloser.Read(m.held[had : had+size])
		m.held = m.held[:had+n]
		mask(m.held, m.secrets)
		m.ready = len(m.held)
		if m.err == nil {
			m.ready -= m.begun()
		}
	}
	if m.ready == 0 {
		return 0, m.err
	}
	n := copy(p, m.held[:m.ready])
	m.held = m.held[:copy(m.held, m.held[n:])]
	m.ready -= n
	return n, nil
}

// begun is the length of the longest beginning of a secret at the end of what is held.
func (m *masked) begun() (longest int) {
	for _, secret := range m.secrets {
		for n := min(len(secret)-1, len(m.held)); n > longest; n-- {
			if bytes.HasSuffix(m.held, secret[:n]) {
				longest = n
			}
		}
	}
	return longest
}
