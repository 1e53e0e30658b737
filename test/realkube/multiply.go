package realkube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"
)

// etcdBatch is how many objects go to etcd at once: it takes 128 operations and 1.5 MiB.
const etcdBatch = 40

// keyValue is an object as etcd holds it, in protobuf. JSON gives bytes as base64, as etcd's gateway wants them.
type keyValue struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value"`
}

// multiply copies the objects that the API server has stored below the prefixes and that name first: for each of the names, which are
// as long as first, copies with that name in its place and UIDs of their own. They go to etcd directly, as 150,000 requests to the API
// server would take minutes; it sees them by its watch, as it would see another API server's.
func (s *Server) multiply(t testing.TB, prefixes []string, first string, names []string) {
	t.Helper()
	var templates []keyValue
	for _, prefix := range prefixes {
		found, err := s.stored(prefix, first)
		if err != nil {
			t.Fatal(err)
		}
		templates = append(templates, found...)
	}
	if len(templates) == 0 {
		t.Fatalf("%s is not in etcd", first)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	batches := make(chan []keyValue)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for batch := range batches {
				if err := s.put(ctx, batch); err != nil {
					cancel(err)
				}
			}
		})
	}
	var batch []keyValue
	serial := 0
	for _, name := range names {
		if len(name) != len(first) {
			t.Fatalf("%q is not as long as %q: the lengths within the protobuf would be wrong", name, first)
		}
		for _, template := range templates {
			serial++
			batch = append(batch, template.copy(first, name, serial))
			if len(batch) == etcdBatch {
				batches <- batch
				batch = nil
			}
		}
	}
	batches <- batch
	close(batches)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		t.Fatal(err)
	}
}

var uid = regexp.MustCompile(`\*\$([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`) // field 5 of ObjectMeta, 36 bytes

func (kv keyValue) copy(first, name string, serial int) keyValue {
	value := bytes.ReplaceAll(kv.Value, []byte(first), []byte(name))
	if own := uid.FindSubmatch(value); own != nil {
		value = bytes.ReplaceAll(value, own[1], fmt.Appendf(nil, "%s%012x", own[1][:24], serial))
	}
	return keyValue{bytes.ReplaceAll(kv.Key, []byte(first), []byte(name)), value}
}

// stored are the objects below a prefix whose key holds name.
func (s *Server) stored(prefix, name string) (found []keyValue, err error) {
	end := []byte(prefix)
	end[len(end)-1]++
	var answer struct{ Kvs []keyValue }
	err = s.etcdJSON(context.Background(), "/v3/kv/range", map[string][]byte{"key": []byte(prefix), "range_end": end}, &answer)
	for _, kv := range answer.Kvs {
		if bytes.Contains(kv.Key, []byte(name)) {
			found = append(found, kv)
		}
	}
	return found, err
}

func (s *Server) put(ctx context.Context, batch []keyValue) error {
	var all []map[string]keyValue
	for _, kv := range batch {
		all = append(all, map[string]keyValue{"requestPut": kv})
	}
	return s.etcdJSON(ctx, "/v3/kv/txn", map[string]any{"success": all}, nil)
}

func (s *Server) etcdJSON(ctx context.Context, path string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.store+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = &statusError{"POST " + path, response.StatusCode, string(text)}
	}
	if err != nil || answer == nil {
		return err
	}
	return json.Unmarshal(text, answer)
}
