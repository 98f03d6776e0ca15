package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/thresholds/method"
)

// This file offers the values of flags to the shell's completion.

// completeValues offers the values of flags that have the same meaning in every verb. A verb's own values are
// registered by the verb. The error of cobra is that a flag has its values already, and then those count.
func completeValues(root *cobra.Command) {
	values := map[string][]string{
		"output": cli.Formats, "method": method.Methods(),
		"units": cli.Units,
		"only":  capacity.QuestionNames(),
	}
	for _, c := range root.Commands() {
		for name, list := range values {
			f := c.Flags().Lookup(name)
			if f == nil {
				continue
			}
			_ = c.RegisterFlagCompletionFunc(name,
				cobra.FixedCompletions(slices.Clone(list), cobra.ShellCompDirectiveNoFileComp))
		}
		// init has registered its own, and cobra takes the first.
		if c.Flags().Lookup("chip") != nil && c.Name() != "init" {
			_ = c.RegisterFlagCompletionFunc("chip", cli.CompleteChips)
		}
	}
}
