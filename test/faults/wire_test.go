//go:build integration

package faults

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

var quiet = log.New(io.Discard, "", 0)

const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// request reads one request's head.
func request(conn net.Conn) bool {
	r, err := http.ReadRequest(bufio.NewReader(conn))
	return err == nil && r != nil
}

// hold keeps a connection open until the other side has gone.
func hold(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func say(conn net.Conn, text string) { _, _ = io.WriteString(conn, text) }

// drip sends a text one byte at a time, for longer than any deadline of these tests.
func drip(conn net.Conn, text string) {
	for _, b := range []byte(text) {
		if _, err := conn.Write([]byte{b}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// flood sends a piece until the other side has had enough, or 100 MB.
func flood(conn net.Conn, head, piece string) {
	say(conn, head)
	block := strings.Repeat(piece, 64<<10/len(piece))
	for sent := 0; sent < 100<<20; sent += len(block) {
		if _, err := io.WriteString(conn, block); err != nil {
			return
		}
	}
}

// Whatever a connection does, the plugin ends in time, and not with OK.
func TestWire(t *testing.T) {
	faults := map[string]func(net.Conn){
		"closes at once":              func(net.Conn) {},
		"reads the request and hangs": func(c net.Conn) { request(c); hold(c) },
		"hangs before it reads":       func(c net.Conn) { time.Sleep(4 * time.Second) },
		"closes after the request":    func(c net.Conn) { request(c) },
		"speaks another protocol":     func(c net.Conn) { say(c, "220 mail.example.com ESMTP\r\n"); hold(c) },
		"half a status line":          func(c net.Conn) { request(c); say(c, "HTTP/1.1 20") },
		"no end of headers":           func(c net.Conn) { request(c); flood(c, ok, "X-Header: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n") },
		"headers and then nothing":    func(c net.Conn) { request(c); say(c, ok+"Content-Length: 100\r\n\r\n"); hold(c) },
		"closes within the body":      func(c net.Conn) { request(c); say(c, ok+"Content-Length: 100\r\n\r\n{\"kind\":") },
		"a byte a second":             func(c net.Conn) { request(c); drip(c, ok+"\r\n{\"kind\":\"List\",\"items\":[]}") },
		"a drip of a body":            func(c net.Conn) { request(c); say(c, ok+"\r\n"); drip(c, strings.Repeat(" ", 20)+"[]") },
		"100 MB of one string":        func(c net.Conn) { request(c); flood(c, ok+"\r\n{\"items\":[{\"metadata\":{\"name\":\"", "a") },
		"100 MB of blanks":            func(c net.Conn) { request(c); flood(c, ok+"\r\n", " ") },
		"100 MB of empty items":       func(c net.Conn) { request(c); flood(c, ok+"\r\n{\"items\":[", "{},") },
		"deep arrays":                 func(c net.Conn) { request(c); flood(c, ok+"\r\n", "[") },
		"deep objects":                func(c net.Conn) { request(c); flood(c, ok+"\r\n", `{"a":`) },
		"a chunk that is too long":    func(c net.Conn) { request(c); say(c, ok+"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n") },
		"two lengths":                 func(c net.Conn) { request(c); say(c, ok+"Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]") },
		"informational without end":   func(c net.Conn) { request(c); flood(c, "", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n") },
		"a header line of megabytes":  func(c net.Conn) { request(c); flood(c, ok+"X: ", "a") },
	}
	everyPlugin(t, func(t *testing.T, p plugin) {
		for name, fault := range faults {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server, f := serveWire(t, fault)
				if r := p.start(t, 2*time.Second, p.args(server.URL, f.token, f.ca)...); r.code == 0 {
					t.Errorf("OK without an answer: %s", r.out)
				}
			})
		}
		t.Run("refused", func(t *testing.T) {
			server, f := serve(t, http.NotFoundHandler())
			server.Close()
			if r := p.start(t, 2*time.Second, p.args(server.URL, f.token, f.ca)...); r.code == 0 || !strings.Contains(r.out, "refused") {
				t.Errorf("not told: %s", r.out)
			}
		})
	})
}

// Bodies that a server might send with every status.
func TestStatus(t *testing.T) {
	everyPlugin(t, func(t *testing.T, p plugin) {
		codes := []int{}
		for code := 200; code < 600; code++ {
			codes = append(codes, code)
		}
		for _, code := range codes {
			body := []string{"", "<html><body>Bad gateway</body></html>", `{"message":"` + secret + `"}`, "\x00\xff\x1b[31m|<b>", "null", "[]", "{}", `"x"`}[code%8]
			server, f := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", []string{"application/json", "text/html", "application/vnd.kubernetes.protobuf"}[code%3])
				w.Header().Set("Retry-After", "3600")
				w.Header().Set("X-Echo", r.Header.Get("Authorization")+r.Header.Get("X-Nomad-Token"))
				w.WriteHeader(code)
				_, _ = io.WriteString(w, body)
			}))
			r := p.start(t, 3*time.Second, p.args(server.URL, f.token, f.ca)...)
			if r.code == 0 {
				t.Errorf("status %d with %q is OK: %s", code, body, r.out)
			}
			server.Close()
		}
	})
}

// A token must not follow a redirect to another host, and a loop must end.
func TestRedirects(t *testing.T) {
	everyPlugin(t, func(t *testing.T, p plugin) {
		for _, code := range []int{301, 302, 303, 307, 308} {
			var leaked string
			other, _ := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				leaked += fmt.Sprint(r.Header)
				http.Redirect(w, r, r.URL.Path, code)
			}))
			target := strings.Replace(other.URL, "127.0.0.1", "127.0.0.2", 1)
			server, f := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target+r.URL.Path, code) }))
			if r := p.start(t, 2*time.Second, p.args(server.URL, f.token, f.ca)...); r.code == 0 {
				t.Errorf("%d: OK: %s", code, r.out)
			}
			if strings.Contains(leaked, secret) {
				t.Errorf("%d: the token went to another host", code)
			}
			loop, f := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, code) }))
			if r := p.start(t, 2*time.Second, p.args(loop.URL, f.token, f.ca)...); r.code == 0 {
				t.Errorf("%d in a loop: OK: %s", code, r.out)
			}
		}
	})
}

// A small answer may unpack into gigabytes.
func TestGzipBomb(t *testing.T) {
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	_, _ = io.WriteString(w, `{"kind":"List","apiVersion":"v1","items":[{"metadata":{"name":"`)
	zeros := bytes.Repeat([]byte("0"), 1<<20)
	for range 1 << 10 {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	everyPlugin(t, func(t *testing.T, p plugin) {
		server, f := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}))
		if r := p.start(t, 5*time.Second, p.args(server.URL, f.token, f.ca)...); r.code == 0 {
			t.Errorf("OK: %s", r.out)
		}
	})
}
