package realkube

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// process is a server that runs until it is killed, or until the tests' own process ends for whatever reason.
type process struct {
	name string
	log  string
	pid  int
	done chan struct{} // closed when it has ended and was waited for
}

func start(dir, binary string, args ...string) (*process, error) {
	p := &process{name: filepath.Base(binary), done: make(chan struct{})}
	p.log = filepath.Join(dir, p.name+".log")
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}

	started := make(chan error)
	go func() {
		// Pdeathsig strikes when the starting thread ends, so that thread is kept for as long as the server runs.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in the log; most often it is our own kill
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	p.pid = cmd.Process.Pid
	return p, nil
}

// kill ends the process and what it started, and waits for its end.
func (p *process) kill() {
	if p == nil {
		return
	}
	select {
	case <-p.done: // its id may be somebody else's by now
	default:
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
		<-p.done
	}
}

func (p *process) freeze() error { return syscall.Kill(p.pid, syscall.SIGSTOP) }
func (p *process) thaw() error   { return syscall.Kill(p.pid, syscall.SIGCONT) }

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// tail is the end of the process's log, for a message about its failure.
func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return fmt.Sprintf("the log of %s ends:\n%s", p.name, strings.Join(lines[max(0, len(lines)-25):], "\n"))
}
