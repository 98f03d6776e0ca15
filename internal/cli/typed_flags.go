package cli

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cellwarden/cellwarden/unit"
)

// This file has flags whose value is refused when flags are read, and not when it is needed.

// typed is the value of a flag that a function reads. An empty text, as of a script whose variable is empty, is a
// value.
type typed[T any] struct {
	to         *T
	text, kind string
	read       func(string) (T, error)
}

func (t *typed[T]) String() string { return t.text }
func (t *typed[T]) Type() string   { return t.kind }

// Set reads a value.
func (t *typed[T]) Set(text string) error {
	v, err := t.read(text)
	if err == nil {
		*t.to, t.text = v, text
	}
	return err
}

// TypedFlag adds a flag that a function reads. usual is the text of its default, which has to be one that is read; ""
// is none, and leaves the value as it is.
func TypedFlag[T any](flags *pflag.FlagSet, to *T, name, usual string, read func(string) (T, error), usage string) {
	t := &typed[T]{to, "", "string", read}
	if usual != "" {
		_ = t.Set(usual)
	}
	flags.Var(t, name, usage)
}

// WordFlag adds a flag that is one of some words.
func WordFlag(c *cobra.Command, to *string, name, usual string, words []string, usage string) {
	TypedFlag(c.Flags(), to, name, usual, oneOf(words), usage)
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// oneOf reads one of some words.
func oneOf(words []string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(words, text) {
			return text, nil
		}
		return "", fmt.Errorf("%q (want %s)", text, strings.Join(words, ", "))
	}
}

// Known makes a quantity of a flag optional, so that a zero is a zero.
func Known[T any](read func(string) (T, error)) func(string) (unit.Optional[T], error) {
	return func(text string) (unit.Optional[T], error) {
		v, err := read(text)
		return unit.Given(v), err
	}
}

// HeadroomTable is the flag of a vendor's headroom table. It is a name of its own, because --table chooses among the
// tables of CSV on every verb.
const HeadroomTable = "headroom-table"

// HeadroomTableFlag adds the table of a switch to a command.
func HeadroomTableFlag(c *cobra.Command, to *string) {
	c.Flags().StringVar(to, HeadroomTable, "", "headroom table of the switch (pg_profile_lookup.ini)")
}

// levels are the values of --log-level.
var levels = []string{"off", "error", "warn", "info", "debug"}

// RegisterLog adds --log-level to the root. The default is off, because standard error shows progress and errors.
func RegisterLog(root *cobra.Command) {
	root.PersistentFlags().Var(&typed[string]{new(string), levels[0], "level", oneOf(levels)}, "log-level",
		"log on standard error: "+strings.Join(levels, ", ")+"; credentials are never logged")
}

// Logger returns a logger for standard error with the level of --log-level.
func Logger(cmd *cobra.Command) *slog.Logger {
	level := slog.Level(100) // above all levels, so that nothing is logged
	_ = level.UnmarshalText([]byte(cmd.Flags().Lookup("log-level").Value.String()))
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
}
