package realkube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

const operatorNamespace = "openshift-machine-config-operator"

// grant gives the accounts the rights that icinga/rbac describes: the tests then show that those suffice.
func (s *Server) grant() error {
	root, err := repository()
	if err != nil {
		return err
	}
	for _, name := range append([]string{operatorNamespace}, gpuNamespaces...) {
		if err := s.apply(namespace(name)); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "icinga", "rbac", "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no roles in %s/icinga/rbac (%v)", root, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		docs, err := documents(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := s.apply(docs...); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, b := range []struct{ account, kind, role, namespace string }{
		{Minimal, "ClusterRole", "icinga-check-mcp", ""},
		{Full, "ClusterRole", "icinga-check-mcp", ""},
		{Full, "ClusterRole", "icinga-check-mcp-more", ""},
		{Full, "Role", "icinga-check-mcp-controller", operatorNamespace},
		{Minimal, "ClusterRole", "icinga-check-gpu-node-reduced", ""},
		{Full, "ClusterRole", "icinga-check-gpu-node", ""},
		{Full, "ClusterRole", "icinga-check-gpu-node-more", ""},
		{Full, "Role", "icinga-check-gpu-node", "nvidia-gpu-operator"},
		{Full, "Role", "icinga-check-gpu-node", "openshift-nfd"},
	} {
		if err := s.apply(binding(b.account, b.kind, b.role, b.namespace)); err != nil {
			return err
		}
	}
	return nil
}

func binding(account, kind, role, namespace string) object {
	metadata := object{"name": account + "-" + role}
	if kind == "Role" {
		metadata["namespace"] = namespace
	}
	return object{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind + "Binding", "metadata": metadata,
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
		"subjects": []any{object{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": account}},
	}
}

func namespace(name string) object {
	return object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": name}}
}

// Token is an account's bearer token.
func (s *Server) Token(t testing.TB, account string) string {
	t.Helper()
	token, ok := s.tokens[account]
	if !ok {
		t.Fatalf("no account %q", account)
	}
	return token
}

// TokenFile writes an account's token into a file.
func (s *Server) TokenFile(t testing.TB, account string) string {
	t.Helper()
	return write(t, "token", []byte(s.Token(t, account)+"\n"))
}

// Kubeconfig writes a kubeconfig that logs in as the account.
func (s *Server) Kubeconfig(t testing.TB, account string) string {
	t.Helper()
	return s.KubeconfigFor(t, s.Token(t, account))
}

// KubeconfigFor writes a kubeconfig that logs in with the token.
func (s *Server) KubeconfigFor(t testing.TB, token string) string {
	t.Helper()
	ca, err := os.ReadFile(s.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(object{ // JSON is YAML too
		"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": []any{object{"name": "test", "cluster": object{"server": s.URL, "certificate-authority-data": ca}}},
		"users":    []any{object{"name": "test", "user": object{"token": token}}},
		"contexts": []any{object{"name": "test", "context": object{"cluster": "test", "user": "test"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, "kubeconfig", text)
}

// ServiceAccountToken asks the server for a token of a service account, which is how a site's own account logs in.
func (s *Server) ServiceAccountToken(t testing.TB, namespace, name string) string {
	t.Helper()
	path := "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + name + "/token"
	request := object{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": object{"expirationSeconds": 3600}}
	var answer struct{ Status struct{ Token string } }
	if err := s.json(http.MethodPost, path, request, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Status.Token
}

func write(t testing.TB, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// repository is the directory of the module that the tests run in.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "icinga", "rbac")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no icinga/rbac above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}
