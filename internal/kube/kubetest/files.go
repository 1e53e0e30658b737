package kubetest

import (
	"encoding/pem"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// Kubeconfig writes a kubeconfig for the server into dir, with its token and authority inside, and returns the file's name.
func (s *Server) Kubeconfig(dir string) string {
	named := func(key string, value any) []any { return []any{map[string]any{"name": "kubetest", key: value}} }
	return s.write(dir, "kubeconfig", must(yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "kubetest",
		"clusters": named("cluster", map[string]any{"server": s.URL(), "certificate-authority-data": s.authority()}),
		"users":    named("user", map[string]any{"token": Token}),
		"contexts": named("context", map[string]any{"cluster": "kubetest", "user": "kubetest"}),
	})))
}

// TokenFile writes the token into dir and returns the file's name.
func (s *Server) TokenFile(dir string) string { return s.write(dir, "token", []byte(Token+"\n")) }

// CAFile writes the server's certificate authority into dir and returns the file's name.
func (s *Server) CAFile(dir string) string { return s.write(dir, "ca.crt", s.authority()) }

func (s *Server) authority() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
}

func (s *Server) write(dir, name string, text []byte) string {
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		panic(err)
	}
	return file
}
