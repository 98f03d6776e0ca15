package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/topology"
)

// This file adds --set to the verbs that answer questions of a topology. The verbs that write to a switch, or print
// what to write, do not have it: the file says what the switch is to hold.

// setFlag adds --set to a command.
func setFlag(c *cobra.Command) {
	c.Flags().StringArray("set", nil,
		"read the topology with another value, PATH=VALUE with a path as in the file: ports[1].cable=2km; repeatable")
}

// changesOf returns the changes that a command was given; none for a command without --set.
func changesOf(cmd *cobra.Command) ([]topology.Change, error) {
	if cmd.Flags().Lookup("set") == nil {
		return nil, nil
	}
	texts, err := cmd.Flags().GetStringArray("set")
	if err != nil {
		return nil, err
	}
	out := make([]topology.Change, len(texts))
	for i, text := range texts {
		if out[i], err = topology.ParseChange(text); err != nil {
			return nil, exit{exitUsage, err}
		}
	}
	return out, nil
}

// changeTexts returns the texts of changes; nil for none.
func changeTexts(changes []topology.Change) (out []string) {
	for _, c := range changes {
		out = append(out, c.String())
	}
	return out
}

// changedText says of a verdict for which changes of the file it holds: ", with ports[1].cable=2km". It is empty
// without changes.
func changedText(changes []string) string {
	if len(changes) == 0 {
		return ""
	}
	return ", with " + strings.Join(changes, ", ")
}
