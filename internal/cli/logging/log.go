// Package logging has --log-level, and the log of requests for all verbs.
package logging

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
)

// This file has --log-level, the log of requests for all verbs. The default is off,
// because standard error shows progress and errors.

// logLevel is the name of the flag.
const logLevel = "log-level"

// off is above all levels, so that nothing is logged.
const off = slog.Level(100)

// level is the value of --log-level.
type level slog.Level

func (l *level) String() string {
	if slog.Level(*l) == off {
		return "off"
	}
	return strings.ToLower(slog.Level(*l).String())
}

// Set reads a level; want off, error, warn, info and debug.
func (l *level) Set(text string) error {
	for _, known := range []slog.Level{off, slog.LevelError, slog.LevelWarn, slog.LevelInfo, slog.LevelDebug} {
		if level := level(known); text == level.String() {
			*l = level
			return nil
		}
	}
	return fmt.Errorf("%q (want off, error, warn, info, debug)", text)
}

// Type names the value in help.
func (l *level) Type() string { return "level" }

// Register adds --log-level to the root.
func Register(root *cobra.Command) {
	l := level(off)
	root.PersistentFlags().Var(&l, logLevel, "log on standard error: off, error, warn, info, debug; credentials are "+
		"never logged")
}

// Logger returns a logger for standard error with the level of --log-level.
func Logger(cmd *cobra.Command) *slog.Logger {
	l, _ := cmd.Flags().Lookup(logLevel).Value.(*level)
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.Level(*l)}))
}
