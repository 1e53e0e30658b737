package realkube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// object is any object of the API.
type object = map[string]any

// resource is where objects of a kind are found.
type resource struct {
	path       string // /api/v1/nodes, or with %s for the namespace
	namespaced bool
	status     bool // has a status subresource
}

const requestTimeout = 30 * time.Second

// Do sends a request as the account, without any judgement of the answer. headers are pairs of name and value.
func (s *Server) Do(t testing.TB, account, method, path string, body []byte, headers ...string) (status int, answer []byte) {
	t.Helper()
	h := http.Header{}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	s.Token(t, account)
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	status, answer, err := s.do(ctx, account, method, path, body, h)
	if err != nil {
		t.Fatal(err)
	}
	return status, answer
}

// Get reads an object or a list by its path, such as /api/v1/nodes/wrk-98, as the admin.
func (s *Server) Get(t testing.TB, path string) map[string]any {
	t.Helper()
	var answer object
	if err := s.json(http.MethodGet, path, nil, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// Delete removes an object by its path. That it is not there is no failure.
func (s *Server) Delete(t testing.TB, path string) {
	t.Helper()
	if err := s.delete(path); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) delete(path string) error {
	err := s.json(http.MethodDelete, path, object{"gracePeriodSeconds": 0}, nil)
	if isStatus(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// Patch merges a piece of YAML or JSON into the object at path.
func (s *Server) Patch(t testing.TB, path, patch string) {
	t.Helper()
	var o object
	err := yaml.Unmarshal([]byte(patch), &o)
	if err == nil {
		err = s.json(http.MethodPatch, path, o, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// PatchStatus merges a piece of YAML or JSON, which holds `status:`, into the status of the object at path.
func (s *Server) PatchStatus(t testing.TB, path, patch string) {
	t.Helper()
	s.Patch(t, path+"/status", patch)
}

// Apply creates or replaces the objects of YAML or JSON documents, with their status.
func (s *Server) Apply(t testing.TB, yamlDocuments string) {
	t.Helper()
	docs, err := documents([]byte(yamlDocuments))
	if err == nil {
		err = s.apply(docs...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// applyAll is apply for documents that do not depend on each other.
func (s *Server) applyAll(docs ...object) error {
	var workers sync.WaitGroup
	failures := make([]error, 8)
	for i := range failures {
		workers.Go(func() {
			for j := i; j < len(docs) && failures[i] == nil; j += len(failures) {
				failures[i] = s.apply(docs[j])
			}
		})
	}
	workers.Wait()
	return errors.Join(failures...)
}

func (s *Server) apply(docs ...object) error {
	for _, doc := range docs {
		if err := s.applyOne(doc); err != nil {
			return fmt.Errorf("applying %v %v: %w", doc["kind"], nested(doc, "metadata")["name"], err)
		}
	}
	return nil
}

func (s *Server) applyOne(doc object) error {
	r, err := s.find(doc)
	if err != nil {
		return err
	}
	metadata := nested(doc, "metadata")
	collection := r.path
	if r.namespaced {
		namespace, _ := metadata["namespace"].(string)
		if namespace == "" {
			namespace = "default"
		}
		collection = fmt.Sprintf(r.path, namespace)
	}
	item := fmt.Sprintf("%s/%v", collection, metadata["name"])

	var now object
	err = s.json(http.MethodPost, collection, doc, &now)
	if isStatus(err, http.StatusConflict) {
		if err = s.json(http.MethodGet, item, nil, &now); err == nil {
			err = s.json(http.MethodPut, item, withVersion(doc, now), &now)
		}
	}
	if err != nil {
		return err
	}
	if status, has := doc["status"]; has && r.status && !reflect.DeepEqual(status, now["status"]) {
		// The server keeps a status apart from its object. PUT, as a merge would keep what the document leaves out.
		err = s.json(http.MethodPut, item+"/status", withVersion(doc, now), nil)
	}
	return err
}

// withVersion is the document as a replacement of what the server holds now.
func withVersion(doc, now object) object {
	doc = maps.Clone(doc)
	metadata := maps.Clone(nested(doc, "metadata"))
	metadata["resourceVersion"] = nested(now, "metadata")["resourceVersion"]
	doc["metadata"] = metadata
	return doc
}

// find looks up a document's kind. A CustomResourceDefinition takes a moment to be served, hence the patience.
func (s *Server) find(doc object) (resource, error) {
	version, _ := doc["apiVersion"].(string)
	kind, _ := doc["kind"].(string)
	key := version + " " + kind
	s.mu.Lock()
	defer s.mu.Unlock()
	deadline := time.Now().Add(15 * time.Second)
	for {
		if r, ok := s.resources[key]; ok {
			return r, nil
		}
		err := s.discover(version)
		if _, ok := s.resources[key]; ok {
			continue
		}
		if time.Now().After(deadline) {
			return resource{}, fmt.Errorf("the server knows no %q: %v", key, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (s *Server) discover(version string) error {
	base := "/apis/" + version
	if !strings.Contains(version, "/") {
		base = "/api/" + version
	}
	var list struct {
		Resources []struct {
			Name, Kind string
			Namespaced bool
		}
	}
	if err := s.json(http.MethodGet, base, nil, &list); err != nil {
		return err
	}
	status := map[string]bool{}
	for _, r := range list.Resources {
		if name, ok := strings.CutSuffix(r.Name, "/status"); ok {
			status[name] = true
		}
	}
	for _, r := range list.Resources {
		if strings.Contains(r.Name, "/") {
			continue
		}
		path := base + "/" + r.Name
		if r.Namespaced {
			path = base + "/namespaces/%s/" + r.Name
		}
		s.resources[version+" "+r.Kind] = resource{path: path, namespaced: r.Namespaced, status: status[r.Name]}
	}
	return nil
}

type statusError struct {
	request string
	code    int
	body    string
}

func isStatus(err error, code int) bool {
	status := (*statusError)(nil)
	return errors.As(err, &status) && status.code == code
}

func (e *statusError) Error() string { return fmt.Sprintf("%s: %d %s", e.request, e.code, e.body) }

// json sends a request as the admin and decodes its answer.
func (s *Server) json(method, path string, body, answer any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	code, got, err := s.do(ctx, Admin, method, path, text, nil)
	if err != nil {
		return err
	}
	if code >= 300 {
		return &statusError{method + " " + path, code, string(got)}
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(got, answer)
}

func (s *Server) do(ctx context.Context, account, method, path string, body []byte, header http.Header) (int, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	request.Header.Set("User-Agent", "realkube") // which becomes the manager in managedFields
	request.Header.Set("Authorization", "Bearer "+s.tokens[account])
	maps.Copy(request.Header, header)
	response, err := s.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

var separator = regexp.MustCompile(`(?m)^---\s*$`)

// documents parses YAML documents; a List stands for its items.
func documents(text []byte) ([]object, error) {
	var docs []object
	for _, part := range separator.Split(string(text), -1) {
		var doc object
		if err := yaml.Unmarshal([]byte(part), &doc); err != nil {
			return nil, err
		}
		if items, ok := doc["items"].([]any); ok {
			for _, item := range items {
				docs = append(docs, item.(object))
			}
		} else if doc != nil {
			docs = append(docs, doc)
		}
	}
	return docs, nil
}

func nested(o object, key string) object {
	inner, _ := o[key].(object)
	return inner
}
