package main

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
)

// logLevel is the flag --log-level, which every verb has.
const logLevel = "log-level"

// off is above all levels: nothing is logged.
const off = slog.Level(100)

// level is the value of --log-level.
type level slog.Level

func (l *level) String() string {
	if slog.Level(*l) == off {
		return "off"
	}
	return strings.ToLower(slog.Level(*l).String())
}

// Set reads a level; accepted are off, error, warn, info and debug.
func (l *level) Set(text string) error {
	for _, known := range []slog.Level{off, slog.LevelError, slog.LevelWarn, slog.LevelInfo, slog.LevelDebug} {
		if level := level(known); text == level.String() {
			*l = level
			return nil
		}
	}
	return fmt.Errorf("%q: accepted: off, error, warn, info, debug", text)
}

// Type names the value in help.
func (l *level) Type() string { return "level" }

// registerLog adds --log-level to the root.
func registerLog(root *cobra.Command) {
	l := level(off)
	root.PersistentFlags().Var(&l, logLevel, "what is logged on standard error: off, error, warn, info, debug; never a credential")
}

// logger writes on standard error what --log-level wants.
func logger(cmd *cobra.Command) *slog.Logger {
	l, _ := cmd.Flags().Lookup(logLevel).Value.(*level)
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.Level(*l)}))
}
