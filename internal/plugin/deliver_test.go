package plugin

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// broken is a stdout that fails.
type broken struct{ how string }

func (b broken) Write(p []byte) (int, error) {
	switch b.how {
	case "error":
		return 0, errors.New("no space left on device")
	case "short":
		return len(p) - 1, nil
	}
	panic("no writer")
}

func TestUnwritableOutput(t *testing.T) {
	for _, how := range []string{"error", "short", "panic"} {
		code := Main(t.Context(), process(), []string{"--summary=well"}, nil, broken{how})
		if code != 3 {
			t.Errorf("%s: exit %d, though nobody can have read the verdict", how, code)
		}
	}
}

func TestClosedPipe(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	reader.Close()
	command := exec.Command("check_test", "--summary", "well")
	command.Stdout = writer
	err = command.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("want exit 3, not the end by SIGPIPE: %v", err)
	}
}

// stuck is a stdout that nobody reads.
type stuck struct{ entered, released chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	close(s.entered)
	<-s.released
	return len(p), nil
}

func TestUnreadOutput(t *testing.T) {
	out := stuck{make(chan struct{}), make(chan struct{})}
	defer close(out.released)
	go func() {
		<-out.entered
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}()
	if code := Main(t.Context(), process(), []string{"--summary=well"}, nil, out); code != 3 {
		t.Errorf("exit %d, though nobody can have read the verdict", code)
	}
}
