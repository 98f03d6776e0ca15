package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// This file adds --set to every verb that reads a topology. What such a verb prints names the changes: it holds for the
// file with these values, not for the file.

// Setting is the name of the flag.
const Setting = "set"

// SetFlag adds --set to a command.
func SetFlag(c *cobra.Command) {
	c.Flags().StringArray(Setting, nil,
		"read the topology with another value, PATH=VALUE with a path as in the file: ports[1].cable=2km; repeatable")
}

// ChangesOf returns the changes that a command was given for its first file; none for a command without --set. Those of
// the switch of a fabric, its cables among them, come first, and --set is added to them; two of one path are refused
// when the topology is read.
func ChangesOf(cmd *cobra.Command) ([]topology.Change, error) {
	if cmd.Flags().Lookup(Setting) == nil {
		return nil, nil
	}
	texts, err := cmd.Flags().GetStringArray(Setting)
	if err != nil {
		return nil, err
	}
	ctx, _ := FilesOf(cmd)
	var out []topology.Change
	if all := membersOf(ctx); len(all) > 0 {
		out = all[0].Changes
	}
	for _, text := range texts {
		c, err := topology.ParseChange(text)
		if err != nil {
			return nil, ExitWith(ExitUsage, err)
		}
		out = append(out[:len(out):len(out)], c)
	}
	return out, nil
}

// Changed returns the texts of the changes that a command was given.
func Changed(cmd *cobra.Command) ([]string, error) {
	changes, err := ChangesOf(cmd)
	return ChangeTexts(changes), err
}

// Unfit is the error of a command that does nothing with a plan that does not fit. It names the changes of the file.
// It is nil for a plan that fits. nothing says what the command has not done, such as "nothing was sent".
func Unfit(cmd *cobra.Command, nothing string, plan *buffer.Plan) error {
	err := plan.Err()
	if err == nil {
		return nil
	}
	changes, bad := Changed(cmd)
	if bad != nil {
		return bad
	}
	return ExitWith(ExitNoFit, fmt.Errorf("%s%s: %w", nothing, ChangedText(changes), err))
}

// withoutSet is the error of --set on a verb that reads no topology. It names the verbs that do. It asks all verbs
// and keeps no list, which a new verb could be missing from.
func withoutSet(cmd *cobra.Command) error {
	var verbs []string
	for _, c := range cmd.Root().Commands() {
		if c.Flags().Lookup(Setting) != nil {
			verbs = append(verbs, c.Name())
		}
	}
	return fmt.Errorf("--set: %s reads no topology: accepted by %s", cmd.Name(), strings.Join(verbs, ", "))
}

// ChangeTexts returns the texts of changes; nil for none. The cable of a fabric's switch has no text: it is of the
// fabric's file, and nobody has typed it.
func ChangeTexts(changes []topology.Change) (out []string) {
	for _, c := range changes {
		if text := c.String(); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// ChangedText says of a verdict for which changes of the file it holds: ", with ports[1].cable=2km". It is empty
// without changes.
func ChangedText(changes []string) string {
	if len(changes) == 0 {
		return ""
	}
	return ", with " + strings.Join(changes, ", ")
}
