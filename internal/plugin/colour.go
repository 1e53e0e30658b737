package plugin

import (
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
)

// stateWord is a state where the frame puts it: at the beginning of the first line and of further findings. A name from an API
// that looks like one stands elsewhere.
var stateWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\\_ )?\[(OK|WARNING|CRITICAL|UNKNOWN)\]`)
})

// colours of the states (ECMA-48): green, yellow, red, magenta.
var colours = map[string]string{"OK": "32", "WARNING": "33", "CRITICAL": "31", "UNKNOWN": "35"}

// coloured paints the states, for a person at a terminal.
func coloured(text string) string {
	return stateWord().ReplaceAllStringFunc(text, func(found string) string {
		word := strings.Trim(found, `\_ []`)
		return strings.Replace(found, word, "\x1b["+colours[word]+"m"+word+"\x1b[0m", 1)
	})
}

// atTerminal says that a person reads along: the monitoring system gives a pipe. NO_COLOR (no-color.org) and a terminal that
// can show none are heeded.
func atTerminal(out io.Writer, env []string) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	term := (&Run{env: env}).Getenv("TERM")
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && term != "" && term != "dumb" && (&Run{env: env}).Getenv("NO_COLOR") == ""
}
