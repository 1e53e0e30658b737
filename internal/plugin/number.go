package plugin

import (
	"errors"
	"strconv"
)

// Number reads a number from 0 on in decimal digits, and nothing else: pflag's own flags take 010 for 8.
func Number(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, errors.New("not a number in decimal digits")
	}
	return int(n), nil
}
