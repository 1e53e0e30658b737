//go:build linux

package realicinga

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// The ApiUser of every node.
const (
	User     = "overdue"
	Password = "only-on-loopback"
)

// Service is what Icinga knows of a service.
type Service struct {
	State        int     `json:"state"`
	StateType    int     `json:"state_type"`
	Attempt      int     `json:"check_attempt"`
	LastCheck    float64 `json:"last_check"`
	Reachable    bool    `json:"last_reachable"`
	Paused       bool    `json:"paused"` // the other node of the zone has it
	NotesURL     string  `json:"notes_url"`
	EventCommand string  `json:"event_command"`
	Zone         string  `json:"zone"`
	Result       struct {
		Exit    int      `json:"exit_status"`
		Output  string   `json:"output"`
		Points  []string `json:"performance_data"`
		Command []string `json:"command"`
		Source  string   `json:"check_source"`
	} `json:"last_check_result"`
}

// String tells the state in Icinga's words: "CRITICAL SOFT 2", "OK HARD".
func (s Service) String() string {
	state := [...]string{"OK", "WARNING", "CRITICAL", "UNKNOWN"}[s.State]
	if s.StateType == 1 {
		return state + " HARD"
	}
	return fmt.Sprintf("%s SOFT %d", state, s.Attempt)
}

func (n *Node) call(method, path string, body, answer any) error {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, fmt.Sprintf("https://127.0.0.1:%d%s", n.Port, path), &text)
	if err != nil {
		return err
	}
	request.SetBasicAuth(User, Password)
	request.Header.Set("Accept", "application/json")
	response, err := n.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %.500s", method, path, response.Status, said)
	}
	if raw, ok := answer.(*string); ok {
		*raw = string(said)
		return nil
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(said, answer)
}

// Objects is Icinga's whole answer on a kind of objects, such as "services".
func (n *Node) Objects(kind string) (text string, err error) {
	err = n.call(http.MethodGet, "/v1/objects/"+kind, nil, &text)
	return text, err
}

// Lookup asks for a service, "host!service".
func (n *Node) Lookup(name string) (Service, error) {
	var answer struct {
		Results []struct{ Attrs Service }
	}
	if err := n.call(http.MethodGet, "/v1/objects/services/"+url.PathEscape(name), nil, &answer); err != nil {
		return Service{}, err
	}
	if len(answer.Results) != 1 {
		return Service{}, fmt.Errorf("%d services are called %s", len(answer.Results), name)
	}
	return answer.Results[0].Attrs, nil
}

// Service asks for a service that must be there.
func (n *Node) Service(t testing.TB, name string) Service {
	t.Helper()
	service, err := n.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return service
}

// Check has a service checked, and waits for the result. Icinga reads an object's attributes one after the other while it changes them,
// so an answer can hold the new state beside the old result: it counts when the next one is the same.
func (n *Node) Check(t testing.TB, name string) Service {
	t.Helper()
	before := n.Service(t, name)
	n.Act(t, "reschedule-check", map[string]any{"type": "Service", "service": name, "force": true})
	var after Service
	Await(t, name+" is checked", func() error {
		last := after
		var err error
		switch after, err = n.Lookup(name); {
		case err != nil:
			return err
		case after.LastCheck <= before.LastCheck:
			return Not("the last check was at %v", after.LastCheck)
		case !reflect.DeepEqual(after, last):
			return Not("the result is still being written")
		}
		return nil
	})
	return after
}

// Act performs an action of the API: "schedule-downtime".
func (n *Node) Act(t testing.TB, action string, with map[string]any) {
	t.Helper()
	if err := n.call(http.MethodPost, "/v1/actions/"+action, with, nil); err != nil {
		t.Fatal(err)
	}
}

// Comments are the texts at a service, oldest first.
func (n *Node) Comments(t testing.TB, service string) (texts []string) {
	t.Helper()
	var answer struct {
		Results []struct {
			Attrs struct{ Author, Text, Host_name, Service_name string }
		}
	}
	if err := n.call(http.MethodGet, "/v1/objects/comments", nil, &answer); err != nil {
		t.Fatal(err)
	}
	for _, r := range answer.Results {
		if strings.Join([]string{r.Attrs.Host_name, r.Attrs.Service_name}, "!") == service {
			texts = append(texts, r.Attrs.Author+": "+r.Attrs.Text)
		}
	}
	return texts
}

// Set changes attributes of a service while the daemon runs: "vars.mcp_timeout".
func (n *Node) Set(t testing.TB, service string, attributes map[string]any) {
	t.Helper()
	if err := n.call(http.MethodPost, "/v1/objects/services/"+url.PathEscape(service), map[string]any{"attrs": attributes}, nil); err != nil {
		t.Fatal(err)
	}
}

// Has says whether the node has an object, such as "eventcommands", "resync_prewarm_pool".
func (n *Node) Has(kind, name string) bool {
	return n.call(http.MethodGet, "/v1/objects/"+kind+"/"+url.PathEscape(name), nil, nil) == nil
}

// Connected says whether the node has a connection to another.
func (n *Node) Connected(endpoint string) bool {
	var answer struct {
		Results []struct{ Attrs struct{ Connected bool } }
	}
	err := n.call(http.MethodGet, "/v1/objects/endpoints/"+endpoint, nil, &answer)
	return err == nil && len(answer.Results) == 1 && answer.Results[0].Attrs.Connected
}
