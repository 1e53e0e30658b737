package resync

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// thisMoment reads both clocks. Where the kernel does not tell (other than Linux), only the wall clock is known.
func thisMoment() Moment {
	now := Moment{Wall: time.Now(), Host: hostName()}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return now
	}
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return now
	}
	first, _, _ := strings.Cut(string(uptime), " ")
	seconds, err := strconv.ParseFloat(first, 64)
	if err != nil || seconds < 0 || seconds > 1e9 {
		return now
	}
	now.Boot, now.Uptime = strings.TrimSpace(string(boot)), time.Duration(seconds*float64(time.Second))
	return now
}

// whenWritten is when a file was last written, by the clock of whoever keeps the file; zero if that cannot be known.
func whenWritten(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}
