package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cellwarden/cellwarden/internal/once"
)

// This file says what a verb wants if its arguments or the value of a flag are wrong. Cobra's own texts count "arg(s)"
// and quote Go's conversion functions.

// NoBound is the largest number of arguments of a verb that takes any number of them.
const NoBound = -1

// placeholder is the name of an argument in the line of a verb: FILE. In a sentence it stands in angle brackets. Two
// capitals or more: a single one, as in 5 or -o X, is none.
var placeholder = once.Pattern(`[A-Z]{2,}`)

// Args wants a number of arguments from least to most. Its error shows the line that the verb wants.
func Args(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n := len(args)
		if n >= least && (most == NoBound || n <= most) {
			return nil
		}
		_, verb, _ := strings.Cut(cmd.CommandPath(), " ")
		_, wanted, _ := strings.Cut(cmd.Use, " ")
		wanted = placeholder().ReplaceAllStringFunc(wanted, func(name string) string {
			return "<" + strings.ToLower(name) + ">"
		})
		if most == 0 {
			return fmt.Errorf("%s: argument %q (want no arguments)", verb, args[0])
		}
		given := "no argument"
		if n > 0 {
			given = Plural(n, "argument", "arguments")
		}
		return fmt.Errorf("%s: %s (want %s %s)", verb, given, verb, wanted)
	}
}

// ExplainFlag explains an error of the flags of a verb: the flag and its value, and what the verb wants in their place.
// For --set of a verb that reads no topology it names the verbs that do. Errors of other kinds are returned as they
// are. A flag that has another name now is looked for after the flags that are there, so a new flag may take the
// name.
func ExplainFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var syntax *pflag.InvalidSyntaxError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		return wrongValue(invalid)
	case errors.As(err, &missing):
		return fmt.Errorf("%s: no value (want %s)", flagName(missing.GetSpecifiedName(), missing.GetSpecifiedShortnames()),
			wanted(missing.GetFlag()))
	case errors.As(err, &syntax):
		return fmt.Errorf("%s (want --name=value)", syntax.GetSpecifiedFlag())
	// What is left has a text of pflag's that is understood, such as a request for help.
	case !errors.As(err, &unknown):
		return err
	case unknown.GetSpecifiedName() == Setting:
		return withoutSet(cmd)
	}
	name := unknown.GetSpecifiedName()
	for _, g := range goneFlags {
		if g.verb == cmd.Name() && g.flag == name {
			return fmt.Errorf("--%s is no flag of %s any more (want %s)", name, cmd.Name(), g.now)
		}
	}
	return fmt.Errorf("%s is no flag of %s (want those of %s --help)", flagName(name, unknown.GetSpecifiedShortnames()),
		cmd.Name(), cmd.CommandPath())
}

// goneFlags are flags that have another name now, because their name means something else on other verbs. A flag that
// is misread under its old name would answer another question, so each old name is an error with the new one.
var goneFlags = []struct{ verb, flag, now string }{
	{"audit", "csv-table", "--table"},
	{"headroom", "csv-table", "--table"},
	{"headroom", "explain", "--all"},
	{"import", "report", "-o"},
	{"import", "table", "--" + HeadroomTable},
	{"init", "ports", "--port-count"},
	{"target", "password-file", "--password-list"},
	{"sim", "flows", "--flow-list"},
	{"ecn", "delay", "--loop-delay"},
	{"link", "pcap", "--lldp-pcap"},
	{"link", "sim", "--scenarios"},
	{"plan", "target", "--accepted-risk"},
	{"risk", "target", "--accepted-risk"},
	{"probe", "lines", "--requests"},
}

// flagName is a flag as it was given: short is the letters behind one hyphen.
func flagName(name, short string) string {
	if short != "" {
		return "-" + short
	}
	return "--" + name
}

// wrongValue says which value a flag wants. A flag with a type of cellwarden's says it itself. kinds has the words
// for the types of pflag; the types of the command line complain in their own words.
func wrongValue(err *pflag.InvalidValueError) error {
	f := err.GetFlag()
	want := kinds[f.Value.Type()]
	if want == "" {
		return fmt.Errorf("--%s: %w", f.Name, err.Unwrap())
	}
	if errors.Is(err, strconv.ErrRange) {
		want += " of at most 64 bits"
	}
	return fmt.Errorf("--%s: %q (want %s)", f.Name, err.GetValue(), want)
}

// kinds are what flags of the library's types want.
var kinds = map[string]string{
	"int": "a whole number", "int64": "a whole number",
	"uint": "a whole number, 0 or more", "uint64": "a whole number, 0 or more",
	"intSlice": "whole numbers with commas between them", "float64": "a number", "bool": "true or false",
	"duration": "a time such as 500ms, 30s or 5m",
}

// wanted is what a flag wants: by its type, or as its help says. A type without words of its own is explained by the
// help of the flag.
func wanted(f *pflag.Flag) string {
	if want := kinds[f.Value.Type()]; want != "" {
		return want
	}
	return "--" + f.Name + " and its value: " + f.Usage
}

// exclusive is the annotation of cobra for flags that do not go together. Cobra does not export the name. CheckFlags
// finds no group if a new version has another, and then cobra's text appears.
const exclusive = "cobra_annotation_mutually_exclusive"

// CheckFlags refuses a verb without a flag that it needs, and flags that do not go together, before cobra does it with
// texts of its own. It is for the root's PersistentPreRunE. A group of flags is complained of once, at the first of
// them that was given.
func CheckFlags(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, needed := f.Annotations[cobra.BashCompOneRequiredFlag]; needed && !f.Changed {
			err = errors.Join(err, fmt.Errorf("%s: no --%s (want it: %s)", cmd.Name(), f.Name, f.Usage))
		}
		for _, group := range f.Annotations[exclusive] {
			if given := givenOf(cmd, strings.Fields(group)); len(given) > 1 && given[0] == "--"+f.Name {
				err = errors.Join(err, fmt.Errorf("%s (want one of them)", strings.Join(given, " and ")))
			}
		}
	})
	return err
}

// givenOf are those of some flags that were given. The order is that of the alphabet, whatever order they were given
// in: the same mistake has the same text.
func givenOf(cmd *cobra.Command, names []string) (out []string) {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			out = append(out, "--"+name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// UnknownVerb refuses an argument of the root, which is no verb of it.
func UnknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	want := "those of " + cmd.CommandPath() + " --help"
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		want = strings.Join(near, " or ") + "; " + cmd.CommandPath() + " --help lists all"
	}
	return fmt.Errorf("%q is no command of %s (want %s)", args[0], cmd.CommandPath(), want)
}
