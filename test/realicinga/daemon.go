//go:build linux

// Package realicinga runs real Icinga 2 daemons on loopback for tests, with the suite's files in the global zone, and drives them
// through their API. Nothing is checked by itself: a test says when, so that it need not wait.
package realicinga

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// RequiredVariable names the environment variable that makes a test fail, and not be skipped, where a daemon is not installed.
const RequiredVariable = "OVERDUE_DAEMONS"

// An Icinga that has lost its zone's other node takes up to 40 s to do its work.
const startDeadline = time.Minute

// Find returns the path of a daemon's program, or skips the test.
func Find(t testing.TB, program, debianPackage string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/sbin/", "/usr/bin/"} {
		if path, err := exec.LookPath(dir + program); err == nil {
			return path
		}
	}
	if os.Getenv(RequiredVariable) != "" {
		t.Fatalf("%s is not installed (Debian: %s)", program, debianPackage)
	}
	t.Skipf("%s is not installed (Debian: %s)", program, debianPackage)
	return ""
}

// Node is a daemon.
type Node struct {
	Name    string
	Zone    string
	Parent  string // zone; "" for the master's
	Port    int
	Plugins string // PluginDir
	Through int    // port at which the other node of its zone finds it; 0: Port
	dir     string
	program string
	ca      *authority
	client  *http.Client
}

// NewNode prepares a node with a certificate of the authority. Its zone has its name; another may be set.
func NewNode(t testing.TB, ca *authority, name, parent, plugins string) *Node {
	t.Helper()
	n := &Node{Name: name, Zone: name, Parent: parent, Plugins: plugins, dir: filepath.Join(t.TempDir(), name), program: Find(t, "icinga2", "icinga2-bin"), ca: ca, Port: freePort(t)}
	for _, dir := range []string{"data/certs", "log", "cache", "spool", "run", "zones.d", "features"} {
		if err := os.MkdirAll(filepath.Join(n.dir, dir), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	ca.issue(t, n)
	return n
}

// Path is a file of the node.
func (n *Node) Path(elements ...string) string {
	return filepath.Join(append([]string{n.dir}, elements...)...)
}

// Write puts a file into the node's configuration, such as "zones.d/master/hosts.conf".
func (n *Node) Write(t testing.TB, name, text string) {
	t.Helper()
	path := n.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// Install copies the suite's files into the node's global zone.
func (n *Node) Install(t testing.TB, files ...string) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n.Write(t, filepath.Join("zones.d/global-templates", filepath.Base(file)), string(text))
	}
}

func (n *Node) args(command ...string) []string {
	who, group := "root", "root"
	if me, err := user.Current(); err == nil {
		who, group = me.Username, me.Username
		if g, err := user.LookupGroupId(me.Gid); err == nil {
			group = g.Name
		}
	}
	for constant, value := range map[string]string{
		"ConfigDir": n.dir, "ZonesDir": n.Path("zones.d"), "DataDir": n.Path("data"), "LogDir": n.Path("log"), "CacheDir": n.Path("cache"),
		"SpoolDir": n.Path("spool"), "InitRunDir": n.Path("run"), "PidPath": n.Path("run/icinga2.pid"), "PluginDir": n.Plugins,
		"NodeName": n.Name, "ZoneName": n.Zone, "ApiPort": strconv.Itoa(n.Port), "RunAsUser": who, "RunAsGroup": group,
	} {
		command = append(command, "-D"+constant+"="+value)
	}
	return command
}

// Validate is `icinga2 daemon -C`: what it says, and whether it is content.
func (n *Node) Validate(t testing.TB) (output string, valid bool) {
	t.Helper()
	text, err := exec.Command(n.program, n.args("daemon", "-C", "-c", n.Path("icinga2.conf"))...).CombinedOutput()
	return string(text), err == nil
}

// Start runs the daemon until the test ends, and returns when its API answers.
func (n *Node) Start(t testing.TB) {
	t.Helper()
	if output, valid := n.Validate(t); !valid {
		t.Fatalf("%s: the configuration is not valid:\n%s", n.Name, output)
	}
	log, err := os.Create(n.Path("log/console.log"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(n.program, n.args("daemon", "-c", n.Path("icinga2.conf"))...)
	command.Stdout, command.Stderr = log, log
	command.Env = []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL=C"}
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(startDeadline):
			_ = command.Process.Kill()
			t.Errorf("%s did not end when it was told to", n.Name)
		}
		if t.Failed() {
			t.Logf("%s's log warns:\n%s", n.Name, n.tail())
		}
	})
	Await(t, n.Name+" answers", func() error {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", n.Name, err, n.tail())
		default:
		}
		return n.call(http.MethodGet, "/v1/status/ApiListener", nil, nil)
	})
}

// Log is the debug log.
func (n *Node) Log(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(n.Path("log/debug.log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func (n *Node) tail() string {
	text, _ := os.ReadFile(n.Path("log/console.log"))
	var told []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.Contains(line, "warning/") || strings.Contains(line, "critical/") {
			told = append(told, line)
		}
	}
	return strings.Join(told[max(0, len(told)-25):], "\n")
}

// Await polls until the condition holds, and fails the test with the last error if it does not within a minute.
func Await(t testing.TB, what string, condition func() error) {
	t.Helper()
	var err error
	for end := time.Now().Add(startDeadline); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = condition(); err == nil {
			return
		}
	}
	t.Fatalf("%s: not within %v: %v", what, startDeadline, err)
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

var errNot = errors.New("not so")

// Not is an error for Await.
func Not(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errNot}, args...)...)
}

// Handled are the runs of a service's event handler on this node that have ended: their command lines, by the debug log.
func (n *Node) Handled(t testing.TB, service string) (runs []string) {
	t.Helper()
	host, name, _ := strings.Cut(service, "!")
	for line := range strings.SplitSeq(n.Log(t), "\n") {
		if strings.Contains(line, "notice/Process: PID ") && strings.Contains(line, "resync_prewarm_pool' ") && strings.Contains(line, "terminated with exit code") &&
			strings.Contains(line, "'--icinga-host' '"+host+"'") && strings.Contains(line, "'--icinga-service' '"+name+"'") {
			runs = append(runs, line)
		}
	}
	return runs
}
