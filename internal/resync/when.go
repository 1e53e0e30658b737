package resync

import (
	"fmt"
	"strconv"
	"strings"
)

// When says at which states of the service the handler acts. Icinga calls a handler at each SOFT check and when a HARD state
// changes, never again while it lasts.
type When struct {
	Soft int  // from this attempt of a SOFT state on; 0 never
	Hard bool // at a HARD state
}

// Set reads "soft:6,hard", "hard" or "soft:2"; "soft" is every SOFT state. It is for pflag.
func (w *When) Set(text string) error {
	var read When
	for part := range strings.SplitSeq(text, ",") {
		name, attempt, numbered := strings.Cut(strings.TrimSpace(part), ":")
		switch {
		case strings.EqualFold(name, "hard") && !numbered && !read.Hard:
			read.Hard = true
		case strings.EqualFold(name, "soft") && read.Soft == 0:
			read.Soft = 1
			if !numbered {
				continue
			}
			n, err := strconv.ParseUint(attempt, 10, 31)
			if err != nil || n == 0 {
				return fmt.Errorf("%q is no attempt; give 1 or more, as in soft:6,hard", attempt)
			}
			read.Soft = int(n)
		default:
			return fmt.Errorf("%q is neither soft, soft:ATTEMPT nor hard, or it is there twice", part)
		}
	}
	*w = read
	return nil
}

// String is what Set reads.
func (w *When) String() string {
	var parts []string
	if w.Soft > 0 {
		parts = append(parts, "soft:"+strconv.Itoa(w.Soft))
	}
	if w.Hard {
		parts = append(parts, "hard")
	}
	return strings.Join(parts, ",")
}

// Type names the value in --help.
func (w *When) Type() string { return "WHEN" }
