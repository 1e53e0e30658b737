//go:build linux

package realicinga

import (
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
)

// Wire is a connection between two nodes that a test can cut while both live.
type Wire struct {
	Port     int
	listener net.Listener
	mu       sync.Mutex
	open     []net.Conn
	cut      bool
}

// NewWire leads to a port of 127.0.0.1.
func NewWire(t testing.TB, to int) *Wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{Port: listener.Addr().(*net.TCPAddr).Port, listener: listener}
	t.Cleanup(w.Cut)
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(to)))
			if err != nil {
				near.Close()
				continue
			}
			w.keep(near, far)
			go pass(near, far)
			go pass(far, near)
		}
	}()
	return w
}

func pass(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
	from.Close()
}

func (w *Wire) keep(ends ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = append(w.open, ends...)
	if w.cut {
		w.close()
	}
}

func (w *Wire) close() {
	for _, end := range w.open {
		end.Close()
	}
	w.open = nil
}

// Cut ends the connections, and takes no new ones.
func (w *Wire) Cut() {
	w.listener.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	w.close()
}
