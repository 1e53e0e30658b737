package plugin

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// parse reads the command line. Its errors are worded for the person who typed it.
func parse(set *pflag.FlagSet, args []string) error {
	for _, arg := range args {
		if strings.HasPrefix(arg, "-test.") {
			return fmt.Errorf("unknown flag %s", arg) // pflag lets these pass without a word
		}
	}
	err := set.ParseAll(args, func(flag *pflag.Flag, value string) error { return setFlag(set, flag, value) })
	if err != nil {
		return wording(set, err)
	}
	if rest := set.Args(); len(rest) > 0 {
		return positional(set, args, rest)
	}
	return nil
}

// setFlag keeps a panic in a flag's value from escaping.
func setFlag(set *pflag.FlagSet, flag *pflag.Flag, value string) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = fmt.Errorf("--%s: %q cannot be read: %v", flag.Name, clip(value, maxLabel), crash)
		}
	}()
	return set.Set(flag.Name, value)
}

func wording(set *pflag.FlagSet, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		name, cluster := missing.GetSpecifiedName(), missing.GetSpecifiedShortnames()
		if cluster != "" {
			return fmt.Errorf("unknown flag -%s%s", name, within(name, cluster))
		}
		if near := nearest(set, name); near != "" {
			return fmt.Errorf("unknown flag --%s; did you mean --%s?", name, near)
		}
		return fmt.Errorf("unknown flag --%s", name)
	}
	var valueless *pflag.ValueRequiredError
	if errors.As(err, &valueless) {
		return fmt.Errorf("--%s needs a value", valueless.GetFlag().Name)
	}
	var syntax *pflag.InvalidSyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%q is not a flag", syntax.GetSpecifiedFlag())
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	cause := invalid.Unwrap().Error()
	var number *strconv.NumError
	if errors.As(err, &number) {
		cause = number.Err.Error()
		if kind, _ := pflag.UnquoteUsage(invalid.GetFlag()); number.Err == strconv.ErrSyntax && kind != "" {
			cause = "not of the kind " + kind
		}
	}
	return fmt.Errorf("--%s %q: %s", invalid.GetFlag().Name, clip(invalid.GetValue(), maxLabel), cause)
}

// within tells in which word a short flag stood, if it was not alone.
func within(name, cluster string) string {
	if cluster == name {
		return ""
	}
	return " in -" + cluster
}

func positional(set *pflag.FlagSet, args, rest []string) error {
	shown := make([]string, 0, 3)
	for _, arg := range rest[:min(len(rest), 3)] {
		shown = append(shown, strconv.Quote(clip(arg, maxLabel)))
	}
	err := fmt.Errorf("unexpected %s", strings.Join(shown, ", "))
	at := slices.Index(args, rest[0])
	if at <= 0 {
		return err
	}
	var flag *pflag.Flag
	switch before := args[at-1]; {
	case strings.HasPrefix(before, "--"):
		flag = set.Lookup(before[2:])
	case len(before) == 2 && before[0] == '-':
		flag = set.ShorthandLookup(before[1:])
	}
	if flag == nil || flag.NoOptDefVal == "" {
		return err
	}
	return fmt.Errorf("%w: the switch %s takes no value", err, args[at-1])
}

// asked says whether a switch stands on a command line that could not be read as a whole.
func asked(args []string, long, short string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case long, short:
			return true
		}
	}
	return false
}

// nearest is the flag that a misspelt name probably means, or "".
func nearest(set *pflag.FlagSet, name string) string {
	if len(name) > 40 {
		return ""
	}
	var known []string
	set.VisitAll(func(flag *pflag.Flag) { known = append(known, flag.Name) })
	return Nearest(name, known)
}

// Nearest is the one of the known words that a misspelt one probably means; "": none. A third of its characters may be wrong.
func Nearest(word string, known []string) string {
	best, least := "", len(word)/3+1
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of characters to insert, delete or change (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
