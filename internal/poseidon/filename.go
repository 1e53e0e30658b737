package poseidon

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// maxFileName leaves room for what is written behind the name, in the 255 bytes of a file's.
const maxFileName = 150

// FileName is Poseidon's address as a name for files, the same however the address is written: https_poseidon.example.org_7200. Another
// name of the same host gives another one. What is too long ends with its SHA-256.
func (o Options) FileName(getenv func(string) string) (string, error) {
	u, err := o.address(Surroundings{Getenv: getenv})
	if err != nil {
		return "", err
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" {
		host = "127.0.0.1"
	}
	name := u.Scheme + "_" + filePart(host) + "_" + cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	if u.Path != "" {
		name += "_" + filePart(u.Path)
	}
	if len(name) > maxFileName {
		name = fmt.Sprintf("%s=%x", name[:maxFileName/2], sha256.Sum256([]byte(name)))
	}
	return name, nil
}

func filePart(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "_", "%5F") }

// FileAddress is the address that has a FileName, or the name itself if it does not tell.
func FileAddress(name string) string {
	parts := strings.Split(name, "_")
	if len(parts) != 3 && len(parts) != 4 {
		return name
	}
	host, _ := url.QueryUnescape(parts[1])
	u := url.URL{Scheme: parts[0], Host: net.JoinHostPort(host, parts[2])}
	if len(parts) == 4 {
		u.Path, _ = url.QueryUnescape(parts[3])
	}
	if back, err := (Options{Address: u.String()}).FileName(nil); err != nil || back != name {
		return name
	}
	return u.String()
}
