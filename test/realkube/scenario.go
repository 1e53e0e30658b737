package realkube

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

//go:embed testdata
var testdata embed.FS

const (
	mcoAPI   = "/apis/machineconfiguration.openshift.io/v1"
	poolPath = mcoAPI + "/machineconfigpools"
	crdPath  = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

// scenarioTime is when the worker pool of every scenario changed last, unless LoadScenarioAged moved it.
var scenarioTime = time.Date(2026, 11, 30, 23, 58, 41, 0, time.UTC)

// Scenarios are the names that LoadScenario takes.
func Scenarios() []string {
	files, err := fs.Glob(testdata, "testdata/scenarios/*.yaml")
	if err != nil {
		panic(err) // the pattern is wrong
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(path.Base(file), ".yaml")
	}
	return files
}

// scenario is a situation, told by what differs from a cluster of 3 masters and 44 workers in which all is well.
type scenario struct {
	WorkersAt   string            // the workers' config, if not the pool's target
	StaleStatus bool              // the controller has not seen the pools' newest target
	Worker      object            // of the worker pool
	Nodes       map[string]object // of single nodes
	Extra       []object          // whole objects besides
}

// cluster is all that a scenario consists of.
type cluster struct {
	machineConfigs, pools, nodes, extra []object
	stale                               bool
}

// LoadScenario replaces all nodes, pools and machine configs in the server by a scenario's: "incident", "healthy", or one
// of a to j by its letter or whole name.
func (s *Server) LoadScenario(t testing.TB, name string) {
	t.Helper()
	s.load(t, name, 0)
}

// LoadScenarioAged loads a scenario whose times are moved so that the worker pool changed that long ago. Times that the
// server writes itself (creationTimestamp, managedFields) are those of the loading.
func (s *Server) LoadScenarioAged(t testing.TB, name string, age time.Duration) {
	t.Helper()
	s.load(t, name, time.Now().Add(-age).Truncate(time.Second).Sub(scenarioTime))
}

func (s *Server) load(t testing.TB, name string, shift time.Duration) {
	t.Helper()
	c, err := read(name, shift)
	if err != nil {
		t.Fatal(err)
	}
	s.installCRDs(t)
	s.clear(t)
	if err := s.applyAll(slices.Concat(c.machineConfigs, c.nodes, c.extra)...); err != nil {
		t.Fatal(err)
	}
	for _, pool := range c.pools {
		if err := s.loadPool(pool, c.stale); err != nil {
			t.Fatal(err)
		}
	}
}

// loadPool writes a pool whose status is of its newest generation, or of the one before.
func (s *Server) loadPool(pool object, stale bool) error {
	spec, status := nested(pool, "spec"), nested(pool, "status")
	status["observedGeneration"] = 1
	now := maps.Clone(pool)
	if stale {
		now["spec"] = merge(spec, object{"configuration": status["configuration"]})
	}
	if err := s.apply(now); err != nil {
		return err
	}
	if !stale {
		return nil
	}
	return s.json(http.MethodPatch, fmt.Sprintf("%s/%v", poolPath, nested(pool, "metadata")["name"]), object{"spec": spec}, nil)
}

// clear removes all nodes, pools, machine configs and machine config nodes.
func (s *Server) clear(t testing.TB) {
	t.Helper()
	s.Delete(t, "/api/v1/nodes")
	for _, plural := range []string{"machineconfigpools", "machineconfigs", "machineconfignodes"} {
		s.Delete(t, mcoAPI+"/"+plural)
	}
}

// installCRDs makes the server know the kinds of the machine-config operator.
func (s *Server) installCRDs(t testing.TB) {
	t.Helper()
	docs := must(parse("crds.yaml"))
	if err := s.apply(docs...); err != nil {
		t.Fatal(err)
	}
	// Discovery names a kind a moment before its paths answer.
	for _, doc := range docs {
		plural := nested(nested(doc, "spec"), "names")["plural"]
		s.await(t, fmt.Sprintf("%s/%v", mcoAPI, plural), http.StatusOK)
	}
}

// RemoveCRDs makes the server one of plain Kubernetes.
func (s *Server) RemoveCRDs(t testing.TB) {
	t.Helper()
	for _, doc := range must(parse("crds.yaml")) {
		s.Delete(t, fmt.Sprintf("%s/%v", crdPath, nested(doc, "metadata")["name"]))
		s.await(t, fmt.Sprintf("%s/%v", mcoAPI, nested(nested(doc, "spec"), "names")["plural"]), http.StatusNotFound)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.resources, func(key string, _ resource) bool { return strings.HasPrefix(key, "machineconfiguration") })
}

func (s *Server) await(t testing.TB, path string, want int) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		got, body := s.Do(t, Admin, http.MethodGet, path, nil)
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("GET %s: still %d, not %d: %s", path, got, want, body)
		}
	}
}

