package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// This file says what a verb wants if its arguments or the value of a flag are wrong. Cobra's own texts count "arg(s)"
// and quote Go's conversion functions.

// NoBound is the largest number of arguments of a verb that takes any number of them.
const NoBound = -1

// Args wants a number of arguments from least to most. Its error shows the line that the verb wants.
func Args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n := len(args)
		if n >= least && (most == NoBound || n <= most) {
			return nil
		}
		_, verb, _ := strings.Cut(cmd.CommandPath(), " ")
		_, wanted, _ := strings.Cut(cmd.Use, " ")
		if most == 0 {
			return fmt.Errorf("%s: argument %q: want no arguments", verb, args[0])
		}
		given := "no argument"
		if n > 0 {
			given = Plural(n, "argument", "arguments")
		}
		return fmt.Errorf("%s: %s: want %s %s", verb, given, verb, wanted)
	}
}

// ExplainFlag explains an error of the flags of a verb. For a wrong value it says what the flag wants. For --set of a
// verb that reads no topology it names the verbs that do. It returns other errors unchanged.
func ExplainFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return wrongValue(invalid)
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedName() == Setting {
		return withoutSet(cmd)
	}
	return err
}

// wrongValue says which value a flag wants, by its type. A flag with a type of cellwarden's says it itself.
func wrongValue(err *pflag.InvalidValueError) error {
	name, want := err.GetFlag().Name, ""
	switch err.GetFlag().Value.Type() {
	case "int", "int64":
		want = "a whole number"
	case "uint", "uint64":
		want = "a whole number, 0 or more"
	case "intSlice":
		want = "whole numbers with commas between them"
	case "float64":
		want = "a number"
	case "bool":
		want = "true or false"
	case "duration":
		want = "a time such as 500ms, 30s or 5m"
	default:
		return fmt.Errorf("--%s: %w", name, err.Unwrap())
	}
	if errors.Is(err, strconv.ErrRange) {
		want += " of at most 64 bits"
	}
	return fmt.Errorf("--%s: %q: want %s", name, err.GetValue(), want)
}
