package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/topology"
)

// This file adds --set to every verb that reads a topology. What such a verb prints names the changes: it holds for the
// file with these values, not for the file.

// Setting is the name of the flag.
const Setting = "set"

// changes is the value of --set: one change for each time that it is given.
type changes []topology.Override

func (c *changes) String() string { return strings.Join(ChangeTexts(*c), ", ") }
func (c *changes) Type() string   { return "stringArray" }

// Set adds a change. Two of one path are refused when the topology is read.
func (c *changes) Set(text string) error {
	change, err := topology.ParseOverride(text)
	if err == nil {
		*c = append(*c, change)
	}
	return err
}

// Append, Replace and GetSlice make it a list: see pflag.SliceValue.
func (c *changes) Append(text string) error { return c.Set(text) }
func (c *changes) Replace(texts []string) (err error) {
	for *c = nil; len(texts) > 0 && err == nil; texts = texts[1:] {
		err = c.Set(texts[0])
	}
	return err
}
func (c *changes) GetSlice() []string { return ChangeTexts(*c) }

// SetFlag adds --set to a command, which reads a topology, and --confine for the files that a topology names.
func SetFlag(c *cobra.Command) {
	ConfineFlag(c)
	c.Flags().Var(&changes{}, Setting,
		"read the topology with another value, PATH=VALUE with a path as in the file: ports[1].cable=2km; repeatable")
}

// ChangesOf returns the changes that a command was given for its first file; none for a command without --set. Those of
// the switch of a fabric, its cables among them, come first, and --set is added to them.
func ChangesOf(cmd *cobra.Command) (out []topology.Override) {
	flag := cmd.Flags().Lookup(Setting)
	if flag == nil {
		return nil
	}
	ctx, _ := FilesOf(cmd)
	if all := membersOf(ctx); len(all) > 0 {
		out = all[0].Changes
	}
	given, _ := flag.Value.(*changes)
	return slices.Concat(out, *given)
}

// Changed returns the texts of the changes that a command was given.
func Changed(cmd *cobra.Command) []string { return ChangeTexts(ChangesOf(cmd)) }

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
func ChangeTexts(changes []topology.Override) (out []string) {
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
