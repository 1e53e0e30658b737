package resync

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"time"

	"overdue/internal/plugin"
)

// restartPatience is how long the operator's command may take.
const restartPatience = time.Minute

// runCommand runs a command without a shell, and ends it and its children when its time is over. What it prints is told only
// if it fails.
func runCommand(ctx context.Context, words []string) error {
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	var said tail
	command.Stdout, command.Stderr = &said, &said
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	if err := command.Start(); err != nil {
		return errUnstarted{fmt.Errorf("%s: %w", words[0], err)}
	}
	err := command.Wait()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("no end after %s", plugin.Age(restartPatience))
	}
	if said := plugin.Clean(string(said)); said != "" {
		return fmt.Errorf("%s: %w: %s", words[0], err, said)
	}
	return fmt.Errorf("%s: %w", words[0], err)
}

// errUnstarted says that the command did not even begin.
type errUnstarted struct{ error }

func (errUnstarted) Hint() string {
	return "see that --restart-command names a program that the user who runs the handler may execute"
}

func (e errUnstarted) Unwrap() error { return e.error }

// tail keeps the end of what is written to it.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	const most = 200
	*t = append(*t, p[max(0, len(p)-most):]...)
	*t = (*t)[max(0, len(*t)-most):]
	return len(p), nil
}
