package cli

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// This file has --log-level, the log of requests for all verbs, and the flags that are one of some words.

// word is the value of a flag that is one of some words. A wrong one is refused when flags are read, and not when it is
// needed.
type word struct {
	text, kind string
	among      []string
}

func (w *word) String() string { return w.text }
func (w *word) Type() string   { return w.kind }

// Set refuses another word.
func (w *word) Set(text string) error {
	if !slices.Contains(w.among, text) {
		return fmt.Errorf("%q (want %s)", text, strings.Join(w.among, ", "))
	}
	w.text = text
	return nil
}

// RegisterLog adds --log-level to the root. The default is off, because standard error shows progress and errors.
func RegisterLog(root *cobra.Command) {
	root.PersistentFlags().Var(&word{"off", "level", []string{"off", "error", "warn", "info", "debug"}}, "log-level",
		"log on standard error: off, error, warn, info, debug; credentials are never logged")
}

// Logger returns a logger for standard error with the level of --log-level.
func Logger(cmd *cobra.Command) *slog.Logger {
	level := slog.Level(100) // above all levels, so that nothing is logged
	_ = level.UnmarshalText([]byte(cmd.Flags().Lookup("log-level").Value.String()))
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
}
