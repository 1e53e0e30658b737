package resync

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"overdue/internal/plugin"
)

// restartPatience is how long the operator's command may take.
const restartPatience = time.Minute

// kept is what a command gets of this process's environment, which may hold tokens.
var kept = []string{"PATH", "HOME", "LANG"}

// runCommand runs a command without a shell, and ends it and its children when its time is over. What it prints is told only
// if it fails; it goes to a file, as a daemon that the command leaves behind would hold a pipe open, or die of its end.
func runCommand(ctx context.Context, words []string) error {
	if ctx.Err() != nil {
		return errUnstarted{ctx.Err()}
	}
	command := exec.Command(words[0], words[1:]...)
	command.Env = []string{} // nil would be all
	for _, name := range kept {
		if value, ok := os.LookupEnv(name); ok {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	said, err := os.CreateTemp("", programName+"-*")
	if err == nil { // otherwise what it prints is lost
		defer said.Close()
		_ = os.Remove(said.Name())
		command.Stdout, command.Stderr = said, said
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return errUnstarted{fmt.Errorf("%s: %w", words[0], err)}
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
		if kill := syscall.Kill(-command.Process.Pid, syscall.SIGKILL); kill != nil { // not allowed for what sudo started
			err = fmt.Errorf("%w, and it cannot be ended: %w", err, kill)
		}
	}
	if err == nil {
		return nil
	}
	if text := plugin.Clean(end(said)); text != "" {
		return fmt.Errorf("%s: %w: %s", words[0], err, text)
	}
	return fmt.Errorf("%s: %w", words[0], err)
}

// errUnstarted says that the command did not even begin.
type errUnstarted struct{ error }

func (errUnstarted) Hint() string {
	return "see that --restart-command names a program that the user who runs the handler may execute"
}

func (e errUnstarted) Unwrap() error { return e.error }

// end is the end of what a file holds.
func end(file *os.File) string {
	const most = 200
	if file == nil {
		return ""
	}
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, most)
	n, _ := file.ReadAt(text, max(0, info.Size()-most))
	return string(text[:n])
}