func read(name string, shift time.Duration) (*cluster, error) {
	for _, known := range Scenarios() {
		if len(name) == 1 && strings.HasPrefix(known, name+"-") {
			name = known
		}
	}
	text, err := testdata.ReadFile("testdata/scenarios/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no scenario %q, there are %s", name, strings.Join(Scenarios(), ", "))
	}
	var sc scenario
	if err := yaml.UnmarshalStrict(text, &sc); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", name, err)
	}
	c := &cluster{stale: sc.StaleStatus}
	if c.machineConfigs, err = parse("machineconfigs.yaml"); err != nil {
		return nil, err
	}
	if c.pools, err = parse("pools.yaml"); err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for i, pool := range c.pools {
		name := nested(pool, "metadata")["name"].(string)
		if name == "worker" {
			c.pools[i] = merge(pool, sc.Worker)
		}
		targets[name] = nested(nested(pool, "spec"), "configuration")["name"].(string)
	}
	for _, extra := range sc.Extra {
		if extra["kind"] == "MachineConfigPool" {
			c.pools = append(c.pools, extra)
		} else {
			c.extra = append(c.extra, extra)
		}
	}
	if c.nodes, err = nodes(targets["master"], cmp.Or(sc.WorkersAt, targets["worker"]), sc.Nodes); err != nil {
		return nil, err
	}
	if shift != 0 {
		for _, list := range [][]object{c.machineConfigs, c.pools, c.nodes, c.extra} {
			for i := range list {
				if list[i], err = moved(list[i], shift); err != nil {
					return nil, err
				}
			}
		}
	}
	return c, nil
}

// nodes are the incident's cluster: ctl-0 to ctl-2, wrk-60 to wrk-103, the nineties with four GPUs each.
func nodes(mastersAt, workersAt string, patches map[string]object) ([]object, error) {
	master, err := parse("node-master.yaml")
	if err != nil {
		return nil, err
	}
	gpu, err := parse("node-gpu.yaml")
	if err != nil {
		return nil, err
	}
	var all []object
	add := func(name, config string, serial int, kind ...object) error {
		node, err := node(name, config, serial)
		if err != nil {
			return err
		}
		for _, patch := range append(kind, patches[name]) {
			node = merge(node, patch)
		}
		all = append(all, node)
		return nil
	}
	for i := range 3 {
		if err := add(fmt.Sprintf("ctl-%d", i), mastersAt, 10+i, master...); err != nil {
			return nil, err
		}
	}
	for i := 60; i <= 103; i++ {
		var kind []object
		if i >= 90 && i <= 99 {
			kind = gpu
		}
		if err := add(fmt.Sprintf("wrk-%d", i), workersAt, i, kind...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func node(name, config string, serial int) (object, error) {
	text, err := testdata.ReadFile("testdata/node.yaml")
	if err != nil {
		return nil, err
	}
	var o object
	err = yaml.Unmarshal([]byte(strings.NewReplacer(
		"$NAME", name, "$CONFIG", config,
		"$ADDRESS", fmt.Sprintf("192.0.2.%d", serial%256), "$SERIAL", fmt.Sprintf("%012d", serial),
	).Replace(string(text))), &o)
	return o, err
}

var timestamp = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)

// moved is the object with all its times moved.
func moved(o object, by time.Duration) (object, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	text = timestamp.ReplaceAllFunc(text, func(quoted []byte) []byte {
		at, err := time.Parse(`"`+time.RFC3339+`"`, string(quoted))
		if err != nil {
			return quoted
		}
		return []byte(at.Add(by).Format(`"` + time.RFC3339 + `"`))
	})
	var out object
	err = json.Unmarshal(text, &out)
	return out, err
}

// merge is o with a JSON merge patch (RFC 7386) applied. Neither argument is changed.
func merge(o, patch object) object {
	out := object{}
	maps.Copy(out, o)
	for key, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(out, key)
		case object:
			out[key] = merge(nested(out, key), value)
		default:
			out[key] = value
		}
	}
	return out
}

func parse(name string) ([]object, error) {
	text, err := testdata.ReadFile("testdata/" + name)
	if err != nil {
		return nil, err
	}
	return documents(text)
}

func must(docs []object, err error) []object {
	if err != nil {
		panic(err) // our own file is broken
	}
	return docs
}
