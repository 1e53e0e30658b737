package plugin

import (
	"io"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signals are those that ask a run to end. SIGQUIT is among them because Go would exit 2 on it, which reads as CRITICAL.
type signals struct {
	stop chan os.Signal
}

func (s *signals) catch() {
	s.stop = make(chan os.Signal, 1)
	signal.Notify(s.stop, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
}

func (s *signals) release() {
	if s.stop != nil {
		signal.Stop(s.stop)
	}
}

func signalName(s os.Signal) string {
	switch s {
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	}
	return s.String()
}

var silence struct {
	sync.Mutex
	runs   int
	before io.Writer
}

// silenceLog keeps Go's standard logger from writing to stderr, which Icinga prints before the verdict, until the last run
// of this process has ended.
func silenceLog() (restore func()) {
	silence.Lock()
	defer silence.Unlock()
	if silence.runs == 0 {
		silence.before = log.Writer()
		log.SetOutput(io.Discard)
	}
	silence.runs++
	return func() {
		silence.Lock()
		defer silence.Unlock()
		silence.runs--
		if silence.runs == 0 {
			log.SetOutput(silence.before)
		}
	}
}
