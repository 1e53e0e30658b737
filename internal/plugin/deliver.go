package plugin

import (
	"io"
	"os"
	"syscall"
	"time"
)

// deliver writes the output. A reader that does not read can hold it up, so the end of the run's time ends the attempt, and so
// does a signal, after a moment for readers that do. While signals are not caught, they end the process.
func deliver(out io.Writer, text string, stop <-chan os.Signal, until time.Time) bool {
	if stop == nil {
		return write(out, text)
	}
	written := make(chan bool, 1)
	go func() { written <- write(out, text) }()
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case complete := <-written:
		return complete
	case <-timer.C:
		return false
	case <-stop:
		timer.Reset(grace)
	}
	select {
	case complete := <-written:
		return complete
	case <-timer.C:
		return false
	}
}

func write(out io.Writer, text string) (complete bool) {
	defer func() { _ = recover() }()
	if file, ok := out.(*os.File); ok {
		out = quietPipe{file}
	}
	n, err := io.WriteString(out, text)
	return err == nil && n == len(text)
}

// quietPipe writes to a file by itself, as os.File ends the process when stdout is a pipe that nobody reads.
type quietPipe struct{ file *os.File }

func (q quietPipe) Write(p []byte) (written int, err error) {
	conn, err := q.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := conn.Write(func(fd uintptr) (done bool) {
		for written < len(p) {
			n, failure := syscall.Write(int(fd), p[written:])
			switch {
			case failure == syscall.EINTR:
			case failure == syscall.EAGAIN:
				return false
			case failure != nil:
				err = failure
				return true
			default:
				written += n
			}
		}
		return true
	})
	if err == nil {
		err = failed
	}
	return written, err
}
